#include "core/require.hpp"

#include <cstdlib>

namespace plumb {

namespace {
// The one piece of process-wide state in the core: where a bug is told before the process ends.
RequirementHandler handler_in_use = nullptr;
}  // namespace

RequirementHandler set_requirement_handler(RequirementHandler handler) noexcept {
  const RequirementHandler before = handler_in_use;
  handler_in_use = handler;
  return before;
}

void requirement_broken(const char* what, const char* file, int line) {
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
