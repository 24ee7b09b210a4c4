// `plumb boundary`: items over one boundary.
// Over 150 lines, since items come as JSON or JSON lines, whose errors are told with file and line.
#include "core/ascii.hpp"
#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/sample/sample.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/client_programs.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/run_command.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t items_bytes_max = std::uint64_t{64} << 20;
constexpr std::string_view contract_name = "boundary-contract";

std::string told_at(const std::string& file, std::size_t line) { return file + ":" + std::to_string(line); }

// The items as one JSON list: as they are, or a value on each line.
Result<std::string> items_of(const std::string& file, const std::string& text) {
  json::Arena arena;
  const Result<json::Value> whole = json::parse(text, arena);
  if (whole && whole.value().is(json::Kind::array)) {
    return text;
  }
  if (whole) {
    return "[" + text + "]";
  }
  std::string out = "[";
  std::size_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string_view line = std::string_view(text).substr(from, to - from);
    from = to + 1;
    ++number;
    if (ascii::only(line, ascii::line_blanks)) {
      continue;
    }
    json::Arena of_line;
    if (const Result<json::Value> value = json::parse(line, of_line); !value) {
      // A list over several lines has its own place of what is wrong.
      if (text[text.find_first_not_of(ascii::spaces)] == '[') {
        return Error{ErrorCode::invalid_argument, whole.error().message, file, whole.error().line,
                     whole.error().column};
      }
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
  if (!text) {
    return text;
  }
  json::Arena arena;
  if (const Result<json::Value> value = json::parse(text.value(), arena); !value) {
    return Error{ErrorCode::invalid_argument, "is not JSON: " + value.error().message, file, value.error().line,
                 value.error().column};
  }
  return text;
}

void write_party(json::Writer& json, std::string_view member, const Arguments& arguments, std::string_view agent,
                 std::string_view role, std::string_view work) {
  if (!arguments.has(agent) && !arguments.has(role) && (work.empty() || !arguments.has(work))) {
    return;
  }
  json.key(member).begin_object();
  for (const auto& [name, option] :
       {std::pair{std::string_view("agent"), agent}, std::pair{std::string_view("role"), role},
        std::pair{std::string_view("work"), work}}) {
    if (!option.empty() && arguments.has(option)) {
      json.member(name, arguments.text(option));
    }
  }
  json.end_object();
}

Result<std::string> request_of(const Arguments& arguments, const ClientPrograms::Programs& programs) {
  const std::string& file = arguments.positionals().front();
  const Result<std::string> text = read_file(file, items_bytes_max);
  if (!text) {
    return text.error();
  }
  const Result<std::string> items = items_of(file, text.value());
  if (!items) {
    return items.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("contract", contract_name).key("items").raw(items.value());
  for (const auto& [what_for, line] : programs) {
    json.member(what_for, "client");
  }
  for (const auto& [option, member] : {std::pair{"--id", "id"}, std::pair{"--name", "name"}}) {
    if (arguments.has(option)) {
      json.member(member, arguments.text(option));
    }
  }
  write_party(json, "consumer", arguments, "--consumer", "--role", "--work");
  write_party(json, "producer", arguments, "--producer", "--producer-role", "");
  for (const auto& [option, member] : {std::pair{"--upstream", "upstream"}, std::pair{"--context", "context"}}) {
    if (!arguments.has(option)) {
      continue;
    }
    const Result<std::string> value = json_file(arguments.text(option));
    if (!value) {
      return value.error();
    }
    json.key(member).raw(value.value());
  }
  if (const Result<bool> window = write_number(json, arguments, "--window", "window_tokens", 1'000); !window) {
    return window.error();
  }
  json.end_object();
  return out;
}

// As it is written in a request: its blanks make no other run of it. A text that is no contract stays as it is, for the
// place of its mistake.
Result<std::string> contract_text(const std::string& file) {
  Result<std::string> text = read_file(file, items_bytes_max);
  json::Arena arena;
  const Result<json::Value> read = text ? json::parse(text.value(), arena) : Result<json::Value>(text.error());
  return read && contract::Contract::read(text.value()) ? Result<std::string>(json::value_text(read.value())) : text;
}

std::string cost_line(const ReadyProviders& models) {
  std::string out = "with ";
  for (const provider::Choice& choice : models.choices) {
    const bool judges = choice.phase == "validate";
    if (!judges && choice.phase != "revise") {
      continue;
    }
    const auto program = std::find_if(models.programs.begin(), models.programs.end(),
                                      [&](const auto& one) { return one.first == (judges ? "judge" : "revise"); });
    out += program == models.programs.end() ? choice.said.text : "'" + program->second + "'";
    out += judges ? " to judge, " : " to revise";
  }
  return out;
}

OptionSpec who_option(std::string_view name, std::string_view help) {
  return {name, 0, "WHO", {}, "", help, Completes::provider, false};
}

OptionSpec file_option(std::string_view name, std::string_view help) {
  return {name, 0, "FILE", {}, "", help, Completes::file, false};
}

}  // namespace

CommandSpec boundary_command() {
  CommandSpec c;
  c.path = "boundary";
  c.summary = "Judge items against their consumer's contract, and revise rejected ones";
  c.description =
      "ITEMS is a JSON list, or one JSON value per line. Rules that need no model are decided first. Then the judge "
      "decides the contract's `ask` rules, for all items in one call. A rejected item is revised, one call per item, "
      "and judged again, at most twice. If it is still rejected, it passes with a warning.\n\nNothing is dropped. "
      "Accepted items come first, in their order, then the items with a warning. A revision that breaks the contract "
      "is discarded, and the last valid version is used. An item that was never valid is held back. Warnings and held "
      "items are reported on standard error; --envelope writes them beside the items.\n\nWithout a provider, the "
      "built-in `extract` is used. It cannot judge or revise: rules without a model decide, and the others pass "
      "unverified.\n\nExit code 0: all items were accepted; 1: some have a warning or are held back; 2: some could not "
      "be judged, or wrong usage.";
  c.arguments = {{"ITEMS", "A JSON list or JSON lines; - for standard input.", Completes::file, false, true}};
  c.options = {
      {"--contract",
       'c',
       "CONTRACT",
       {},
       "",
       "The contract for each item: a file, or the name of a built-in contract.",
       Completes::contract,
       false},
      who_option(
          "--judge",
          "Who judges: a provider, as with --provider-validate, or a program. It reads a question as one line of "
          "JSON, and writes the answer as one line."),
      who_option("--revise", "Who revises: a provider, as with --provider-revise, or a program, as with --judge."),
      plain_option("--id", "POINTER", "The field that identifies an item to models. Default: the contract's `itemId`."),
      plain_option("--name", "WORD", "The noun for an item, such as brief."),
      plain_option("--consumer", "NAME", "The consumer's name in prompts, such as SolutionDesigner."),
      plain_option("--role", "TEXT", "The consumer's role in prompts, such as \"You design solutions.\""),
      plain_option("--work", "TEXT", "The consumer's task, such as \"You design one solution for each brief.\""),
      plain_option("--producer", "NAME", "The producer's name in prompts. The producer revises rejected items."),
      plain_option("--producer-role", "TEXT", "The producer's role in prompts."),
      file_option(
          "--upstream",
          "The JSON input that the items were made from: a list with one entry per item, or one value for all."),
      file_option("--context", "A JSON document for the contract's `context:` pointers."),
      plain_option("--window", "N",
                   "The context window of the judging model, in tokens. Needed when plumb does not know the model."),
  };
  c.options.push_back({"--envelope",
                       0,
                       "",
                       {},
                       "",
                       "Print an object instead of the list: items, warnings, held_back and the decision.",
                       Completes::nothing,
                       false});
  c.options.push_back(
      {"--config", 0, "FILE", {}, "", "Read this file instead of looking for plumb.yaml.", Completes::file, false});
  add_run_options(c, {"validate", "revise"}, "Write the items to this file instead of standard output.",
                  "Print the whole run instead of the items: each rejection with its reason and cycle.");
  c.examples = {
      "plumb boundary --contract brief.json briefs.json --provider ollama/qwen3:8b",
      "plumb boundary -c spec.json specs.jsonl --judge openai/gpt-4o --provider-revise ollama/qwen3:8b --json",
      "plumb boundary -c brief.json briefs.json --judge \"python3 judge.py\" --revise \"python3 revise.py\""};
  return c;
}

int run_boundary(const Arguments& arguments) {
  if (!arguments.has("--contract")) {
    return fail(Error{ErrorCode::invalid_argument, "say what an item must be with --contract FILE (or a built-in name)",
                      "", 0, 0});
  }
  Result<RunSetup> setup = set_up_run(arguments);
  if (!setup) {
    return fail(setup.error());
  }
  Result<std::string> request = request_of(arguments, setup.value().models.programs);
  if (!request) {
    return fail(request.error());
  }
  const std::string contract = arguments.text("--contract");
  pipelines::Texts& texts = setup.value().texts;
  texts.contract = [contract, by_name = texts.contract](std::string_view name) -> Result<std::string> {
    if (name != contract_name) {
      return by_name(name);
    }
    const Result<std::string> known = by_name(contract);
    return known || known.error().code != ErrorCode::not_found ? known : contract_text(contract);
  };
  RunCommand what;
  what.pipeline = "boundary";
  what.request = std::move(request).value();
  what.explain = [&contract](Error& error) {
    if (error.where == "/contract") {
      error = {ErrorCode::not_found, "there is no such file, and no built-in contract of this name", contract, 0, 0};
    } else if (error.code == ErrorCode::invalid_contract) {
      error.where = contract + error.where;
    }
  };
  what.before = [&](pipelines::Prepared&) { return cost_line(setup.value().models); };
  ClientPrograms programs(setup.value().models.programs, *setup.value().models.fulfiller);
  if (!setup.value().models.programs.empty()) {
    what.fulfillers.emplace_back(run::EffectKind::model, &programs);
    what.only_here = true;
  }
  return run_command(arguments, setup.value(), std::move(what));
}

}  // namespace plumb::cli
