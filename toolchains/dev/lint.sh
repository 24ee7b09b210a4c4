#!/usr/bin/env bash
# lint.sh [--all]: ./dev lint. lint.sh --format [--all]: ./dev fmt.
. "$(dirname "$(readlink -f "$0")")/base.sh"

format=
if [ "${1:-}" = --format ]; then
  format=1
  shift
fi
# The C++ files that differ from what is committed, or with --all every one.
if [ "${1:-}" = --all ]; then
  files=$(git ls-files -co --exclude-standard -- '*.cpp' '*.hpp')
else
  files=$(files_since HEAD '*.cpp' '*.hpp')
fi
if [ -n "$format" ]; then
  xargs -r clang-format -i <<<"$files"
  exit 0
fi
code=0
xargs -r clang-format --dry-run -Werror <<<"$files" || code=1
# Compiles each source alone, which finds a missing #include that a unit of the build would hide.
cmake --preset clang >&2
sources=$(grep -E '^(core|native)/.*\.cpp$' <<<"$files" || true)
if [ -n "$sources" ]; then
  python3 toolchains/lint_sources.py build/cmake/clang <<<"$sources" || code=1
fi
python3 tests/house/house_test.py || code=1
python3 tests/house/house_test.py --headers || code=1
exit "$code"
