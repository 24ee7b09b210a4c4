// `plumb workflow run | plan | promote | answer`: runs of the pipeline `workflow`, begun and gone on with.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/ascii.hpp"
#include "core/json/members.hpp"
#include "core/workflow/gate_results.hpp"
#include "core/workflow/plan.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/yaml_json.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/git/checkout.hpp"
#include "native/workflow/results.hpp"

namespace plumb::cli {

namespace {

using json::text_of;

constexpr std::uint64_t plan_bytes_max = std::uint64_t{4} << 20U;
constexpr std::size_t line_bytes_max = 4'000;
constexpr std::array<std::string_view, 3> phases = {"plan", "develop", "review"};

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

std::string user_name() {
  const char* user = std::getenv("USER");
  return user == nullptr || *user == '\0' ? "somebody" : user;
}

// "retry leave the tests alone" or "2 it is good enough", as an answer.
std::string answer_json(const std::string& decision, const std::string& words, const std::string& by,
                        const std::string& model) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("decision", decision);
  if (!words.empty()) {
    json.member("words", words);
  }
  if (!model.empty()) {
    json.member("model", model);
  }
  json.member("by", by).end_object();
  return out;
}

// What a person is to know, for a terminal: what gates and models said must not move its cursor or name its window.
std::string shown_text(std::string_view text) {
  constexpr std::size_t shown_max = 16'000;
  const std::string whole = workflow::first_and_last(text, shown_max);
  std::string out;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto byte = static_cast<unsigned char>(whole[i]);
    const auto next = static_cast<unsigned char>(i + 1 < whole.size() ? whole[i + 1] : 0);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      ++i;  // U+0080 to U+009F
    } else if (byte >= 0x20 ? byte != 0x7F : byte == '\n' || byte == '\t') {
      out += whole[i];
    }
  }
  return out.empty() || out.back() == '\n' ? out : out + "\n";
}

// Asks who sits at the terminal; nothing where nobody does.
std::optional<std::string> asked_at_terminal(const ReadyWork& work, const json::Value& view,
                                             const Watching::Interrupted& interrupted) {
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDERR_FILENO)) {
    return std::nullopt;
  }
  const json::Value& asks = *view.find("asks");
  std::string text = shown_text(text_of(asks, "text")) + shown_text(text_of(asks, "question"));
  if (const std::string_view tree = text_of(asks, "tree"); !tree.empty()) {
    text += "Its files lie in " + work.folders->tree(text_of(view, "run_id"), tree) + "\n";
  }
  std::size_t number = 0;
  for (const json::Value& one : json::list_of(asks, "options")) {
    text += "  " + std::to_string(++number) + "  " + std::string(one.str()) + "\n";
  }
  write_all(STDERR_FILENO, text + "number, and words> ");
  const std::optional<std::string> line = read_line(interrupted);
  if (!line || line->empty()) {
    return std::nullopt;
  }
  const std::size_t blank = std::min(line->find(' '), line->size());
  const std::string words = blank < line->size() ? line->substr(blank + 1) : std::string();
  const std::string first = line->substr(0, blank);
  const bool model = first == "model" || first == "4";
  return answer_json(first, model ? "" : words, user_name(), model ? words : "");
}

int waits(const WatchedRun& run, const json::Value& asks, const ReadyWork& work) {
  note("it waits: " + std::string(text_of(asks, "question")));
  if (const std::string_view tree = text_of(asks, "tree"); !tree.empty()) {
    note("its files lie in " + work.folders->tree(run.id, tree));
  }
  std::string options;
  for (const json::Value& one : json::list_of(asks, "options")) {
    options += (options.empty() ? "" : " | ") + std::string(one.str());
  }
  note("plumb workflow answer " + run.id + " [" + options + "] [--words TEXT] [--by NAME]");
  return exit_undecided;
}

int told(const ReadyWork& work, const WatchedRun& run, const json::Value& view) {
  if (const json::Value* asks = view.find("asks")) {
    return waits(run, *asks, work);
  }
  if (const std::string_view error = text_of(view, "error"); !error.empty() && run.row.state != run::State::done) {
    return fail(Error{ErrorCode::unavailable, std::string(error), run.id, 0, 0});
  }
  return exit_undecided;
}

struct Ready {
  RunSetup setup;
  ReadyWork work;
};
Result<Ready> set_up(const Arguments& arguments) {
  Result<RunSetup> setup = set_up_run(arguments);
  if (!setup) {
    return setup.error();
  }
  Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return work.error();
  }
  for (const std::string& one : work.value().told) {
    note(one);
  }
  Ready out{std::move(setup).value(), std::move(work).value()};
  out.work.tell(out.setup.texts);
  return out;
}

