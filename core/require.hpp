// PLUMB_REQUIRE: an assumption of our own code, checked in release builds too.
//
// A broken assumption is a bug, never a statement about data. It ends the process in the command line and in tests and
// traps in WebAssembly, where the package then refuses to use the instance again.
#pragma once

namespace plumb {

// Writes nothing: the core has no output. `what` and `where` are kept in `broken_requirement` for a debugger or a host.
[[noreturn]] void requirement_broken(const char* what, const char* file, int line) noexcept;

// Called, when set, before the process ends; a host prints the text with it. It must not return to the core's caller
// in any other way than by not returning at all, or by returning to have the process end.
using RequirementHandler = void (*)(const char* what, const char* file, int line);
void set_requirement_handler(RequirementHandler handler) noexcept;

}  // namespace plumb

// `what` is a sentence that is true when the code is right.
#define PLUMB_REQUIRE(condition, what)                         \
  do {                                                         \
    if (!(condition)) {                                        \
      ::plumb::requirement_broken((what), __FILE__, __LINE__); \
    }                                                          \
  } while (false)
