# How the core is compiled for WebAssembly; which modules there are is in cmake/wasm.cmake.
#
# No exceptions but in runs: the core throws none, and an allocation that fails traps. SIMD: every engine that runs the package has
# it. The stack comes first in memory, so that an overflow traps instead of writing into static data.
# Where a pointer has 32 bits, `begin() + index` would warn for every 32-bit index: -Wsign-conversion is clang's part of
# -Wconversion, and the native clang build holds it.
target_compile_options(plumb_options INTERFACE -fno-exceptions -msimd128 -flto -Wno-sign-conversion)
target_link_options(plumb_options INTERFACE -flto)
# Strings from our own sources: the library's were built without inlining, each push_back some ten calls.
target_compile_definitions(plumb_options INTERFACE _LIBCPP_DISABLE_EXTERN_TEMPLATE)
# Link-time optimisation makes it 7 % smaller. The module is small first: -Oz, but for the few files whose loops every byte of
# an artifact passes through. These are built for speed, without loops written out many times and without vectors that
# nobody wrote. The rest of the engine at -O2 would be 22 KB of gzip more for 5 to 10 % of the time; -fno-inline-functions,
# which em++'s -Oz brings along, makes it larger.
set(plumb_fast_sources
  core/json/scanner.cpp
  core/json/string_text.cpp
  core/text/tokens.cpp
  core/text/token_scripts.cpp
  core/contract/engine/fast_path.cpp
  core/contract/engine/fast_path_walking.cpp
  wasm/utf8_from_utf16.cpp)
foreach(source IN LISTS plumb_fast_sources)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/${source} PROPERTIES
    COMPILE_OPTIONS "-O2;-fno-unroll-loops;-fno-vectorize;-fno-slp-vectorize")
endforeach()
# A run that has to wait leaves its pipeline by an exception. These files, and what links them, have WebAssembly's.
file(GLOB_RECURSE plumb_run_sources CONFIGURE_DEPENDS core/run/*.cpp core/pipelines/*.cpp)
set_source_files_properties(${plumb_run_sources} PROPERTIES
  COMPILE_OPTIONS "-fexceptions;-fwasm-exceptions;-frtti")
