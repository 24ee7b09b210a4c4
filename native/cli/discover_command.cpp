// `plumb discover`: a discovery run over folders of this machine.
// Over 150 lines, since four kinds of sources are found and named here before there is a run.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <map>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/discovery/reentry.hpp"
#include "core/pipelines/pipelines.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/run_command.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/host/file_reads.hpp"

namespace plumb::cli {

namespace {

constexpr std::array<std::string_view, 7> phases = {"explore", "frame",    "design", "assess",
                                                    "rank",    "validate", "revise"};

constexpr std::uint64_t results_bytes_max = 8U << 20U;

struct Source {
  std::string_view option, name, help;
};
constexpr std::array<Source, 4> sources = {{
    {"--conversations", "conversations", "Exported conversations: NDJSON, JSON, CSV, text."},
    {"--analytics", "analytics", "Exported figures: CSV, JSON, NDJSON."},
    {"--repo", "repo", "A source tree."},
    {"--docs", "docs", "Documents: Markdown, text."},
}};

// The folders that were named, by the name of their root.
Result<std::map<std::string, std::string>> roots_of(const Arguments& arguments) {
  std::map<std::string, std::string> out;
  for (const Source& source : sources) {
    if (!arguments.has(source.option)) {
      continue;
    }
    const std::string folder = arguments.text(source.option);
    struct stat about {};
    if (::stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
      return Error{ErrorCode::invalid_argument, "is not a folder (" + std::string(source.option) + " wants one)",
                   folder, 0, 0};
    }
    out.emplace(source.name, folder);
  }
  if (out.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "say where to look: --conversations DIR, --analytics DIR, --repo DIR or --docs DIR", "", 0, 0};
  }
  return out;
}

Result<std::string> request_of(const Arguments& arguments, const std::map<std::string, std::string>& roots) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("sources").begin_object();
  for (const auto& [name, folder] : roots) {
    json.member(name, name);
  }
  json.end_object().member("target_domain", arguments.text("--domain"));
  json.member_boolean("review", arguments.has("--review"));
  for (const auto& [option, member] :
       {std::pair{"--days", "time_window_days"}, std::pair{"--window", "window_tokens"}}) {
    if (const Result<bool> number = write_number(json, arguments, option, member); !number) {
      return number.error();
    }
  }
  for (const auto& [option, member] : {std::pair{"--scope-dir", "scope_dirs"}, std::pair{"--doc-path", "doc_paths"}}) {
    write_list(json, member, arguments.list(option));
  }
  json.end_object();
  return out;
}

// The request of a run that goes on from one of the store with what experiments have shown.
Result<std::string> reentry_of(const Arguments& arguments) {
  const std::string parent = arguments.text("--go-on");
  if (!arguments.has("--results")) {
    return Error{ErrorCode::invalid_argument, "wants --results FILE: what the experiments have shown", "--go-on", 0, 0};
  }
  const Result<std::string> text = read_file(arguments.text("--results"), results_bytes_max);
  if (!text) {
    return text.error();
  }
  json::Arena arena;
  const Result<json::Value> results = json::parse(text.value(), arena);
  if (!results) {
    Error error = results.error();
    error.where = arguments.text("--results");
    return error;
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store) {
    return store.error();
  }
  const Result<run::JournalFile> file = stored_file(*store.value(), parent);
  if (!file) {
    return file.error();
  }
  const Result<run::Journal> journal = file.value().journal();
  if (!journal) {
    return journal.error();
  }
  Result<std::string> request = pipelines::discovery::reentry_request(journal.value(), results.value());
  if (!request) {
    Error error = request.error();
    error.where = "run " + parent;
    return error;
  }
  return request;
}

// What people decide on is there: the command has done its work, where nobody failed.
int told(const WatchedRun& run, const json::Value& view) {
  if (run.row.state == run::State::waiting) {
    note("people decide now: 'plumb serve', then the page or /api/discovery/runs/" + run.id);
  }
  return json::list_of(view, "failures").empty() ? exit_clean : exit_undecided;
}

}  // namespace

