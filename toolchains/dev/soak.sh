#!/usr/bin/env bash
# soak.sh [PART] [ARGUMENT...]: ./dev soak
. "$(dirname "$(readlink -f "$0")")/base.sh"
. toolchains/dev/steps.sh
bin=build/cmake/release/bin

part=${1:-}
case $part in
  boundary) cmake_build release boundary_bench && build_command ;;
  nats) toolchains/dev/packages.sh servers && cmake_build release kill_matrix ;;
  proxy) build_command ;;
  stranger) cmake_build release stranger_soak ;;
  store) cmake_build release store_soak ;;
  story) cmake_build release story_bench ;;
  workflow) cmake_build release workflow_bench ;;
  *) cmake_build release kill_matrix ;;
esac
case $part in
  boundary)
    "$bin/boundary_bench" soak "${2:-100000}"
    python3 tests/load/boundary_soak.py build/bin/plumb "$((${2:-100000} / 50 + 1))"
    ;;
  nats) "$bin/kill_matrix" list | tac | at_a_time "$waiting" "$bin/kill_matrix" nats '{}' ;;
  proxy) python3 tests/load/proxy_soak.py build/bin/plumb "${2:-600}" ;;
  stranger) "$bin/stranger_soak" "${@:2}" ;;
  store)
    code=0
    "$bin/store_soak" "${@:2}" || code=$?
    echo "commit $(git rev-parse --short=12 HEAD 2>/dev/null)$(git diff --quiet HEAD 2>/dev/null || echo ", changed")"
    exit "$code"
    ;;
  story) "$bin/story_bench" soak "${2:-10000}" ;;
  workflow) "$bin/workflow_bench" soak "${2:-10000}" "${3:-200}" ;;
  *) "$bin/kill_matrix" soak "${1:-60}" "${2:-40}" ;;
esac
