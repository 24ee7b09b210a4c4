// `plumb boundary`: items over one boundary.
#include <unistd.h>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
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

constexpr std::uint64_t items_bytes_max = std::uint64_t{64} << 20;
constexpr std::string_view contract_name = "boundary-contract";

std::string told_at(const std::string& file, std::size_t line) { return file + ":" + std::to_string(line); }

// The items as one JSON list: as they are, or a value on each line.
Result<std::string> items_of(const std::string& file, const std::string& text) {
  json::Arena arena;
  const Result<json::Value> whole = json::parse(text, arena);
  if (whole && whole.value().is(json::Kind::array))
    return text;
  if (whole)
    return "[" + text + "]";
  std::string out = "[";
  std::size_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string_view line = std::string_view(text).substr(from, to - from);
    from = to + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    json::Arena of_line;
    if (const Result<json::Value> value = json::parse(line, of_line); !value) {
      // A list over several lines has its own place of what is wrong.
      if (text[text.find_first_not_of(" \t\r\n")] == '[')
        return Error{ErrorCode::invalid_argument, whole.error().message, file, whole.error().line,
                     whole.error().column};
      return Error{ErrorCode::invalid_argument,
                   "is neither a JSON list nor a JSON value on each line: " + value.error().message,
                   told_at(file, number), 0, 0};
    }
    out += (out.size() == 1 ? "" : ",") + std::string(line);
  }
  return out + "]";
}

Result<std::string> json_file(const std::string& file) {
  Result<std::string> text = read_file(file, items_bytes_max);
  if (!text)
    return text;
  json::Arena arena;
  if (const Result<json::Value> value = json::parse(text.value(), arena); !value) {
    return Error{ErrorCode::invalid_argument, "is no JSON: " + value.error().message, file, value.error().line,
                 value.error().column};
  }
  return text;
}

void write_party(json::Writer& json, std::string_view member, const Arguments& arguments, std::string_view agent,
                 std::string_view role, std::string_view work) {
  json.key(member).begin_object();
  for (const auto& [name, option] :
       {std::pair{std::string_view("agent"), agent}, std::pair{std::string_view("role"), role},
        std::pair{std::string_view("work"), work}}) {
    if (!option.empty() && arguments.has(option))
      json.member(name, arguments.text(option));
  }
  json.end_object();
}

