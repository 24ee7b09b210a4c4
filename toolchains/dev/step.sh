#!/usr/bin/env bash
# step.sh NAME...: these steps of a build (command, tests, sanitize, modules, npm, web).
. "$(dirname "$(readlink -f "$0")")/base.sh"
. toolchains/dev/steps.sh
for name in "$@"; do "build_$name"; done
