#!/usr/bin/env bash
# fuzz.sh [TARGET] [SECONDS]: ./dev fuzz
. "$(dirname "$(readlink -f "$0")")/base.sh"
. toolchains/dev/steps.sh

cmake_build fuzz
case ${1:-hosts} in
  hosts | [0-9]*)
    build_command
    build_modules
    build_npm
    ;;
esac
bash tests/fuzz/fuzz.sh "$@"