CommandSpec discover_command() {
  CommandSpec c;
  c.path = "discover";
  c.summary = "Find opportunities in conversations, code and documents, and rank them";
  c.description =
      "Explorers read the folders. Their findings become briefs, for which solutions are designed, assessed and ranked "
      "by feasibility. Between stages, the consumer judges what it receives and sends items back for revision ('plumb "
      "boundary').\n\nWithout a provider, the built-in `extract` is used. Its patterns are words shared by many "
      "pieces, marks in code, gaps reported in documents and figures that change, each with quotes; nothing is judged. "
      "The run is kept in the store. With --review, the run waits at the end until people decide, over HTTP or in the "
      "page of 'plumb serve'.\n\nExit code 0: completed, or waiting for review; 2: not completed, or an explorer, "
      "judge or the ranking failed on the way (the report begins with it).";
  for (const Source& source : sources) {
    c.options.push_back({source.option, 0, "DIR", {}, "", source.help, Completes::directory, false});
  }
  c.options.push_back(plain_option("--domain", "TEXT", "A description of the product, for the prompts."));
  c.options.push_back(
      plain_option("--days", "N", "Use only data at most this many days older than the newest. Default: all."));
  c.options.push_back(plain_option("--scope-dir", "FOLDER", "Read only this folder of --repo.", true));
  c.options.push_back(plain_option("--doc-path", "FOLDER", "Read only this folder of --docs.", true));
  c.options.push_back(plain_option("--review", "", "Wait for a human review at the end."));
  c.options.push_back(
      plain_option("--go-on", "RUN", "Continue a completed run with --results. No folder is read again."));
  c.options.push_back({"--results",
                       0,
                       "FILE",
                       {},
                       "",
                       "Results of experiments, as JSON: a list of experiment-result.",
                       Completes::file,
                       false});
  c.options.push_back(
      plain_option("--window", "N",
                   "The context window of the judging model, in tokens. Needed when plumb does not know the model."));
  add_run_options(c, {"explore", "frame", "design", "assess", "rank", "validate", "revise"},
                  "Write to this file instead of standard output.", "Print the whole run instead of the report.");
  c.examples = {"plumb discover --conversations exports/ --repo . --docs docs/",
                "plumb discover --conversations exports/ --provider ollama/qwen3:8b --review",
                "plumb discover --go-on r0123 --results experiments.json --provider ollama/qwen3:8b"};
  return c;
}

int run_discover(const Arguments& arguments) {
  const bool goes_on = arguments.has("--go-on");
  if (arguments.has("--results") && !goes_on) {
    return fail(Error{ErrorCode::invalid_argument, "wants --go-on RUN: the run they belong to", "--results", 0, 0});
  }
  const Result<std::map<std::string, std::string>> roots =
      goes_on ? Result(std::map<std::string, std::string>()) : roots_of(arguments);
  if (!roots) {
    return fail(roots.error());
  }
  const Result<RunSetup> setup = set_up_run(arguments);
  if (!setup) {
    return fail(setup.error());
  }
  Result<std::string> request = goes_on ? reentry_of(arguments) : request_of(arguments, roots.value());
  if (!request) {
    return fail(request.error());
  }
  host::FileReads files(roots.value(), {});
  RunCommand what;
  what.pipeline = "discovery";
  what.request = std::move(request).value();
  what.before = [&](pipelines::Prepared& prepared) {
    // The folders may have changed since a run of the same request: each is its own.
    prepared.fingerprint.clear();
    const std::string who = providers_text(setup.value().models.choices, phases);
    return "with " + who + (who.starts_with("extract:") ? "; patterns by words and counts" : "");
  };
  what.fulfillers = {{run::EffectKind::read, &files}};
  what.watching.asked_of = asked_of_roots(roots.value());
  what.watching.enough = [](const json::Value& view) {
    const json::Value* stage = view.find("current_stage");
    return stage != nullptr && stage->str() == "human_review";
  };
  what.told = told;
  return run_command(arguments, setup.value(), std::move(what));
}

}  // namespace plumb::cli
