#!/usr/bin/env bash
# bench.sh [PART...]: measures and prints tables. Parts: native node chromium size edits runs
# roles tokens boundary search research. Called by ./dev bench, which builds.
# PLUMB_BENCH_ONLY=quiz limits the files to those whose name holds that text.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(size native node chromium edits runs roles tokens boundary search research)
out=build/bench
bin=build/cmake/release/bin
only=${PLUMB_BENCH_ONLY:-}
mkdir -p "$out/data"
if [[ "${parts[*]}" != @(edits|runs|roles|tokens|boundary|search|research) ]] && { [ ! -f "$out/data/mindmap_100000.json" ] || [ "$bin/plumb_bench_data" -nt "$out/data/mindmap_100000.json" ]; }; then
  "$bin/plumb_bench_data" "$out/data"
fi
for part in "${parts[@]}"; do
  case $part in
    size)
      python3 toolchains/module_size.py build/cmake/wasm
      ;;
    native)
      "$bin/plumb_bench" "$out/data" core/contracts --benchmark_format=console --benchmark_out="$out/native.json" \
        --benchmark_out_format=json --benchmark_min_time=0.2 \
        --benchmark_filter="${only:+$only|^contract}" >&2
      python3 tests/bench/table.py native "$out/native.json"
      ;;
    node | chromium)
      node "tests/bench/${part}_bench.mjs" "$out/data" core/contracts "$PLUMB_NPM" "$only" >"$out/$part.jsonl"
      python3 tests/bench/table.py "$part" "$out/$part.jsonl"
      if [ "$part" = chromium ] && [ -f build/web/index.html ]; then
        node tests/bench/page_bench.mjs build/bin/plumb build/web | tee "$out/page.txt"
      fi
      ;;
    edits)
      # PLUMB_BENCH_DOCUMENTS and PLUMB_BENCH_SEED: how many documents are damaged, and which.
      node tests/bench/edits/edits_bench.mjs "$PLUMB_NPM" "${PLUMB_BENCH_DOCUMENTS:-5000}" "${PLUMB_BENCH_SEED:-1}" \
        | tee "$out/edits.md"
      ;;
    runs)
      echo native
      build/cmake/release/bin/runs_bench "${PLUMB_BENCH_FOLDER:-}" | tee "$out/runs_native.txt"
      build/cmake/release/bin/early_stop_bench | tee "$out/early_stop.txt"
      echo WebAssembly
      node tests/bench/runs_bench.mjs build/cmake/wasm/bin/plumb-runs-test.wasm | tee "$out/runs.txt"
      ;;
    roles)
      # PLUMB_BENCH_FAULTS=faults lists each line that was judged wrongly.
      build/cmake/release/bin/roles_bench tests/cases/roles "${PLUMB_BENCH_FAULTS:-}" | tee "$out/roles.md"
      ;;
    tokens)
      # PLUMB_BENCH_FIT=1: fits the weights anew, and writes core/text/token_weights.cpp.
      mkdir -p "$out/tokens"
      [ -f "$out/tokens/test.jsonl" ] || python3 tests/bench/tokens/corpus.py "$out/tokens"
      if [ "${PLUMB_BENCH_FIT:-}" = 1 ]; then
        node tests/bench/tokens/fit.mjs "$out/tokens" build/cmake/release/bin/token_features --write core/text/token_weights.cpp
      fi
      node tests/bench/tokens/tokens_bench.mjs "$out/tokens" build/cmake/release/bin/tokens_bench "$PLUMB_NPM" | tee "$out/tokens.md"
      ;;
    boundary)
      build/cmake/release/bin/boundary_bench | tee "$out/boundary.txt"
      ;;
    research)
      build/cmake/release/bin/research_bench | tee "$out/research.txt"
      PLUMB_BIN=build/bin/plumb python3 tests/bench/research_bench.py | tee -a "$out/research.txt"
      ;;
    search)
      # PLUMB_BENCH_MEGABYTES: how much text.
      build/cmake/release/bin/search_bench ${PLUMB_BENCH_MEGABYTES:-10 100} | tee "$out/search.md"
      python3 tests/bench/search_questions.py build/bin/plumb | tee "$out/search_questions.md"
      ;;
    *)
      printf 'no part %s; there are: size native node chromium edits runs roles tokens boundary search research\n' "$part" >&2
      exit 1
      ;;
  esac
done
