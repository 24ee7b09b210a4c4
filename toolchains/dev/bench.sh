#!/usr/bin/env bash
# bench.sh [PART...]: ./dev bench. What is measured is in tests/bench; this builds what it needs.
. "$(dirname "$(readlink -f "$0")")/base.sh"
. toolchains/dev/steps.sh
bin=build/cmake/release/bin

# Those that need the libraries which are measured beside ours.
with_peers() {
  cmake --preset release -DPLUMB_BENCH=ON >&2
  cmake_build release "$@"
}

proxy() {
  toolchains/dev/packages.sh bench_proxy
  build_command
  cmake_build release proxy_load
  npm_install tests/load
  mkdir -p build/bench
  {
    PORTKEY=$here/tests/load/node_modules/@portkey-ai/gateway/build/start-server.js \
      python3 tests/load/proxy_bench.py build/bin/plumb "$bin/proxy_load"
    echo
    python3 tests/load/proxy_moments.py build/bin/plumb "$bin/proxy_load"
  } | tee build/bench/proxy.md
}

# Parts that need nothing but a program of ours.
case ${1:-} in
  extract)   # [dev|held]; PLUMB_REWRITE=1 writes new items into tests/extract/marks.txt
    cmake_build release extract_bench
    exec "$bin/extract_bench" tests/extract "${2:-}"
    ;;
  story | work | workflow)
    cmake_build release "$1_bench"
    exec "$bin/$1_bench"
    ;;
  instructions)   # [OTHER]: the plumb_instructions of another build, to compare with
    with_peers plumb_instructions plumb_bench_data
    mkdir -p build/bench/data
    "$bin/plumb_bench_data" build/bench/data
    exec python3 tests/bench/instructions.py "$bin/plumb_instructions" build/bench/data core/contracts "${@:2}"
    ;;
esac
if [ "$*" = proxy ]; then
  proxy
  exit
fi

all=(size native node chromium edits runs roles tokens boundary search research)
parts=()
for part in "${@:-${all[@]}}"; do [ "$part" = proxy ] || parts+=("$part"); done
build_modules
build_npm
npm_install tests/bench
peers=(plumb_bench_data)   # what it writes is read by all parts but these
[[ "${parts[*]}" != @(edits|runs|roles|tokens|boundary|search|research) ]] || peers=()
for part in "${parts[@]}"; do
  case $part in
    runs)
      cmake_build wasm plumb_runs_test
      cmake_build release runs_bench early_stop_bench
      ;;
    roles | boundary) cmake_build release "${part}_bench" ;;
    tokens) cmake_build release tokens_bench token_features ;;
    research | search) cmake_build release plumb "${part}_bench" ;;
    chromium)
      build_command
      build_web
      ;;
    native) peers+=(plumb_bench) ;;
  esac
done
[ ${#peers[@]} = 0 ] || with_peers "${peers[@]}"
if [ $# = 0 ] || [[ " $* " = *" proxy "* ]]; then proxy; fi
PLUMB_NPM=$here/build/npm bash tests/bench/bench.sh "${parts[@]}"
