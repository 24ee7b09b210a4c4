// What libplumbline.so has where a module has wasm/runtime.cpp: it says what was broken before the process ends.
#include <cstdio>

#include "core/require.hpp"
#include "wasm/abi.hpp"

namespace plumb::wasm {

namespace {

void tell_broken(const char* what, const char* file, int line) {
  std::fprintf(stderr, "plumbline: not so: %s (%s:%d)\n", what, file, line);
}

}  // namespace

void tell_requirements() {
  // Once for all threads, each of which has an instance of its own.
  static const RequirementHandler before = set_requirement_handler(tell_broken);
  static_cast<void>(before);
}

}  // namespace plumb::wasm
