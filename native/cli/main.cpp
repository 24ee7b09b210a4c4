// The command `plumb`.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "core/require.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/bugs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/help_text.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

int run(const std::vector<std::string>& words) {
  const Result<Arguments> parsed = Arguments::parse(words);
  if (!parsed) {
    return fail(parsed.error());
  }
  const Arguments& arguments = parsed.value();
  const CommandSpec* command = arguments.command();
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  const std::size_t columns = terminal_columns(STDOUT_FILENO);

  if (arguments.version_wanted()) {
    return run_version(arguments);
  }
  if (command == nullptr) {
    const std::string text = help_overview(arguments.group(), style, columns);
    if (arguments.help_wanted()) {
      return print(text);
    }
    write_all(STDERR_FILENO, text);
    return exit_undecided;
  }
  if (arguments.help_wanted()) {
    return print(help_of(*command, style, columns));
  }

  return command->run(arguments);
}

}  // namespace

}  // namespace plumb::cli

int main(int argc, char** argv) {
  plumb::cli::install_bug_handlers();
  try {
    return plumb::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::bad_alloc&) {
    plumb::cli::complain("out of memory; check fewer or smaller inputs at a time (--jobs 1, --format jsonl)");
  } catch (const std::exception& error) {
    plumb::cli::complain(std::string("stopped by an error that nothing handles: ") + error.what());
    plumb::cli::ask_for_a_report();
  }
  return plumb::cli::exit_undecided;
}
