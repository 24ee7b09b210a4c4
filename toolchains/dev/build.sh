#!/usr/bin/env bash
# build.sh [deb|edge]: ./dev build
. "$(dirname "$(readlink -f "$0")")/base.sh"
. toolchains/dev/steps.sh

case ${1:-} in
  '')
    build_all
    python3 toolchains/module_size.py build/cmake/wasm
    say "build/bin/plumb  build/npm/  $(echo build/npm-pack/*.tgz)  build/web/"
    ;;
  deb)
    build_all
    (cd build/cmake/release && cpack >&2)
    say "$(echo build/plumbline_*.deb)"
    ;;
  edge)
    build_edge
    say "$(stat -c '%n: %s bytes' build/edge/*/plumb)"
    ;;
  *) fail "no build of $1; there is ./dev build, ./dev build deb and ./dev build edge" ;;
esac
