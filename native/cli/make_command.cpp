// `plumb make`: a run of the artifact pipeline, watched.
// Over 150 lines, since the help of its types' options is here beside what reads them.
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/prompt.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/run_command.hpp"
#include "native/cli/terminal.hpp"

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
    const Result<std::pair<std::string, std::string>> named =
        named_value("--option", one, "NAME=VALUE, for example num_questions=8");
    if (!named) {
      return named.error();
    }
    const auto& [name, value] = named.value();
    std::uint64_t number = 0;
    json.key(name);
    json::read_uint(value, number) ? json.uint(number) : json.string(value);
  }
  json.end_object();
  return out;
}

Result<std::string> request_of(const Arguments& arguments, const std::string& type, const std::string& source) {
  const Result<std::string> options = options_of(arguments);
  if (!options) {
    return options.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("artifact_type", type).member("content", source);
  json.key("options").raw(options.value());
  if (const Result<bool> budget = write_number(json, arguments, "--token-budget", "token_budget"); !budget) {
    return budget.error();
  }
  if (arguments.has("--salvage")) {
    json.member_boolean("salvage", true);
  }
  for (const auto& [option, member] :
       {Flag{"--repair", "repair"}, Flag{"--early-stop", "early_stop"}, Flag{"--on-unverified", "on_unverified"}}) {
    if (arguments.has(option)) {
      json.member(member, arguments.text(option));
    }
  }
  json.end_object();
  return out;
}

std::string cost_line(const pipelines::Prepared& prepared, const std::vector<provider::Choice>& choices) {
  std::string who = "with " + providers_text(choices, pipelines::artifact::phase_names);
  const pipelines::artifact::WorstCase worst = pipelines::artifact::worst_case(prepared);
  if (worst.tokens == 0) {
    return who;
  }
  return who + ": at most " + std::to_string(worst.calls) + " calls (more only where one fails) and " +
         grouped_digits(worst.budget) + " tokens";
}

// "num_questions (1 to 50, 5), difficulty (medium) of a quiz", of every type, as the prompts say.
std::string_view options_help() {
  static const std::string help = [] {
    std::string out;
    for (const pipelines::BuiltInPrompt& one : pipelines::built_in_prompts()) {
      constexpr std::string_view before = "artifact-plan-";
      if (!one.name.starts_with(before)) {
        continue;
      }
      const Result<pipelines::Prompt> prompt = pipelines::read_prompt(one.name, one.text, one.name, {});
      if (prompt) {
        out += (out.empty() ? "" : "; ") + std::string(one.name.substr(before.size())) + ": " +
               pipelines::options_words(prompt.value());
      }
    }
    return "What the plan of the type takes. " + out + ". A number that is given binds.";
  }();
  return help;
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
      "A number that is given with -O binds: fewer items than that are no success. With --salvage those that are left "
      "are given out all the same, with exit code 1.\n\n"
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
      {"--option", 'O', "NAME=VALUE", {}, "", options_help(), Completes::nothing, true},
      token_budget_option("60,000 and 8 times the source"),
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
      {"--salvage",
       0,
       "",
       {},
       "",
       "Where fewer items than asked for are left at the end, give those out; exit code 1.",
       Completes::nothing,
       false},
      {"--contract", 'c', "FILE", {}, "", "The contract of TYPE.", Completes::contract, false},
  };
  add_run_options(c, {"plan", "generate", "judge", "repair"}, "Write the artifact there instead of to standard output.",
                  "The whole job instead of the artifact: decision, evidence, tokens.");
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
  const std::string source_file = arguments.text("--source");
  const Result<std::string> source = read_file(source_file, source_bytes_max);
  if (!source) {
    return fail(source.error());
  }
  PhaseNeeds needs;
  if (arguments.text("--early-stop") == "finding") {
    needs.emplace_back("generate", provider::Needs{.streaming = true});
  }
  std::pair<std::string, std::string> own;
  if (arguments.has("--contract")) {
    own = {type, arguments.text("--contract")};
  }
  const Result<RunSetup> setup = set_up_run(arguments, needs, own);
  if (!setup) {
    return fail(setup.error());
  }
  Result<std::string> request = request_of(arguments, type, source.value());
  if (!request) {
    return fail(request.error());
  }
  json::Arena arena;
  if (const Result<json::Value> value = json::parse(request.value(), arena); !value) {
    return fail(Error{ErrorCode::invalid_argument,
                      "is no text in UTF-8; a source is Markdown or plain text (" + value.error().message + ")",
                      source_file, 0, 0});
  }
  RunCommand what;
  what.pipeline = "artifact";
  what.request = std::move(request).value();
  what.explain = [&source_file](Error& error) {
    if (error.where == "/content") {
      error.where = source_file;
    }
  };
  what.before = [&](pipelines::Prepared& prepared) { return cost_line(prepared, setup.value().models.choices); };
  return run_command(arguments, setup.value(), std::move(what));
}

}  // namespace plumb::cli
