#!/usr/bin/env bash
# suite.sh NAME: builds what the suite needs and runs it. One of ./dev test and of CTest. suite.sh --list: the suites.
#
# A suite is a function that prints, for itself or for each of its parts, a line
#   suite NAME: N passed, M failed[, K skipped]
# and may print `skip: REASON` for what it skips. What it needs and how long it may take is in the table beside this file.
. "$(dirname "$(readlink -f "$0")")/base.sh"
. toolchains/dev/steps.sh
release=build/cmake/release/bin
export PLUMB_BIN=$here/build/bin/plumb PLUMB_NPM=$here/build/npm PLUMB_WEB=$here/build/web

# in_parts NAME COUNT PROGRAM...: its test cases in thirty-two processes, so many at once, the last of them first: the
# slowest are there, and neighbours.
in_parts() {
  local name=$1 at_once=$2 count size
  shift 2
  count=$("$@" --count | sed -n 's/^.*filters: *//p')
  size=$(((count + 31) / 32))
  seq 1 "$size" "$count" | tac | while read -r first; do echo "--first=$first --last=$((first + size - 1))"; done |
    at_a_time "$at_once" bash -c '"${@:2}" $1' one_part '{}' "$@" --suite="$name"
}
# with_node FOLDER SCRIPT...: with the Node that the folder's packages bring, where they bring one.
with_node() {
  local folder=$1
  shift
  PATH=$here/$folder/node_modules/.bin:$PATH node --no-warnings "$@"
}

suite_house() { python3 tests/house/house_test.py; }
# Each header of the core by itself. No cache knows them, and there are hundreds.
suite_headers() { python3 tests/house/house_test.py --headers; }
suite_core() { in_parts core "$jobs" "$release/core_tests"; }
suite_core-sanitize() { in_parts core-sanitize "$jobs" build/cmake/sanitize/bin/core_tests; }
suite_native() { in_parts native "$waiting" "$release/native_tests"; }
suite_native-sanitize() { in_parts native-sanitize "$waiting" build/cmake/sanitize/bin/native_tests; }
# Pipelines mostly wait for the disk; the slowest first.
suite_kill() { "$release/kill_matrix" list | tac | at_a_time "$waiting" "$release/kill_matrix" only '{}'; }
# They mostly wait for the command.
suite_cli() {
  # shellcheck disable=SC2086   # files of tests have no blanks
  printf '%s\n' ${PLUMB_ONLY_cli:-tests/native/*_test.py} | at_a_time "$waiting" python3 '{}'
}
# What the product says of good and bad inputs, in tables.
suite_counts() {
  printf '%s\n' tests/counts/*.txt | sed 's/txt$/py/' | at_a_time "$jobs" python3 '{}'
}
suite_packaging() {
  cmake_build release core_rooms plumbline_c
  python3 tests/packaging/packaging_test.py build/cmake/release build/bin/plumb
}
# The package in a clean system. It is made anew, so that it is what was just built.
suite_deb() {
  toolchains/dev/packages.sh deb system
  (cd build/cmake/release && cpack >&2)
  python3 tests/packaging/deb_test.py "$(echo build/plumbline_*.deb)"
}
# Of the suites that install much for themselves, one test each.
suite_smoke() {
  cmake_build release core_rooms plumbline_c
  python3 tests/packaging/packaging_test.py build/cmake/release build/bin/plumb from_c
  npm_install tests/mcp
  with_node tests/mcp tests/mcp/run.mjs own
  npm_install tests/adapters
  with_node tests/adapters tests/adapters/run.mjs docs
}
suite_proxy() {
  npm_install tests/proxy
  npm_install web   # the browser's driver, and a Node that it runs on
  with_node web tests/proxy/run.mjs
}
suite_mcp() {
  npm_install tests/mcp   # with a Node that the conformance suite runs on
  with_node tests/mcp tests/mcp/run.mjs
}
suite_wasm() {
  cmake_build wasm core_tests
  in_parts core-wasm "$jobs" node --no-warnings tests/core/run_wasi.mjs build/cmake/wasm/bin/core_tests.wasm
}
suite_npm() {
  cmake_build wasm plumb_runs_test
  (cd wasm/package && npm test --silent)
}
suite_adapters() {
  npm_install tests/adapters   # with a Node that the published packages run on
  with_node tests/adapters tests/adapters/run.mjs
}
suite_web() {
  # shellcheck disable=SC2046   # files of tests have no blanks
  (cd web && npm test --silent -- $(for name in ${PLUMB_ONLY_web:-}; do basename "$name" .test.mjs; done))
}
# Tests of stores and hosts once more, with the store on a nats-server, a row of the kill matrix, and the official clients
# with two proxies that share.
suite_nats() {
  printf '%s\n' '--test-case=store:*' '--test-case=host:*' |
    PLUMB_TEST_STORE=nats at_a_time "$jobs" "$release/native_tests" '{}' --suite=nats
  "$release/kill_matrix" nats chain
  PLUMB_TEST_SHARED=1 suite_proxy
}
# Three nats-servers that replicate and hosts on them, while some are killed.
suite_servers() { python3 tests/servers/servers_test.py; }
suite_bundlers() {
  npm_install tests/bundlers   # with a Node that they run on
  with_node tests/bundlers tests/bundlers/run.mjs
}
# The core's tests as 64-bit ARM runs them, with NEON in the scanner.
suite_arm64() {
  toolchains/dev/packages.sh edge
  cmake_build arm64 core_tests
  in_parts arm64 "$jobs" qemu-aarch64-static -L /usr/aarch64-linux-gnu build/cmake/arm64/bin/core_tests
}
suite_edge() {
  toolchains/dev/packages.sh edge
  build_edge
  python3 tests/packaging/edge_test.py build/bin/plumb "amd64=$here/build/edge/amd64/plumb" \
    "arm64=$here/build/edge/arm64/plumb,qemu-aarch64-static,-L,$here/build/arm64-sysroot"
}

if [ "${1:-}" = --list ]; then
  awk '!/^#/ { print $1 }' toolchains/dev/suites
  exit 0
fi
builds=$(awk -v name="$1" '$1 == name { print $3 }' toolchains/dev/suites)
[ -n "$builds" ] || fail "no suite $1; there are: $("$0" --list | tr '\n' ' ')"
for one in ${builds//,/ }; do [ "$one" = - ] || "build_$one"; done
"suite_$1"