RunCommand command_of(const Arguments& arguments, Ready& ready) {
  RunCommand what;
  what.pipeline = "workflow";
  what.fulfillers = {{run::EffectKind::command, ready.work.command.get()},
                     {run::EffectKind::worktree, ready.work.worktree.get()}};
  what.watching.pipeline = "workflow";
  what.watching.asked_of = ready.work.asked_of;
  what.watching.answer = [&work = ready.work](const json::Value& view, const Watching::Interrupted& interrupted) {
    return asked_at_terminal(work, view, interrupted);
  };
  what.passes_unverified = arguments.text("--on-unverified", ready.work.here().section.on_unverified) == "pass";
  what.told = [&work = ready.work](const WatchedRun& run, const json::Value& view) {
    if (const Result<bool> learnt = workflow::learn(work.repositories.at(work.here()), view); !learnt) {
      note(error_line(learnt.error()));
    }
    return told(work, run, view);
  };
  return what;
}

// What the run begins at, as a commit: the same plan is another job once something was committed. A name that stands
// for none is reported where the base is opened.
std::string commit_at(const Arguments& arguments) {
  std::string said = arguments.text("--at");
  const Result<git::Users> users = git::find_repository(repository_of(arguments));
  if (!users) {
    return said;
  }
  const Result<std::string> commit = git::commit_of(users.value().git_dir, said.empty() ? "HEAD" : said, true);
  return commit && !commit.value().empty() ? commit.value() : said;
}

Result<std::string> request_of(const Arguments& arguments) {
  const bool drafts = arguments.command()->path == "workflow plan";
  std::string out;
  json::Writer json(out);
  json.begin_object().member("repository", "here");
  if (arguments.has("--task")) {
    const Result<workflow::Plan> plan = workflow::plan_of_one(arguments.text("--task"), arguments.list("--files"));
    if (!plan) {
      return plan.error();
    }
    json.key("plan").raw(workflow::plan_json(plan.value()));
  } else if (arguments.positionals().empty()) {
    return Error{ErrorCode::invalid_argument, "a plan's file, or --task TEXT with --files GLOB", "", 0, 0};
  } else if (const std::string& said = arguments.positionals().front(); drafts && ::access(said.c_str(), F_OK) != 0) {
    json.member("idea", said);
  } else {
    const Result<std::string> plan = plan_file(said);
    if (!plan) {
      return plan.error();
    }
    json.key("plan").raw(plan.value());
  }
  json.member_boolean("promoted", !drafts);
  for (const auto& [option, member] : {std::pair{"--developer", "developer"}, std::pair{"--reviewer", "reviewer"},
                                       std::pair{"--base-failures", "base_failures"}}) {
    if (arguments.has(option)) {
      json.member(member, arguments.text(option));
    }
  }
  if (const std::string at = drafts ? arguments.text("--at") : commit_at(arguments); !at.empty()) {
    json.member("at", at);
  }
  if (const Result<bool> budget = write_number(json, arguments, "--token-budget", "token_budget"); !budget) {
    return budget.error();
  }
  json.end_object();
  return out;
}

}  // namespace

std::string repository_of(const Arguments& arguments) { return absolute_path(arguments.text("--repo", ".")); }

Result<std::string> plan_file(const std::string& path) {
  const Result<std::string> text = read_file(path, plan_bytes_max);
  if (!text) {
    return text.error();
  }
  const std::size_t first = text.value().find_first_not_of(ascii::spaces);
  if (first != std::string::npos && text.value()[first] == '{') {
    json::Arena arena;
    const Result<json::Value> read = json::parse(text.value(), arena);
    if (!read) {
      Error error = read.error();
      error.where = path;
      return error;
    }
    return text.value();
  }
  std::string out;
  const std::optional<Error> error = read_yaml(path, text.value(), [&](const YAML::Node& root) -> std::optional<Error> {
    out = yaml_json(root);
    return std::nullopt;
  });
  if (error) {
    return *error;
  }
  return out;
}

