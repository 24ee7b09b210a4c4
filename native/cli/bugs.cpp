#include "native/cli/bugs.hpp"

#include <unistd.h>

#include <cstddef>
#include <exception>
#include <string_view>

#include "core/require.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

// Nothing is allocated here: the heap may be what is broken.
void on_broken_requirement(const char* what, const char* file, int line) {
  write_all(STDERR_FILENO, "plumb: broken assumption: ");
  write_all(STDERR_FILENO, what);
  write_all(STDERR_FILENO, " (");
  write_all(STDERR_FILENO, file);
  write_all(STDERR_FILENO, ":");
  char digits[12];
  std::size_t at = sizeof digits;
  unsigned rest = static_cast<unsigned>(line);
  do {
    digits[--at] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0 && at > 0);
  write_all(STDERR_FILENO, {digits + at, sizeof digits - at});
  write_all(STDERR_FILENO, ")\n");
  ask_for_a_report();
  ::_exit(exit_undecided);
}

[[noreturn]] void on_terminate() {
  write_all(STDERR_FILENO, "plumb: stopped by an error that nothing handles\n");
  ask_for_a_report();
  ::_exit(exit_undecided);
}

}  // namespace

void install_bug_handlers() {
  set_requirement_handler(on_broken_requirement);
  std::set_terminate(on_terminate);
}

int fail_by_a_bug(const Error& error) {
  const int code = fail(error);
  ask_for_a_report();
  return code;
}

void ask_for_a_report() {
  write_all(
      STDERR_FILENO,
      "plumb: this is a bug in plumb, not in your data. Please report it with the line above, the contract and the "
      "input.\n");
}

}  // namespace plumb::cli
