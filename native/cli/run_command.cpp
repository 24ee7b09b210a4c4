#include "native/cli/run_command.hpp"

#include <unistd.h>

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/require.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/bugs.hpp"
#include "native/cli/call_limits.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/prompt_source.hpp"
#include "native/cli/terminal.hpp"
#include "native/outcome/boundary_outcome.hpp"
#include "native/outcome/deliverable.hpp"
#include "native/outcome/outcome_table.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t number_max = 100'000'000;
constexpr std::uint64_t contract_bytes_max = std::uint64_t{64} << 20;

Result<bool> write_out(const Arguments& arguments, const std::string& text) {
  const std::string file = arguments.text("--output");
  if (!file.empty()) {
    return write_file(file, text);
  }
  if (!write_all(STDOUT_FILENO, text)) {
    return Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0};
  }
  return true;
}

}  // namespace

void add_run_options(CommandSpec& command, std::initializer_list<std::string_view> phases, std::string_view output_help,
                     std::string_view json_help) {
  std::vector<OptionSpec>& options = command.options;
  options.push_back({"--output", 'o', "FILE", {}, "", output_help, Completes::file, false});
  options.push_back({"--json", 0, "", {}, "", json_help, Completes::nothing, false});
  options.push_back(prompts_option());
  for (OptionSpec& one : provider_options(phases)) {
    options.push_back(one);
  }
  for (OptionSpec& one : limit_options()) {
    options.push_back(one);
  }
  options.push_back(record_option());
  options.push_back(store_option());
  options.push_back({"--quiet", 'q', "", {}, "", "No log and no bar.", Completes::nothing, false});
  for (OptionSpec& one : look_options()) {
    options.push_back(one);
  }
  options.push_back(help_option());
}

OptionSpec token_budget_option(std::string_view usual) {
  return {
      "--token-budget",   0,    "N", {}, usual, "Tokens of all model calls together; none is made that does not fit.",
      Completes::nothing, false};
}

Result<bool> write_number(json::Writer& json, const Arguments& arguments, std::string_view option,
                          std::string_view member, std::uint64_t least) {
  if (!arguments.has(option)) {
    return true;
  }
  const Result<std::uint64_t> number = arguments.number(option, 0, least, number_max);
  if (!number) {
    return number.error();
  }
  json.member_uint(member, number.value());
  return true;
}

void write_list(json::Writer& json, std::string_view member, const std::vector<std::string>& texts) {
  json.key(member).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

Result<std::pair<std::string, std::string>> named_value(std::string_view option, const std::string& said,
                                                        std::string_view example) {
  const std::size_t equals = said.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{ErrorCode::invalid_argument, "must be " + std::string(example) + ", not '" + said + "'",
                 std::string(option), 0, 0};
  }
  return std::pair{said.substr(0, equals), said.substr(equals + 1)};
}

std::string providers_text(const std::vector<provider::Choice>& choices, std::span<const std::string_view> phases) {
  std::vector<std::string> named;
  for (const std::string_view phase : phases) {
    for (const provider::Choice& choice : choices) {
      if (choice.phase == phase && std::find(named.begin(), named.end(), choice.said.text) == named.end()) {
        named.push_back(choice.said.text);
      }
    }
  }
  std::string out = joined(named);
  return out == "extract" ? out + ": no model, no key, no tokens" : out;
}

Result<RunSetup> set_up_run(const Arguments& arguments, const PhaseNeeds& needs,
                            const std::pair<std::string, std::string>& own) {
  block_signals();
  Result<ReadyProviders> models = ready_providers(arguments, needs);
  if (!models) {
    return models.error();
  }
  Result<pipelines::Texts> texts = pipeline_texts(arguments, models.value().choices);
  if (!texts) {
    return texts.error();
  }
  for (const provider::Choice& choice : models.value().also) {
    texts.value().also.push_back(choice.said.text);
  }
  if (!own.first.empty()) {
    texts.value().contract = [own, others = texts.value().contract](std::string_view name) -> Result<std::string> {
      return name == own.first ? read_file(own.second, contract_bytes_max) : others(name);
    };
  }
  return RunSetup{std::move(models).value(), std::move(texts).value()};
}

