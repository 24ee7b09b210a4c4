# The steps of a build, each quick when nothing has changed. Read by the scripts that build.
. toolchains/dev/npm.sh

# cmake_build PRESET [TARGET...]: a build preset of CMakePresets.json, which names what is built, or these targets of it.
cmake_build() {
  local preset=$1 folder
  folder=build/cmake/$(configured_by "$preset")
  shift
  if [ ! -f "$folder/build.ninja" ] || [ CMakePresets.json -nt "$folder/build.ninja" ]; then
    cmake --preset "${folder##*/}" >&2
  fi
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"} >&2
}

# The configure preset of a build preset.
configured_by() {
  case $1 in
    command | tests | native-tests) echo release ;;
    modules) echo wasm ;;
    *) echo "$1" ;;
  esac
}

# unchanged NAME FILE-OR-FOLDER...: true when these are as they were at `mark_done NAME`.
inputs_now() {
  find "$@" -name node_modules -prune -o -type f -print0 2>/dev/null | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}
unchanged() {
  local name=$1
  shift
  [ -f "build/done/$name" ] && [ "$(cat "build/done/$name")" = "$(inputs_now "$@")" ]
}
mark_done() {
  local name=$1
  shift
  mkdir -p build/done
  inputs_now "$@" >"build/done/$name"
}

build_command() { cmake_build command; }
build_tests() { cmake_build tests; }
build_native-tests() { cmake_build native-tests; }
build_sanitize() { cmake_build sanitize; }
build_modules() { cmake_build modules; }

build_npm() {
  local modules=$here/build/cmake/wasm/bin inputs
  inputs=("$modules"/plumb-{schema,check,author,runs,budget,story}.wasm wasm/package README.md LICENSE)
  npm_install wasm/package
  if [ -f build/npm/package.json ] && [ -d build/npm-pack ] && unchanged npm "${inputs[@]}"; then return 0; fi
  say "building build/npm"
  mkdir -p build/npm
  (cd wasm/package && PLUMB_WASM=$modules PLUMB_OUT=$here/build/npm npm run --silent build) >&2
  mark_done npm "${inputs[@]}"
}

build_web() {
  local inputs=(build/npm web docs core/contracts/meta tests/cases/seed tests/cases/runs)
  npm_install web
  if page_is_there && unchanged web "${inputs[@]}"; then return 0; fi
  say "building build/web"
  (cd web && PLUMB_NPM=$here/build/npm npm run --silent build) >&2
  mark_done web "${inputs[@]}"
}

# The page with the modules that it needs. In its place there may be the one that says that it is being built.
page_is_there() { [ -f build/web/index.html ] && ! cmp -s build/web/index.html web/being_built.html; }
build_page() {
  build_modules
  build_npm
  build_web
}
build_all() {
  build_command
  build_page
}

build_edge() {
  [ "$(dpkg --print-architecture)" = amd64 ] || fail "./dev build edge builds on amd64, for amd64 and arm64"
  local libraries
  mapfile -t libraries < <(toolchains/dev/packages.sh --libraries)
  toolchains/arm64_sysroot.sh build/arm64-sysroot "${libraries[@]}" nlohmann-json3-dev >&2
  cmake_build edge plumb
  cmake_build edge-arm64 plumb
}
