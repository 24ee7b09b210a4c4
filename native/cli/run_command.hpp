// What the commands that run a pipeline share: their last options, the set-up, the run, and what becomes of its view.
//
//   CommandSpec c;  ...;  add_run_options(c, {"validate", "revise"}, "Write the items there instead of ...");
//
//   const Result<RunSetup> setup = set_up_run(arguments);
//   RunCommand what;
//   what.pipeline = "boundary";  what.request = request;  what.text = [](const json::Value& view) { return ...; };
//   return setup ? run_command(arguments, setup.value(), std::move(what)) : fail(setup.error());
//
// With --json the view itself is written. Nothing is written where there is no text.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "native/cli/command_table.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/watched_run.hpp"
#include "native/host/routes.hpp"

namespace plumb::cli {

// --output (with this help), --json, --prompts, --provider and its phases, --record, --store, --quiet, looks, --help.
void add_run_options(CommandSpec& command, std::initializer_list<std::string_view> phases, std::string_view output_help,
                     std::string_view json_help);
OptionSpec token_budget_option(std::string_view usual);

// Members of a request, from options: none where the option was not given.
Result<bool> write_number(json::Writer& json, const Arguments& arguments, std::string_view option,
                          std::string_view member, std::uint64_t least = 1);
void write_list(json::Writer& json, std::string_view member, const std::vector<std::string>& texts);
// NAME=VALUE; the error names the option and gives `example`.
Result<std::pair<std::string, std::string>> named_value(std::string_view option, const std::string& said,
                                                        std::string_view example);

// Who is asked in these phases, each once: "extract, ollama/qwen3:8b". With extract alone it says what that costs.
std::string providers_text(const std::vector<provider::Choice>& choices, std::span<const std::string_view> phases);

struct RunSetup {
  ReadyProviders models;
  pipelines::Texts texts;
};
// Signals are blocked before any thread is made. `own`: a contract by name and its file, before those of plumb.yaml.
Result<RunSetup> set_up_run(const Arguments& arguments, const PhaseNeeds& needs = {},
                            const std::pair<std::string, std::string>& own = {});

struct RunCommand {
  std::string_view pipeline;
  std::string request;  // JSON
  // What the user said where an error speaks of a place in the request.
  std::function<void(Error&)> explain = {};
  // Before it begins: what is told of it, and what is left of what was prepared.
  std::function<std::string(pipelines::Prepared& prepared)> before = {};
  std::vector<std::pair<run::EffectKind, host::Fulfiller*>> fulfillers = {};  // besides models
  Watching watching = {};  // `enough`, `answer` and whom it asks besides models
  // What is told of the run, and the exit code of one that has not ended; that of one that has is in one table for all
  // (native/outcome/outcome_table.hpp).
  std::function<int(const WatchedRun& run, const json::Value& view)> told = {};
  // After the result was written: what else is made of it. The exit code.
  std::function<int(const run::Journal& journal, const std::string& delivered)> after = {};
  bool only_here = false;          // a server that has the store could not do it
  bool passes_unverified = false;  // what nobody could verify is passed on, and is no reason for exit code 2
};
int run_command(const Arguments& arguments, const RunSetup& setup, RunCommand what);
// The same for a run of the store that goes on: `what.watching.resumes`.
int go_on_command(const Arguments& arguments, const RunSetup& setup, RunCommand what);

}  // namespace plumb::cli
