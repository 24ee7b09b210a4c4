// `plumb research`: a run of the research pipeline, watched, with the intake's questions asked on the terminal.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/research/research.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/config_file.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/file_bytes.hpp"
#include "native/cli/prompt_source.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/watched_run.hpp"
#include "native/host/routes.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t line_bytes_max = 8'000;

OptionSpec option(std::string_view name, std::string_view value, std::string_view help, bool repeats = false) {
  return {name, 0, value, {}, "", help, Completes::nothing, repeats};
}

void write_texts(json::Writer& json, std::string_view member, const std::vector<std::string>& texts) {
  json.key(member).begin_array();
  for (const std::string& one : texts)
    json.string(one);
  json.end_array();
}

Result<std::string> request_of(const Arguments& arguments, const std::vector<std::string>& providers) {
  std::string question;
  for (const std::string& word : arguments.positionals())
    question += (question.empty() ? "" : " ") + word;
  std::string out;
  json::Writer json(out);
  json.begin_object().member("question", question);
  write_texts(json, "answers", arguments.list("--answer"));
  write_texts(json, "constraints", arguments.list("--constraint"));
  json.member("ask", arguments.has("--no-ask") ? "never" : "person");
  json.key("search").begin_object();
  write_texts(json, "providers", providers);
  if (providers.size() > 1)
    write_texts(json, "lookup", {providers.back()});
  json.end_object().key("limits").begin_object();
  for (const std::string& one : arguments.list("--limit")) {
    const std::size_t equals = one.find('=');
    std::uint64_t number = 0;
    if (equals == std::string::npos || !json::read_uint(one.substr(equals + 1), number)) {
      return Error{ErrorCode::invalid_argument, "must be NAME=NUMBER, for example rounds=2, not '" + one + "'",
                   "--limit", 0, 0};
    }
    json.key(one.substr(0, equals)).uint(number);
  }
  json.end_object();
  if (arguments.has("--token-budget")) {
    const Result<std::uint64_t> budget = arguments.number("--token-budget", 0, 1, 100'000'000);
    if (!budget)
      return budget.error();
    json.member_uint("token_budget", budget.value());
  }
  json.end_object();
  return out;
}

// A line of the terminal; nothing where it ends, or Ctrl-C was pressed.
std::optional<std::string> read_line(const Watching::Interrupted& interrupted) {
  std::string line;
  while (line.size() < line_bytes_max) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (interrupted())
      return std::nullopt;
    if (::poll(&ready, 1, 200) <= 0)
      continue;
    char c = 0;
    if (::read(STDIN_FILENO, &c, 1) != 1)
      return std::nullopt;
    if (c == '\n')
      break;
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
    for (const json::Value& one : view.find("intake")->array())
      answered += one.find("kind")->str() == "intake_answer" ? 1 : 0;
    if (answered < given_.size())
      return given_[answered];
    if (!is_terminal(STDIN_FILENO) || !is_terminal(STDERR_FILENO))
      return std::nullopt;
    std::string text = std::string(asks.find("question")->str()) + "\n";
    std::size_t number = 0;
    for (const json::Value& one : asks.find("options")->array())
      text += "  " + std::to_string(++number) + "  " + std::string(one.str()) + "\n";
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
  for (const json::Value& one : asks.find("options")->array())
    note("  " + std::to_string(++number) + " " + std::string(one.str()));
  note("say it again with --answer \"...\", or --no-ask; the run " + run.id + " waits in the store");
  return exit_undecided;
}

int exit_code(const json::Value& result) {
  if (text_at(result, "ended") != "done")
    return exit_undecided;
  const json::Value* citations = result.find("citations");
  bool good = citations != nullptr && !citations->array().empty();
  for (const json::Value& one : result.find("success_criteria")->array())
    good = good && one.find("met")->boolean;
  return good ? exit_clean : exit_findings;
}

int deliver(const Arguments& arguments, const WatchedRun& run) {
  json::Arena arena;
  const Result<json::Value> view = json::parse(run.view, arena);
  PLUMB_REQUIRE(static_cast<bool>(view), "a view is JSON");
  const json::Value* result = view.value().find("result");
  const std::string out = arguments.has("--json") ? run.view + "\n"
                          : result != nullptr     ? std::string(text_at(*result, "report"))
                                                  : std::string();
  const std::string file = arguments.text("--output");
  if (!out.empty() && !file.empty()) {
    if (const Result<bool> written = write_file(file, out); !written)
      return fail(written.error());
  } else if (!out.empty() && !write_all(STDOUT_FILENO, out)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  if (const json::Value* asks = view.value().find("asks"))
    return waits_for_answer(run, *asks);
  if (result == nullptr || run.row.state != run::State::done) {
    const std::string_view error = text_at(view.value(), "error");
    return error.empty() ? exit_undecided : fail(Error{ErrorCode::unavailable, std::string(error), run.id, 0, 0});
  }
  return exit_code(*result);
}

std::string who_line(const std::vector<provider::Choice>& choices, const std::vector<std::string>& searched) {
  std::string who;
  for (const provider::Choice& choice : choices) {
    const bool asked = std::string_view("intake plan research generate judge").find(choice.phase) != std::string::npos;
    if (asked && who.find(choice.said.text) == std::string::npos)
      who += (who.empty() ? "" : ", ") + choice.said.text;
  }
  std::string where;
  for (const std::string& one : searched)
    where += (where.empty() ? "" : ", ") + one;
  return "with " + who + (who == "extract" ? ": no model, no key, no tokens" : "") + "; searches " + where;
}

}  // namespace

