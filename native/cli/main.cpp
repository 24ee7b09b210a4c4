// The command `plumb`.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "core/require.hpp"
#include "native/base/version.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/bugs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/help_text.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

int out(std::string_view text) {
  if (write_all(STDOUT_FILENO, text))
    return exit_clean;
  return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

int run(const std::vector<std::string>& words) {
  const Result<Arguments> parsed = Arguments::parse(words);
  if (!parsed)
    return fail(parsed.error());
  const Arguments& arguments = parsed.value();
  const CommandSpec* command = arguments.command();
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  const std::size_t columns = terminal_columns(STDOUT_FILENO);

  if (arguments.version_wanted())
    return out("plumb " + std::string(version) + "\n");
  if (command == nullptr) {
    const std::string text = help_overview(arguments.group(), style, columns);
    if (arguments.help_wanted())
      return out(text);
    write_all(STDERR_FILENO, text);
    return exit_undecided;
  }
  if (arguments.help_wanted())
    return out(help_of(*command, style, columns));

  const std::string_view path = command->path;
  if (path == "budget tokens")
    return run_budget_tokens(arguments);
  if (path.substr(0, 7) == "budget ")
    return run_budget(arguments);
  if (path == "check")
    return run_check(arguments);
  if (path == "contracts list")
    return run_contracts_list(arguments);
  if (path == "contracts show")
    return run_contracts_show(arguments);
  if (path == "contracts check")
    return run_contracts_check(arguments);
  if (path == "contracts derive")
    return run_contracts_derive(arguments);
  if (path == "contracts lint")
    return run_contracts_lint(arguments);
  if (path == "contracts sample")
    return run_contracts_sample(arguments);
  if (path == "explain")
    return run_explain(arguments);
  if (path == "boundary")
    return run_boundary(arguments);
  if (path == "research")
    return run_research(arguments);
  if (path == "discover")
    return run_discover(arguments);
  if (path == "make")
    return run_make(arguments);
  if (path == "mcp")
    return run_mcp(arguments);
  if (path == "models list")
    return run_models_list(arguments);
  if (path == "prompts list")
    return run_prompts_list(arguments);
  if (path == "prompts show")
    return run_prompts_show(arguments);
  if (path == "prompts export")
    return run_prompts_export(arguments);
  if (path == "prompts check")
    return run_prompts_check(arguments);
  if (path == "providers")
    return run_providers(arguments);
  if (path == "search")
    return run_search(arguments);
  if (path == "corpus index")
    return run_corpus_index(arguments);
  if (path == "corpus status")
    return run_corpus_status(arguments);
  if (path == "serve")
    return run_serve(arguments);
  if (path == "trust")
    return run_trust(arguments);
  if (path.substr(0, 6) == "story ")
    return run_story(arguments);
  if (path.substr(0, 5) == "runs ")
    return run_runs(arguments);
  if (path.substr(0, 5) == "keys ")
    return run_keys(arguments);
  if (path == "completion")
    return out(completion_script(arguments.positionals().front()));
  if (path == "man")
    return out(man_page());
  if (path == "version")
    return out("plumb " + std::string(version) + "\n");
  PLUMB_REQUIRE(path == "help", "every command of the table is run");
  std::string wanted;
  for (const std::string& word : arguments.positionals())
    wanted += (wanted.empty() ? "" : " ") + word;
  if (wanted.empty() || !group_summary(wanted).empty())
    return out(help_overview(wanted, style, columns));
  const CommandSpec* about = find_command(wanted);
  if (about != nullptr)
    return out(help_of(*about, style, columns));
  return fail(Error{ErrorCode::invalid_argument, "unknown command '" + wanted + "'; 'plumb help' lists the commands",
                    "", 0, 0});
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
