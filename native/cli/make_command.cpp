// `plumb make`: a run of the artifact pipeline, watched.
#include <unistd.h>

#include <memory>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/sample/sample.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/config_file.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/file_bytes.hpp"
#include "native/cli/prompt_source.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/watched_run.hpp"
#include "native/host/routes.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t source_bytes_max = std::uint64_t{8} << 20;

struct Flag {
  std::string_view option;  // of the command
  std::string_view member;  // of the request
};

// --option NAME=VALUE: a number where it reads as one, else a text.
Result<std::string> options_of(const Arguments& arguments) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const std::string& one : arguments.list("--option")) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::invalid_argument, "must be NAME=VALUE, for example num_questions=8, not '" + one + "'",
                   "--option", 0, 0};
    }
    const std::string value = one.substr(equals + 1);
    std::uint64_t number = 0;
    json.key(one.substr(0, equals));
    json::read_uint(value, number) ? json.uint(number) : json.string(value);
  }
  json.end_object();
  return out;
}

Result<std::string> request_of(const Arguments& arguments, const std::string& type, const std::string& source) {
  const Result<std::string> options = options_of(arguments);
  if (!options)
    return options.error();
  std::string out;
  json::Writer json(out);
  json.begin_object().member("artifact_type", type).member("content", source);
  json.key("options").raw(options.value());
  if (arguments.has("--token-budget")) {
    const Result<std::uint64_t> budget = arguments.number("--token-budget", 0, 1, 100'000'000);
    if (!budget)
      return budget.error();
    json.member_uint("token_budget", budget.value());
  }
  for (const auto& [option, member] :
       {Flag{"--repair", "repair"}, Flag{"--early-stop", "early_stop"}, Flag{"--on-unverified", "on_unverified"}}) {
    if (arguments.has(option))
      json.member(member, arguments.text(option));
  }
  json.end_object();
  return out;
}

std::string cost_line(const pipelines::Prepared& prepared, const std::vector<provider::Choice>& choices) {
  std::string who;
  for (const std::string_view phase : pipelines::artifact::phase_names) {
    for (const provider::Choice& choice : choices) {
      const std::string name = choice.model.empty() ? choice.provider : choice.provider + "/" + choice.model;
      if (choice.phase == phase && who.find(name) == std::string::npos)
        who += (who.empty() ? "" : ", ") + name;
    }
  }
  const pipelines::artifact::WorstCase worst = pipelines::artifact::worst_case(prepared);
  if (worst.tokens == 0)
    return "with " + who + ": no model, no key, no tokens";
  return "with " + who + ": at most " + std::to_string(worst.calls) + " calls (more only where one fails) and " +
         grouped_digits(worst.budget) + " tokens";
}

int deliver(const Arguments& arguments, const std::string& view, const store::RunRow& row) {
  json::Arena arena;
  const Result<json::Value> seen = json::parse(view, arena);
  PLUMB_REQUIRE(static_cast<bool>(seen), "a view is JSON");
  const json::Value* result = seen.value().find("result");
  std::string out;
  if (arguments.has("--json")) {
    out = view + "\n";
  } else if (result != nullptr) {
    out = sample::indented(json::value_text(*result)) + "\n";
  }
  const std::string file = arguments.text("--output");
  if (!out.empty() && !file.empty()) {
    if (const Result<bool> written = write_file(file, out); !written)
      return fail(written.error());
  } else if (!out.empty() && !write_all(STDOUT_FILENO, out)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  if (row.state == run::State::done) {
    const json::Value* decision = seen.value().find("decision");
    return decision != nullptr && decision->str() == "accept_unverified" ? exit_undecided : exit_clean;
  }
  // An artifact that stayed wrong is a finding; all else was not decided.
  const json::Value* error = seen.value().find("error");
  const bool invalid = error != nullptr && error->str().substr(0, 24) == "Validation failed after ";
  return row.state == run::State::failed && invalid ? exit_findings : exit_undecided;
}

}  // namespace