Result<std::string> request_of(const Arguments& arguments) {
  const std::string& file = arguments.positionals().front();
  const Result<std::string> text = read_file(file, items_bytes_max);
  if (!text)
    return text.error();
  const Result<std::string> items = items_of(file, text.value());
  if (!items)
    return items.error();
  std::string out;
  json::Writer json(out);
  json.begin_object().member("contract", contract_name).key("items").raw(items.value());
  for (const auto& [option, member] : {std::pair{"--id", "id"}, std::pair{"--name", "name"}}) {
    if (arguments.has(option))
      json.member(member, arguments.text(option));
  }
  write_party(json, "consumer", arguments, "--consumer", "--role", "--work");
  write_party(json, "producer", arguments, "--producer", "--producer-role", "");
  for (const auto& [option, member] : {std::pair{"--upstream", "upstream"}, std::pair{"--context", "context"}}) {
    if (!arguments.has(option))
      continue;
    const Result<std::string> value = json_file(arguments.text(option));
    if (!value)
      return value.error();
    json.key(member).raw(value.value());
  }
  if (arguments.has("--window")) {
    const Result<std::uint64_t> window = arguments.number("--window", 0, 1'000, 100'000'000);
    if (!window)
      return window.error();
    json.member_uint("window_tokens", window.value());
  }
  json.end_object();
  return out;
}

// The items that the next stage may have, as a list; with --json all that is known.
int deliver(const Arguments& arguments, const WatchedRun& run) {
  json::Arena arena;
  const Result<json::Value> view = json::parse(run.view, arena);
  PLUMB_REQUIRE(static_cast<bool>(view), "a view is JSON");
  const json::Value* result = view.value().find("result");
  std::string out;
  if (arguments.has("--json")) {
    out = run.view + "\n";
  } else if (result != nullptr) {
    std::string list;
    json::Writer json(list);
    json.begin_array();
    for (const json::Value& item : result->find("items")->array()) {
      if (item.find("passed")->str() != "failed")
        json.value(*item.find("value"));
    }
    json.end_array();
    out = sample::indented(list) + "\n";
  }
  const std::string file = arguments.text("--output");
  if (!out.empty() && !file.empty()) {
    if (const Result<bool> written = write_file(file, out); !written)
      return fail(written.error());
  } else if (!out.empty() && !write_all(STDOUT_FILENO, out)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  if (result == nullptr)
    return exit_undecided;
  const auto none = [&](std::string_view name) { return result->find(name)->str() == "0"; };
  return !none("unverified") ? exit_undecided : none("warned") && none("failed") ? exit_clean : exit_findings;
}

std::string cost_line(const std::vector<provider::Choice>& choices) {
  std::string out = "with ";
  for (const provider::Choice& choice : choices) {
    if (choice.phase == "validate" || choice.phase == "revise")
      out += choice.said.text + (choice.phase == "validate" ? " to judge, " : " to revise");
  }
  return out;
}

OptionSpec option(std::string_view name, std::string_view value, std::string_view help,
                  Completes completes = Completes::nothing) {
  return {name, 0, value, {}, "", help, completes, false};
}

}  // namespace

CommandSpec boundary_command() {
  CommandSpec c;
  c.path = "boundary";
  c.summary = "Judge a list of items by the contract of who will work with them, and have what is sent back revised";
  c.description =
      "ITEMS is a JSON list, or a JSON value on each line. The rules of the contract that need no model are decided "
      "first; what its rules with `ask` leave open is asked of the judge, all items in one call. What is sent back is "
      "revised, one call an item, and judged again, at most twice; what is still rejected passes with a warning. "
      "Nothing is dropped: accepted items come first, in their order, then those with a warning. An item whose "
      "structure never held is not passed on; --json shows it.\n\n"
      "Without a provider it works with `extract`, which can neither judge nor revise: rules without a model decide, "
      "and what they leave open is passed on unverified.\n\n"
      "Exit code 0: all were accepted; 1: some passed with a warning, or failed; 2: some could not be judged, wrong "
      "usage.";
  c.arguments = {{"ITEMS", "A JSON list, or JSON lines; - for standard input.", Completes::file, false, true}};
  c.options = {
      {"--contract",
       'c',
       "CONTRACT",
       {},
       "",
       "What an item must be: a file, or a built-in contract.",
       Completes::contract,
       false},
      option("--judge", "PROVIDER", "Who judges; the same as --provider-validate.", Completes::provider),
      option("--id", "POINTER", "The field by which an item is named to models, else the contract's `itemId`."),
      option("--name", "WORD", "What an item is called: brief."),
      option("--consumer", "NAME", "Who judges, as it is told to the model: SolutionDesigner."),
      option("--role", "TEXT", "What the consumer is: \"You design solutions.\""),
      option("--work", "TEXT", "What it will do with an item: \"You design one solution for each brief.\""),
      option("--producer", "NAME", "Who made the items, and revises them."),
      option("--producer-role", "TEXT", "What the producer is."),
      option("--upstream", "FILE",
             "JSON that the items were made from: a list with one for each, or one value for all.", Completes::file),
      option("--context", "FILE", "JSON that the contract's context: pointers read.", Completes::file),
      option("--window", "N", "The window of the model that judges, in tokens, where plumb does not know it."),
      {"--output", 'o', "FILE", {}, "", "Write the items there instead of to standard output.", Completes::file, false},
      option("--json", "", "The whole run instead of the items: who was rejected, why, by which cycle."),
      prompts_option(),
  };
  for (OptionSpec& one : provider_options({"validate", "revise"}))
    c.options.push_back(one);
  c.options.push_back(record_option());
  c.options.push_back(store_option());
  c.options.push_back({"--quiet", 'q', "", {}, "", "No log and no bar.", Completes::nothing, false});
  for (OptionSpec& one : look_options())
    c.options.push_back(one);
  c.options.push_back(help_option());
  c.examples = {
      "plumb boundary --contract brief.json briefs.json --provider ollama/qwen3:8b",
      "plumb boundary -c spec.json specs.jsonl --judge openai/gpt-4o --provider-revise ollama/qwen3:8b --json"};
  return c;
}

int run_boundary(const Arguments& arguments) {
  if (!arguments.has("--contract")) {
    return fail(Error{ErrorCode::invalid_argument, "say what an item must be with --contract FILE (or a built-in name)",
                      "", 0, 0});
  }
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
  const Result<ReadyProviders> models = ready_providers(arguments);
  if (!models)
    return fail(models.error());
  const Result<std::string> request = request_of(arguments);
  if (!request)
    return fail(request.error());
  json::Arena arena;
  const Result<json::Value> value = json::parse(request.value(), arena);
  if (!value)
    return fail(value.error());
  const std::string contract = arguments.text("--contract");
  pipelines::Texts texts = pipeline_texts(prompts.value(), config.artifacts, models.value().choices);
  texts.contract = [contract, by_name = texts.contract](std::string_view name) -> Result<std::string> {
    if (name != contract_name)
      return by_name(name);
    const Result<std::string> known = by_name(contract);
    return known || known.error().code != ErrorCode::not_found ? known : read_file(contract, items_bytes_max);
  };
  Result<pipelines::Prepared> prepared = pipelines::known_pipeline("boundary")->prepare(value.value(), texts);
  if (!prepared) {
    Error error = prepared.error();
    if (error.code == ErrorCode::invalid_contract)
      error.where = contract + error.where;
    if (error.where == "/contract")
      error =
          Error{ErrorCode::not_found, "there is no such file, and no built-in contract of this name", contract, 0, 0};
    return fail(error);
  }
  host::Routes routes;
  routes.add(run::EffectKind::model, *models.value().fulfiller);
  const Watching what{.pipeline = "boundary", .before = cost_line(models.value().choices)};
  const Result<WatchedRun> run = watch_run(arguments, what, std::move(prepared).value(), routes);
  return run ? deliver(arguments, run.value()) : fail(run.error());
}

}  // namespace plumb::cli
