#include "core/require.hpp"

#include <cstdlib>

namespace plumb {

namespace {
// The one piece of process-wide state in the core: where a bug is told before the process ends.
RequirementHandler handler_in_use = nullptr;
}  // namespace

void set_requirement_handler(RequirementHandler handler) noexcept { handler_in_use = handler; }

void requirement_broken(const char* what, const char* file, int line) noexcept {
  if (handler_in_use != nullptr) {
    handler_in_use(what, file, line);
  }
#if defined(__wasm__)
  __builtin_trap();
#else
  std::abort();
#endif
}

}  // namespace plumb