CommandSpec make_command() {
  CommandSpec c;
  c.path = "make";
  c.summary = "Make a quiz, flashcards, a mindmap or an artifact of your own from a source";
  c.description =
      "Plans, generates, validates and, at most twice, repairs an artifact until it keeps its contract and a judge has "
      "found proof in the source for it. The artifact goes to standard output, what happens to standard error.\n\n"
      "TYPE is quiz, flashcards, mindmap, or one of `artifacts` in plumb.yaml (a contract, and a prompt "
      "artifact-plan-TYPE). Without a provider it works with `extract`, which needs no model, no key and no network. "
      "The run is kept in the store: it can be shown, replayed, and gone on with after a crash ('plumb runs'). Ctrl-C "
      "cancels it.\n\n"
      "Exit code 0: the artifact is good; 1: it was not, after two repairs; 2: it could not be decided (a provider "
      "that "
      "is down, a budget that is spent, a judge that did not settle it), wrong usage.";
  c.arguments = {{"TYPE", "quiz, flashcards, mindmap, or a type of your own.", Completes::nothing, false, true}};
  c.options = {
      {"--source",
       's',
       "FILE",
       {},
       "",
       "The source, Markdown or plain text; - for standard input.",
       Completes::file,
       false},
      {"--option",
       'O',
       "NAME=VALUE",
       {},
       "",
       "num_questions and difficulty of a quiz, num_cards of flashcards, depth of a mindmap.",
       Completes::nothing,
       true},
      {"--output",
       'o',
       "FILE",
       {},
       "",
       "Write the artifact there instead of to standard output.",
       Completes::file,
       false},
      {"--json",
       0,
       "",
       {},
       "",
       "The whole job instead of the artifact: decision, evidence, tokens.",
       Completes::nothing,
       false},
      {"--token-budget",
       0,
       "N",
       {},
       "12000",
       "Tokens of all model calls together; none is made that does not fit.",
       Completes::nothing,
       false},
      {"--repair",
       0,
       "HOW",
       {"whole", "patch"},
       "whole",
       "whole: the artifact is written again; patch: a JSON Patch first, within what is wrong.",
       Completes::choice,
       false},
      {"--early-stop",
       0,
       "WHEN",
       {"degenerate", "finding"},
       "degenerate",
       "Stop a generation that runs in circles, or at the first error that nothing free mends.",
       Completes::choice,
       false},
      {"--on-unverified",
       0,
       "HOW",
       {"fail", "pass"},
       "fail",
       "What becomes of an artifact that the judge did not settle. Passed on, it says so.",
       Completes::choice,
       false},
      {"--contract", 'c', "FILE", {}, "", "The contract of TYPE.", Completes::contract, false},
      prompts_option(),
  };
  for (OptionSpec& one : provider_options({"plan", "generate", "judge", "repair"}))
    c.options.push_back(one);
  c.options.push_back(record_option());
  c.options.push_back(store_option());
  c.options.push_back({"--quiet", 'q', "", {}, "", "No log and no bar.", Completes::nothing, false});
  for (OptionSpec& one : look_options())
    c.options.push_back(one);
  c.options.push_back(help_option());
  c.examples = {"plumb make quiz --source chapter.md", "plumb make quiz --source chapter.md --provider ollama/qwen3:8b",
                "plumb make flashcards -s notes.md -O num_cards=20 -o cards.json"};
  return c;
}

int run_make(const Arguments& arguments) {
  const std::string& type = arguments.positionals().front();
  if (!arguments.has("--source")) {
    return fail(Error{ErrorCode::invalid_argument, "say what to make it from with --source FILE (- for standard input)",
                      "", 0, 0});
  }
  ConfigFile config;
  if (const std::string path = find_config_file(); !path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read)
      return fail(read.error());
    config = std::move(read).value();
  }
  const std::string source_file = arguments.text("--source");
  const Result<std::string> source = read_file(source_file, source_bytes_max);
  if (!source)
    return fail(source.error());
  const Result<PromptSource> prompts = prompt_source(arguments, config.prompts);
  if (!prompts)
    return fail(prompts.error());
  if (arguments.has("--contract"))
    config.artifacts.insert(config.artifacts.begin(), {type, arguments.text("--contract")});

  block_signals();
  PhaseNeeds needs;
  if (arguments.text("--early-stop") == "finding")
    needs.emplace_back("generate", provider::Needs{.streaming = true});
  Result<ReadyProviders> models = ready_providers(arguments, needs);
  if (!models)
    return fail(models.error());
  const Result<std::string> request = request_of(arguments, type, source.value());
  if (!request)
    return fail(request.error());
  json::Arena arena;
  const Result<json::Value> value = json::parse(request.value(), arena);
  if (!value) {
    return fail(Error{ErrorCode::invalid_argument,
                      "is no text in UTF-8; a source is Markdown or plain text (" + value.error().message + ")",
                      source_file, 0, 0});
  }
  const pipelines::Known& known = *pipelines::known_pipeline("artifact");
  Result<pipelines::Prepared> prepared =
      known.prepare(value.value(), pipeline_texts(prompts.value(), config.artifacts, models.value().choices));
  if (!prepared) {
    Error error = prepared.error();
    if (error.where == "/content")
      error.where = source_file;
    return fail(error);
  }
  host::Routes routes;
  routes.add(run::EffectKind::model, *models.value().fulfiller);
  const std::string cost = cost_line(prepared.value(), models.value().choices);
  const Result<WatchedRun> run =
      watch_run(arguments, {.pipeline = "artifact", .before = cost}, std::move(prepared).value(), routes);
  return run ? deliver(arguments, run.value().view, run.value().row) : fail(run.error());
}

}  // namespace plumb::cli
