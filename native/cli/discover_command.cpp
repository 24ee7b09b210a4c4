// `plumb discover`: a discovery run over folders of this machine.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <map>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/discovery_text.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/file_bytes.hpp"
#include "native/cli/prompt_source.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/watched_run.hpp"
#include "native/host/file_reads.hpp"
#include "native/host/routes.hpp"

namespace plumb::cli {

namespace {

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
    if (!arguments.has(source.option))
      continue;
    const std::string folder = arguments.text(source.option);
    struct stat about {};
    if (::stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
      return Error{ErrorCode::invalid_argument, "is no folder (" + std::string(source.option) + " wants one)", folder,
                   0, 0};
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
  for (const auto& [name, folder] : roots)
    json.member(name, name);
  json.end_object().member("target_domain", arguments.text("--domain"));
  json.member_boolean("review", arguments.has("--review"));
  for (const auto& [option, member] :
       {std::pair{"--days", "time_window_days"}, std::pair{"--window", "window_tokens"}}) {
    if (!arguments.has(option))
      continue;
    const Result<std::uint64_t> number = arguments.number(option, 0, 1, 100'000'000);
    if (!number)
      return number.error();
    json.member_uint(member, number.value());
  }
  for (const auto& [option, member] : {std::pair{"--scope-dir", "scope_dirs"}, std::pair{"--doc-path", "doc_paths"}}) {
    json.key(member).begin_array();
    for (const std::string& folder : arguments.list(option))
      json.string(folder);
    json.end_array();
  }
  json.end_object();
  return out;
}

std::string cost_line(const std::vector<provider::Choice>& choices) {
  std::string who;
  for (const provider::Choice& choice : choices) {
    for (const std::string_view phase : {"explore", "frame", "design", "assess", "rank", "validate", "revise"}) {
      if (choice.phase == phase && who.find(choice.said.text) == std::string::npos)
        who += (who.empty() ? "with " : ", ") + choice.said.text;
    }
  }
  return who == "with extract" ? who + ": no model, no key, no tokens; patterns by words and counts" : who;
}

int deliver(const Arguments& arguments, const WatchedRun& run) {
  json::Arena arena;
  const Result<json::Value> view = json::parse(run.view, arena);
  PLUMB_REQUIRE(static_cast<bool>(view), "a view is JSON");
  const std::string out =
      arguments.has("--json") ? run.view + "\n" : discovery_text(view.value(), style_for(arguments, STDOUT_FILENO));
  const std::string file = arguments.text("--output");
  if (!file.empty()) {
    if (const Result<bool> written = write_file(file, out); !written)
      return fail(written.error());
  } else if (!write_all(STDOUT_FILENO, out)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  if (run.row.state == run::State::waiting)
    note("people decide now: 'plumb serve', then the page or /api/discovery/runs/" + run.id);
  return run.row.state == run::State::done || run.row.state == run::State::waiting ? exit_clean : exit_undecided;
}

OptionSpec option(std::string_view name, std::string_view value, std::string_view help, bool many = false) {
  return {name, 0, value, {}, "", help, Completes::nothing, many};
}

}  // namespace

CommandSpec discover_command() {
  CommandSpec c;
  c.path = "discover";
  c.summary = "Find opportunities in conversations, figures, code and documents, with evidence, and rank them";
  c.description =
      "Explorers read the folders, findings are framed as briefs, solutions are designed and assessed, and what can be "
      "built is ranked. Between the stages the consumer judges what it gets, and has it revised ('plumb boundary').\n\n"
      "Without a provider it works with `extract`: patterns are words that many pieces share, marks in code, gaps told "
      "in documents and figures that change, each with quotes; nobody judges them. The run is kept in the store. With "
      "--review it waits for people at the end, who decide over HTTP or in the page of 'plumb serve'.\n\n"
      "Exit code 0: it came to its end, or waits for people; 2: it did not.";
  for (const Source& source : sources)
    c.options.push_back({source.option, 0, "DIR", {}, "", source.help, Completes::directory, false});
  c.options.push_back(option("--domain", "TEXT", "What the product is, for the prompts."));
  c.options.push_back(
      option("--days", "N", "Only what is at most so many days older than the newest; all by default."));
  c.options.push_back(option("--scope-dir", "FOLDER", "Only this folder of --repo; may be repeated.", true));
  c.options.push_back(option("--doc-path", "FOLDER", "Only this folder of --docs; may be repeated.", true));
  c.options.push_back({"--review", 0, "", {}, "", "Wait for people at the end.", Completes::nothing, false});
  c.options.push_back(
      option("--window", "N", "The window of the model that judges, in tokens, where plumb does not know it."));
  c.options.push_back(
      {"--output", 'o', "FILE", {}, "", "Write there instead of to standard output.", Completes::file, false});
  c.options.push_back(
      {"--json", 0, "", {}, "", "The whole view of the run instead of a report.", Completes::nothing, false});
  c.options.push_back(prompts_option());
  for (OptionSpec& one : provider_options({"explore", "frame", "design", "assess", "rank", "validate", "revise"}))
    c.options.push_back(one);
  c.options.push_back(record_option());
  c.options.push_back(store_option());
  c.options.push_back({"--quiet", 'q', "", {}, "", "No log and no bar.", Completes::nothing, false});
  for (OptionSpec& one : look_options())
    c.options.push_back(one);
  c.options.push_back(help_option());
  c.examples = {"plumb discover --conversations exports/ --repo . --docs docs/",
                "plumb discover --conversations exports/ --provider ollama/qwen3:8b --review"};
  return c;
}

int run_discover(const Arguments& arguments) {
  const Result<std::map<std::string, std::string>> roots = roots_of(arguments);
  if (!roots)
    return fail(roots.error());
  block_signals();
  const Result<ReadyProviders> models = ready_providers(arguments);
  if (!models)
    return fail(models.error());
  const Result<std::string> request = request_of(arguments, roots.value());
  if (!request)
    return fail(request.error());
  const Result<pipelines::Texts> texts = pipeline_texts(arguments, models.value().choices);
  if (!texts)
    return fail(texts.error());
  json::Arena arena;
  const Result<json::Value> value = json::parse(request.value(), arena);
  if (!value)
    return fail(value.error());
  Result<pipelines::Prepared> prepared = pipelines::known_pipeline("discovery")->prepare(value.value(), texts.value());
  if (!prepared)
    return fail(prepared.error());
  // The folders may have changed since a run of the same request: each is its own.
  prepared.value().fingerprint.clear();
  host::FileReads files(roots.value(), {});
  host::Routes routes;
  routes.add(run::EffectKind::model, *models.value().fulfiller);
  routes.add(run::EffectKind::read, files);
  Watching what{.pipeline = "discovery", .before = cost_line(models.value().choices)};
  what.enough = [](const json::Value& view) {
    const json::Value* stage = view.find("current_stage");
    return stage != nullptr && stage->str() == "human_review";
  };
  const Result<WatchedRun> run = watch_run(arguments, what, std::move(prepared).value(), routes);
  return run ? deliver(arguments, run.value()) : fail(run.error());
}

}  // namespace plumb::cli