CommandSpec research_command() {
  CommandSpec c;
  c.path = "research";
  c.summary = "Answer a question from a folder of documents, or the web, with a citation for every claim";
  c.description =
      "Takes the question in (and asks, where it is not clear), searches in rounds until it is answered or nothing new "
      "comes, and writes a report in Markdown to standard output. Every claim cites the passage that it is quoted "
      "from, with file and line; one that no quote proves is marked as uncited.\n\n"
      "Without a provider it works with `extract`, which needs no model, no key and no network: it finds and quotes, "
      "it does not reason. The run is kept in the store: it can be shown, replayed, and gone on with ('plumb runs'). "
      "Ctrl-C ends it with what is known.\n\n"
      "Exit code 0: every success criterion is met; 1: one is not, or nothing was found; 2: it could not be decided "
      "(an "
      "answer is waited for, a provider is down, a limit was reached), wrong usage.";
  c.arguments = {{"QUESTION", "What is to be found out.", Completes::nothing, true, true}};
  c.options = search_options();
  c.options.push_back(option("--answer", "TEXT", "The answer to the intake's next question, given beforehand.", true));
  c.options.push_back(option("--no-ask", "", "Ask nothing: go on with the best reading."));
  c.options.push_back(option("--constraint", "TEXT", "What the objective must say: a year, a place, a version.", true));
  c.options.push_back(option("--limit", "NAME=NUMBER",
                             "rounds (10), minutes (15), questions (3 a round), searches_min (3), searches_max (15 a "
                             "question).",
                             true));
  c.options.push_back({"--token-budget",
                       0,
                       "N",
                       {},
                       "200000",
                       "Tokens of all model calls together; none is made that does not fit.",
                       Completes::nothing,
                       false});
  c.options.push_back({"--output",
                       'o',
                       "FILE",
                       {},
                       "",
                       "Write the report there instead of to standard output.",
                       Completes::file,
                       false});
  c.options.push_back(option("--json", "", "The whole run instead of the report: rounds, searches, gates, metrics."));
  c.options.push_back(prompts_option());
  for (OptionSpec& one : provider_options({"intake", "plan", "research", "generate", "judge"}))
    c.options.push_back(one);
  c.options.push_back(record_option());
  c.options.push_back(store_option());
  c.options.push_back({"--quiet", 'q', "", {}, "", "No log and no bar.", Completes::nothing, false});
  for (OptionSpec& one : look_options())
    c.options.push_back(one);
  c.options.push_back(help_option());
  c.examples = {
      "plumb research --corpus /usr/share/doc which option of apt-get removes configuration files",
      "plumb research --corpus docs --provider ollama/qwen3:8b \"What happens to a run after kill -9?\"",
      "plumb research --searxng http://127.0.0.1:8888 --constraint 2023 -o report.md electric cars in Norway"};
  return c;
}

int run_research(const Arguments& arguments) {
  ConfigFile config;
  if (const std::string path = find_config_file(); !path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read)
      return fail(read.error());
    config = std::move(read).value();
  }
  const Result<PromptSource> prompts = prompt_source(arguments, config.prompts);
  if (!prompts)
    return fail(prompts.error());
  block_signals();
  const Result<ReadySearch> searches = ready_search(arguments);
  if (!searches)
    return fail(searches.error());
  if (searches.value().providers.empty()) {
    return fail(
        Error{ErrorCode::invalid_argument, "where is it to be looked for? --corpus DIR, or --searxng URL", "", 0, 0});
  }
  const Result<ReadyProviders> models = ready_providers(arguments);
  if (!models)
    return fail(models.error());
  const Result<std::string> request = request_of(arguments, searches.value().providers);
  if (!request)
    return fail(request.error());
  json::Arena arena;
  const Result<json::Value> value = json::parse(request.value(), arena);
  if (!value)
    return fail(value.error());
  Result<pipelines::Prepared> prepared =
      pipelines::known_pipeline("research")
          ->prepare(value.value(), pipeline_texts(prompts.value(), config.artifacts, models.value().choices));
  if (!prepared)
    return fail(prepared.error());
  host::Routes routes;
  routes.add(run::EffectKind::model, *models.value().fulfiller);
  routes.add(run::EffectKind::search, *searches.value().fulfiller);
  Terminal terminal(arguments);
  Watching what;
  what.pipeline = "research";
  what.before = who_line(models.value().choices, searches.value().providers);
  what.answer = [&terminal](const json::Value& view, const Watching::Interrupted& interrupted) {
    return terminal.answer(view, interrupted);
  };
  const Result<WatchedRun> run = watch_run(arguments, what, std::move(prepared).value(), routes);
  return run ? deliver(arguments, run.value()) : fail(run.error());
}

}  // namespace plumb::cli