namespace {

int carry_out(const Arguments& arguments, const RunSetup& setup, RunCommand what, pipelines::Prepared prepared) {
  if (const Result<bool> can = can_be_written(arguments.text("--output")); !can) {
    return fail(can.error());
  }
  what.watching.pipeline = what.pipeline;
  what.watching.request = what.only_here ? std::string() : what.request;
  what.watching.beside = what.pipeline != "workflow";
  const host::AskedOf& models = setup.models.asked_of;
  what.watching.asked_of.insert(what.watching.asked_of.end(), models.begin(), models.end());
  what.watching.before = what.before ? what.before(prepared) : std::string();
  host::Routes routes;
  routes.add(run::EffectKind::model, *setup.models.fulfiller);
  for (const auto& [kind, fulfiller] : what.fulfillers) {
    routes.add(kind, *fulfiller);
  }
  const Result<WatchedRun> run = watch_run(arguments, what.watching, std::move(prepared), routes);
  if (!run) {
    return fail(run.error());
  }
  const bool wants_json = arguments.has("--json") || arguments.text("--format") == "json";
  if (run.value().paused && !wants_json) {
    return exit_undecided;
  }
  const pipelines::Known& known = *pipelines::known_pipeline(what.pipeline);
  const Result<std::string> view = outcome::view_of(known, *run.value().journal);
  if (!view) {
    return fail_by_a_bug(view.error());
  }
  json::Arena arena;
  const Result<json::Value> shown = json::parse(view.value(), arena);
  PLUMB_REQUIRE(static_cast<bool>(shown), "a view is JSON");
  for (const std::string& line : outcome::beside_lines(what.pipeline, shown.value())) {
    complain(line);
  }
  const Result<std::string> out =
      wants_json ? Result<std::string>(view.value() + "\n")
      : what.pipeline == "boundary" && arguments.has("--envelope")
          ? Result<std::string>(outcome::boundary_envelope(shown.value()))
          : outcome::deliverable(known, *run.value().journal, style_for(arguments, STDOUT_FILENO));
  if (!out) {
    return fail_by_a_bug(out.error());
  }
  if (!out.value().empty()) {
    if (const Result<bool> written = write_out(arguments, out.value()); !written) {
      return fail(written.error());
    }
  }
  if (run.value().paused) {
    return exit_undecided;
  }
  if (what.after) {
    const Result<std::string> delivered = outcome::deliverable(known, *run.value().journal, {});
    if (!delivered) {
      return fail_by_a_bug(delivered.error());
    }
    if (const int code = what.after(*run.value().journal, delivered.value()); code != exit_clean) {
      return code;
    }
  }
  const int not_ended = what.told ? what.told(run.value(), shown.value()) : exit_undecided;
  if (run.value().journal->entries().back().kind != run::EntryKind::end) {
    return not_ended;
  }
  const run::Outcome came_to = pipelines::outcome_of(*run.value().journal);
  const bool passes = what.passes_unverified && outcome::is_only_unverified(came_to);
  return passes ? exit_clean : outcome::row_of(came_to.came_to).exit_code;
}

}  // namespace

int run_command(const Arguments& arguments, const RunSetup& setup, RunCommand what) {
  json::Arena request_arena;
  const Result<json::Value> request = json::parse(what.request, request_arena);
  Result<pipelines::Prepared> prepared =
      request ? pipelines::known_pipeline(what.pipeline)->prepare(request.value(), setup.texts)
              : Result<pipelines::Prepared>(request.error());
  if (!prepared) {
    Error error = prepared.error();
    if (what.explain) {
      what.explain(error);
    }
    return fail(error);
  }
  return carry_out(arguments, setup, std::move(what), std::move(prepared).value());
}

int go_on_command(const Arguments& arguments, const RunSetup& setup, RunCommand what) {
  return carry_out(arguments, setup, std::move(what), {});
}

}  // namespace plumb::cli
