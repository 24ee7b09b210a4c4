// `plumb research`: a run of the research pipeline, watched, with the intake's questions asked on the terminal.
// Over 150 lines, since the dialogue with who sits at the terminal is nobody else's.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/research/research.hpp"
#include "core/wording.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/run_command.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t line_bytes_max = 8'000;

Result<std::string> request_of(const Arguments& arguments, const std::vector<std::string>& providers) {
  std::string question = joined(arguments.positionals(), " ");
  std::string out;
  json::Writer json(out);
  json.begin_object().member("question", question);
  write_list(json, "answers", arguments.list("--answer"));
  write_list(json, "constraints", arguments.list("--constraint"));
  json.member("ask", arguments.has("--no-ask") ? "never" : "person");
  json.key("search").begin_object();
  write_list(json, "providers", providers);
  if (providers.size() > 1) {
    write_list(json, "lookup", {providers.back()});
  }
  json.end_object().key("limits").begin_object();
  for (const std::string& one : arguments.list("--limit")) {
    const Result<std::pair<std::string, std::string>> named =
        named_value("--limit", one, "NAME=NUMBER, for example rounds=2");
    std::uint64_t number = 0;
    if (!named) {
      return named.error();
    }
    if (!json::read_uint(named.value().second, number)) {
      return Error{ErrorCode::invalid_argument, "must be NAME=NUMBER, for example rounds=2, not '" + one + "'",
                   "--limit", 0, 0};
    }
    json.key(named.value().first).uint(number);
  }
  json.end_object();
  if (const Result<bool> budget = write_number(json, arguments, "--token-budget", "token_budget"); !budget) {
    return budget.error();
  }
  json.end_object();
  return out;
}

// A line of the terminal; nothing where it ends, or Ctrl-C was pressed.
std::optional<std::string> read_line(const Watching::Interrupted& interrupted) {
  std::string line;
  while (line.size() < line_bytes_max) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (interrupted()) {
      return std::nullopt;
    }
    if (::poll(&ready, 1, 200) <= 0) {
      continue;
    }
    char c = 0;
    if (::read(STDIN_FILENO, &c, 1) != 1) {
      return std::nullopt;
    }
    if (c == '\n') {
      break;
    }
    line += c;
  }
  return line;
}

// Asks on the terminal. A run that waited already is answered with what the command line gives.
class Terminal {
 public:
  explicit Terminal(const Arguments& arguments) : given_(arguments.list("--answer")) {}

  std::optional<std::string> answer(const json::Value& view, const Watching::Interrupted& interrupted) {
    const json::Value& asks = *view.find("asks");
    std::size_t answered = 0;
    for (const json::Value& one : view.find("intake")->array()) {
      answered += one.find("kind")->str() == "intake_answer" ? 1 : 0;
    }
    if (answered < given_.size()) {
      return given_[answered];
    }
    if (!is_terminal(STDIN_FILENO) || !is_terminal(STDERR_FILENO)) {
      return std::nullopt;
    }
    std::string text = std::string(asks.find("question")->str()) + "\n";
    std::size_t number = 0;
    for (const json::Value& one : asks.find("options")->array()) {
      text += "  " + std::to_string(++number) + "  " + std::string(one.str()) + "\n";
    }
    write_all(STDERR_FILENO, text + (number > 0 ? "number> " : "> "));
    return read_line(interrupted);
  }

 private:
  std::vector<std::string> given_;
};

std::string_view text_at(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found == nullptr ? std::string_view() : found->str();
}

int waits_for_answer(const WatchedRun& run, const json::Value& asks) {
  note("it waits for an answer: " + std::string(text_at(asks, "question")));
  std::size_t number = 0;
  for (const json::Value& one : asks.find("options")->array()) {
    note("  " + std::to_string(++number) + " " + std::string(one.str()));
  }
  note("say it again with --answer \"...\", or --no-ask; the run " + run.id + " waits in the store");
  return exit_undecided;
}

int told(const WatchedRun& run, const json::Value& view) {
  if (const json::Value* asks = view.find("asks")) {
    return waits_for_answer(run, *asks);
  }
  if (const std::string_view error = text_at(view, "error"); !error.empty() && run.row.state != run::State::done) {
    return fail(Error{ErrorCode::unavailable, std::string(error), run.id, 0, 0});
  }
  return exit_undecided;
}

