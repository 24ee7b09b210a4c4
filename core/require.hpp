// PLUMB_REQUIRE: an assumption of our own code, checked in release builds too.
//
// A broken assumption is a bug, never a statement about data. It ends the process in the command line and in tests and
// traps in WebAssembly, where the package then refuses to use the instance again.
#pragma once

namespace plumb {

// Writes nothing: the core has no output.
[[noreturn]] void requirement_broken(const char* what, const char* file, int line);

// Called, when set, before the process ends; a host prints the text with it. It never returns to the core's caller: it
// ends the process, has it ended by returning, rests for good, or throws to a host that ends the work it was done for
// and uses nothing of that work again (native/host/contained.hpp). Functions between the two must not be noexcept.
using RequirementHandler = void (*)(const char* what, const char* file, int line);
// Gives the one before.
RequirementHandler set_requirement_handler(RequirementHandler handler) noexcept;

}  // namespace plumb

// `what` is a sentence that is true when the code is right.
#define PLUMB_REQUIRE(condition, what)                         \
  do {                                                         \
    if (!(condition)) {                                        \
      ::plumb::requirement_broken((what), __FILE__, __LINE__); \
    }                                                          \
  } while (false)