Result<run::Journal> workflow_journal(const Arguments& arguments, std::string& id) {
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store) {
    return store.error();
  }
  if (!arguments.positionals().empty()) {
    id = arguments.positionals().front();
  } else {
    store::ListQuery query;
    query.pipeline = "workflow";
    const Result<store::Page> page = store.value()->list(query);
    if (!page) {
      return page.error();
    }
    if (page.value().runs.empty()) {
      return Error{ErrorCode::not_found, "there is no run of a workflow in the store", "", 0, 0};
    }
    id = page.value().runs.front().id;
  }
  const Result<run::JournalFile> file = stored_file(*store.value(), id);
  if (!file) {
    return file.error();
  }
  Result<run::Journal> journal = file.value().journal();
  if (journal && journal.value().begin().name != "workflow") {
    return Error{ErrorCode::invalid_argument, "is a run of '" + journal.value().begin().name + "'", "run " + id, 0, 0};
  }
  return journal;
}

int run_workflow_run(const Arguments& arguments) {
  Result<Ready> ready = set_up(arguments);
  if (!ready) {
    return fail(ready.error());
  }
  Result<std::string> request = request_of(arguments);
  if (!request) {
    return fail(request.error());
  }
  RunCommand what = command_of(arguments, ready.value());
  what.request = std::move(request).value();
  what.before = [&](pipelines::Prepared& prepared) {
    const json::Value& input = prepared.input.value();
    const std::string_view developer = text_of(input, "developer");
    const bool model = developer == "model" || text_of(input, "reviewer") == "model";
    return "developer " + std::string(developer == "command" ? text_of(input, "developer_name") : developer) +
           ", reviewer " + std::string(text_of(input, "reviewer")) +
           (model ? ", with " + providers_text(ready.value().setup.models.choices, phases) : "");
  };
  return run_command(arguments, ready.value().setup, std::move(what));
}

int run_workflow_answer(const Arguments& arguments) {
  const bool promotes = arguments.command()->path == "workflow promote";
  if (arguments.positionals().size() < (promotes ? 1U : 2U)) {
    return fail(Error{ErrorCode::invalid_argument, promotes ? "the run of a plan" : "a run and an answer", "", 0, 0});
  }
  const std::string& id = arguments.positionals().front();
  std::string key;
  {
    std::string found = id;
    const Result<run::Journal> journal = workflow_journal(arguments, found);
    if (!journal) {
      return fail(journal.error());
    }
    const run::Data view = run::Data::written(pipelines::known_pipeline("workflow")->view(journal.value()));
    const json::Value* asks = view.value().find("asks");
    if (asks == nullptr) {
      return fail(Error{ErrorCode::not_found, "waits for nobody's answer", "run " + id, 0, 0});
    }
    if (promotes != (text_of(*asks, "work") == "promote")) {
      return fail(
          Error{ErrorCode::invalid_argument, "it asks: " + std::string(text_of(*asks, "question")), "run " + id, 0, 0});
    }
    key = text_of(*asks, "key");
  }
  Result<Ready> ready = set_up(arguments);
  if (!ready) {
    return fail(ready.error());
  }
  RunCommand what = command_of(arguments, ready.value());
  what.watching.resumes = id;
  const std::string said = answer_json(promotes ? "promote" : arguments.positionals()[1], arguments.text("--words"),
                                       arguments.text("--by", user_name()), arguments.text("--model"));
  what.watching.answer = [said, key, given = false, &work = ready.value().work](
                             const json::Value& view, const Watching::Interrupted& interrupted) mutable {
    if (!given && text_of(*view.find("asks"), "key") == key) {
      given = true;
      return std::optional(said);
    }
    return asked_at_terminal(work, view, interrupted);
  };
  return go_on_command(arguments, ready.value().setup, std::move(what));
}

int run_workflow(const Arguments& arguments) {
  const std::string_view path = arguments.command()->path;
  struct Row {
    std::string_view path;
    int (*runs)(const Arguments&);
  };
  constexpr std::array<Row, 14> rows = {{{"workflow init", run_workflow_init},
                                         {"workflow trust", run_workflow_trust},
                                         {"workflow plan", run_workflow_run},
                                         {"workflow promote", run_workflow_answer},
                                         {"workflow run", run_workflow_run},
                                         {"workflow check", run_workflow_check},
                                         {"workflow prove", run_workflow_prove},
                                         {"workflow status", run_workflow_status},
                                         {"workflow diff", run_workflow_diff},
                                         {"workflow answer", run_workflow_answer},
                                         {"workflow land", run_workflow_land},
                                         {"workflow clean", run_workflow_clean},
                                         {"workflow sops", run_workflow_sops},
                                         {"workflow conventions", run_workflow_conventions}}};
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& one) { return one.path == path; });
  git::remember_checkouts();
  return found == rows.end() ? exit_undecided
                             : found->runs(arguments.with_config_folder(git::top_of(repository_of(arguments))));
}

}  // namespace plumb::cli