std::string who_line(const std::vector<provider::Choice>& choices, const std::vector<std::string>& searched,
                     const pipelines::research::WorstCase& worst) {
  std::string where = joined(searched);
  return "with " + providers_text(choices, pipelines::research::phase_names) + "; searches " + where +
         (worst.budget == 0 ? ""
                            : ": at most " + grouped_digits(worst.calls) + " calls (more only where one fails) and " +
                                  grouped_digits(worst.budget) + " tokens");
}

}  // namespace

CommandSpec research_command() {
  CommandSpec c;
  c.path = "research";
  c.summary = "Answer a question from documents or the web, with cited claims";
  c.description =
      "Clarifies the question, asking you if needed. Searches in rounds until it is answered or nothing new is found. "
      "Writes a Markdown report to standard output. Every claim cites the passage it is quoted from, with file and "
      "line; a claim that no quote proves is marked as uncited.\n\nWithout a provider, the built-in `extract` is used; "
      "it needs no model, key or network. It finds and quotes, but does not reason. The run is kept in the store, so "
      "it can be shown, replayed and resumed ('plumb runs'). Ctrl-C ends it with the results so far.\n\nExit code 0: "
      "every success criterion is met, and a quote contains what was asked for; 1: a criterion is not met, or nothing "
      "was found; 2: undecided, or wrong usage. The result is undecided if no quote states the answer (the nearest "
      "passages are shown), only the model says that a criterion is met, or no question passed its gates. It is also "
      "undecided if an answer is awaited, a provider or the search is down, or a limit was reached.";
  c.arguments = {{"QUESTION", "The question.", Completes::nothing, true, true}};
  c.options = search_options();
  c.options.push_back(plain_option("--answer", "TEXT", "Answer a question of the intake in advance.", true));
  c.options.push_back(plain_option("--no-ask", "", "Do not ask; continue with the best interpretation."));
  c.options.push_back(plain_option("--constraint", "TEXT",
                                   "A detail that the objective must contain: a year, a place, a version.", true));
  c.options.push_back(plain_option(
      "--limit", "NAME=NUMBER",
      "rounds (10), minutes (15), questions (3 per round), searches_min (3), searches_max (15 per question).", true));
  c.options.push_back(token_budget_option("200000"));
  add_run_options(c, {"intake", "brain", "researcher", "finish"},
                  "Write the report to this file instead of standard output.",
                  "Print the whole run instead of the report: rounds, searches, gates, metrics.");
  c.examples = {
      "plumb research --corpus /usr/share/doc which option of apt-get removes configuration files",
      "plumb research --corpus docs --provider ollama/qwen3:8b \"What happens to a run after kill -9?\"",
      "plumb research --searxng http://127.0.0.1:8888 --constraint 2023 -o report.md electric cars in Norway"};
  return c;
}

int run_research(const Arguments& arguments) {
  const Result<RunSetup> setup = set_up_run(arguments);
  if (!setup) {
    return fail(setup.error());
  }
  const Result<ReadySearch> searches = ready_search(arguments);
  if (!searches) {
    return fail(searches.error());
  }
  if (searches.value().providers.empty()) {
    return fail(
        Error{ErrorCode::invalid_argument, "where is it to be looked for? --corpus DIR, or --searxng URL", "", 0, 0});
  }
  // Not in the time of the first search, which has a bound.
  if (searches.value().corpus) {
    if (const Result<search::Refresh> indexed = index_now(*searches.value().corpus); !indexed) {
      return fail(indexed.error());
    }
  }
  Result<std::string> request = request_of(arguments, searches.value().providers);
  if (!request) {
    return fail(request.error());
  }
  Terminal terminal(arguments);
  RunCommand what;
  what.pipeline = "research";
  what.request = std::move(request).value();
  what.before = [&](pipelines::Prepared& prepared) {
    return who_line(setup.value().models.choices, searches.value().providers,
                    pipelines::research::worst_case(prepared));
  };
  what.fulfillers = {{run::EffectKind::search, searches.value().fulfiller.get()}};
  what.watching.asked_of = searches.value().asked_of;
  what.watching.answer = [&terminal](const json::Value& view, const Watching::Interrupted& interrupted) {
    return terminal.answer(view, interrupted);
  };
  what.told = told;
  return run_command(arguments, setup.value(), std::move(what));
}

}  // namespace plumb::cli
