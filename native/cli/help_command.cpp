// The commands that tell of the others: help, man, completion, version.
#include <unistd.h>

#include <string>

#include "core/wording.hpp"
#include "native/base/version.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/help_text.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

int print(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) {
    return exit_clean;
  }
  return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

int run_completion(const Arguments& arguments) { return print(completion_script(arguments.positionals().front())); }

int run_man(const Arguments&) { return print(man_page()); }

int run_version(const Arguments&) { return print("plumb " + std::string(version) + "\n"); }

int run_help(const Arguments& arguments) {
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  std::string wanted = joined(arguments.positionals(), " ");
  if (const CommandSpec* about = find_command(wanted)) {
    return print(help_of(*about, style, columns));
  }
  if (is_left_out(wanted)) {
    return fail(Error{ErrorCode::invalid_argument, left_out_text(wanted), "", 0, 0});
  }
  if (wanted.empty() || !group_summary(wanted).empty()) {
    return print(help_overview(wanted, style, columns));
  }
  return fail(Error{ErrorCode::invalid_argument, "unknown command '" + wanted + "'; 'plumb help' lists the commands",
                    "", 0, 0});
}

}  // namespace plumb::cli
