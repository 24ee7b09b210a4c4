// `plumb make`: a run of the artifact pipeline, watched.
// Over 150 lines, since the help of its types' options is here beside what reads them.
#include <algorithm>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/prompt.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/run_command.hpp"
#include "native/cli/terminal.hpp"
#include "native/outcome/exported.hpp"
#include "native/search/document_file.hpp"
#include "native/search/source_text.hpp"

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
  for (const auto& [option, member] : {Flag{"--repair", "repair"}, Flag{"--early-stop", "early_stop"},
                                       Flag{"--on-unverified", "on_unverified"}, Flag{"--language", "language"}}) {
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

struct Export {
  const exports::Format* format = nullptr;
  std::string file;
};

// Whether a format is for another built-in type than this one. A type of the user's may have the form of any.
bool is_for_another(const exports::Format& format, std::string_view type) {
  return !format.artifact.empty() && format.artifact != type &&
         std::any_of(exports::formats().begin(), exports::formats().end(),
                     [type](const exports::Format& one) { return one.artifact == type; });
}

// --export FORMAT=FILE, checked before a call is paid for.
Result<std::vector<Export>> exports_of(const Arguments& arguments, std::string_view type) {
  std::vector<Export> out;
  for (const std::string& one : arguments.list("--export")) {
    const Result<std::pair<std::string, std::string>> named =
        named_value("--export", one, "FORMAT=FILE, for example gift=quiz.gift.txt");
    if (!named) {
      return named.error();
    }
    const Result<const exports::Format*> format = outcome::export_format(named.value().first);
    if (!format) {
      Error error = format.error();
      error.where = "--export";
      return error;
    }
    if (is_for_another(*format.value(), type)) {
      return Error{ErrorCode::invalid_argument,
                   named.value().first + " is a format for the type " + std::string(format.value()->artifact) +
                       ", and this makes " + std::string(type),
                   "--export", 0, 0};
    }
    if (const Result<bool> can = can_be_written(named.value().second); !can) {
      return can.error();
    }
    out.push_back({format.value(), named.value().second});
  }
  return out;
}

int write_exports(const std::vector<Export>& wanted, const run::Journal& journal, const std::string& delivered) {
  if (delivered.empty() || wanted.empty()) {
    return exit_clean;  // the run made nothing to export, and says so
  }
  if (const std::string mark = outcome::export_mark(journal); !mark.empty()) {
    complain("exported with this mark: " + mark);
  }
  int code = exit_clean;
  for (const Export& one : wanted) {
    const Result<std::string> text =
        outcome::exported(*pipelines::known_pipeline("artifact"), journal, delivered, *one.format);
    const Result<bool> written = text ? write_file(one.file, text.value()) : Result<bool>(text.error());
    code = written ? code : fail(written.error());
  }
  return code;
}

}  // namespace

CommandSpec make_command() {
  CommandSpec c;
  c.path = "make";
  c.summary = "Make a quiz, flashcards, a mindmap or an artifact of your own from a source";
  c.description =
      "Plans and generates an artifact, and repairs it at most twice, until it satisfies its contract and a judge has "
      "found evidence in the source. The artifact goes to standard output, progress to standard error.\n\nTYPE is "
      "quiz, flashcards, mindmap, or a type under `artifacts` in plumb.yaml (a contract, and a prompt "
      "artifact-plan-TYPE). Without a provider, the built-in `extract` is used; it needs no model, key or network. The "
      "run is kept in the store, so it can be shown, replayed, and resumed after a crash ('plumb runs'). Ctrl-C "
      "cancels it.\n\nA number given with -O is required: fewer items are a failure. With --salvage the remaining "
      "items are still written, with exit code 1.\n\nExit code 0: the artifact is good; 1: it was not, after two "
      "repairs; 2: undecided (a provider is down, a budget is spent, the judge could not settle it), or wrong usage.";
  c.arguments = {{"TYPE", "quiz, flashcards, mindmap, or a type of your own.", Completes::nothing, false, true}};
  c.options = {
      {"--source",
       's',
       "FILE",
       {},
       "",
       "The source: Markdown, plain text, HTML or PDF (read with pdftotext); - for standard input.",
       Completes::file,
       false},
      {"--language",
       0,
       "TAG",
       {},
       "the source's, if it is evident",
       "The language to write in: a BCP 47 tag such as de or fr.",
       Completes::nothing,
       false},
      {"--encoding",
       0,
       "NAME",
       {},
       "utf-8",
       "The encoding of the source, for example windows-1252 or utf-16.",
       Completes::nothing,
       false},
      {"--option", 'O', "NAME=VALUE", {}, "", options_help(), Completes::nothing, true},
      token_budget_option("60,000 and 8 times the source"),
      {"--repair",
       0,
       "HOW",
       {"whole", "patch"},
       "whole",
       "whole: rewrite the artifact. patch: first try a JSON Patch limited to the problems.",
       Completes::choice,
       false},
      {"--early-stop",
       0,
       "WHEN",
       {"degenerate", "finding"},
       "degenerate",
       "Stop a generation that loops, or at its first error that no free edit can fix.",
       Completes::choice,
       false},
      {"--on-unverified",
       0,
       "HOW",
       {"fail", "pass"},
       "fail",
       "What to do with an artifact that the judge could not settle. If passed on, it is marked.",
       Completes::choice,
       false},
      {"--salvage",
       0,
       "",
       {},
       "",
       "If fewer items than requested remain at the end, write those, with exit code 1.",
       Completes::nothing,
       false},
      {"--contract", 'c', "FILE", {}, "", "The contract for TYPE.", Completes::contract, false},
      {"--export",
       0,
       "FORMAT=FILE",
       {},
       "",
       "Also write the accepted artifact in the format of another program ('plumb help export' lists them).",
       Completes::file,
       true},
  };
  add_run_options(c, {"plan", "generate", "judge", "repair"},
                  "Write the artifact to this file instead of standard output.",
                  "Print the whole job instead of the artifact: decision, evidence, tokens.");
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
  const Result<std::vector<Export>> wanted = exports_of(arguments, type);
  if (!wanted) {
    return fail(wanted.error());
  }
  const std::string source_file = arguments.text("--source");
  Result<std::string> source = read_file(source_file, search::FileLimits{}.file_bytes_max);
  if (!source) {
    return fail(source.error());
  }
  source = search::source_text(source_file, std::move(source).value(), arguments.text("--encoding"));
  if (source && source.value().size() > source_bytes_max) {
    source = Error{ErrorCode::limit, "has more than 8 MB of text, the most that a source may have", "", 0, 0};
  }
  if (!source) {
    Error error = source.error();
    error.where = source_file;
    return fail(error);
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
  RunCommand what;
  what.pipeline = "artifact";
  what.request = std::move(request).value();
  what.explain = [&source_file](Error& error) {
    if (error.where == "/content") {
      error.where = source_file;
    } else if (error.where == "/language") {
      error.where = "--language";
    }
  };
  what.after = [&](const run::Journal& journal, const std::string& delivered) {
    return write_exports(wanted.value(), journal, delivered);
  };
  what.before = [&](pipelines::Prepared& prepared) { return cost_line(prepared, setup.value().models.choices); };
  return run_command(arguments, setup.value(), std::move(what));
}

}  // namespace plumb::cli
