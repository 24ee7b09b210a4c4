// `plumb contracts sample`: core/sample/sample.hpp for a contract.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/ascii.hpp"
#include "core/json/indented.hpp"
#include "core/json/writer.hpp"
#include "core/sample/sample.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

CommandSpec contracts_sample_command() {
  CommandSpec c;
  c.path = "contracts sample";
  c.summary = "Generate sample artifacts: valid ones, or ones that break a rule";
  c.description =
      "Generates artifacts without a model, for trying a page or a pipeline: the smallest valid one, a rich one, or "
      "one that breaks a given rule and nothing else. Each is checked before it is printed. If one cannot be made, the "
      "reason is reported. The same contract, seed and options give the same bytes everywhere.\n\nOne artifact is "
      "printed on several lines; several are printed as JSON lines. If the contract reads a context, one is generated, "
      "unless --context gives it; --format record and --output write it beside the artifact. If a rule cannot be "
      "broken alone, `also` lists the others that break.\n\nExit code 0: everything was made (with --each-rule: "
      "everything possible); 2: something requested could not be made.";
  c.arguments = {
      {"CONTRACT", "The name of a built-in contract, or a contract file.", Completes::contract, false, true}};
  c.options = {
      {"--kind",
       'k',
       "KIND",
       {"minimal", "rich", "broken"},
       "rich",
       "minimal: no optional members. rich: all of them. broken: see --rule.",
       Completes::choice,
       false},
      {"--rule",
       'r',
       "RULE",
       {},
       "",
       "The rule to break: a keyword (minItems: wherever it appears), a rule's id, or a place as in a finding's "
       "`schemaLocation`.",
       Completes::rule,
       false},
      {"--each-rule",
       0,
       "",
       {},
       "",
       "Break every rule, one artifact per rule, each with its context.",
       Completes::nothing,
       false},
      {"--seed", 's', "N", {}, "1", "The seed. Different seeds give different artifacts.", Completes::nothing, false},
      {"--count", 'n', "N", {}, "1", "The number of different artifacts (per rule).", Completes::nothing, false},
      {"--context",
       0,
       "FILE",
       {},
       "",
       "A JSON document for the contract's `context:` pointers.",
       Completes::file,
       false},
      {"--format",
       'f',
       "FORMAT",
       {"artifact", "record"},
       "artifact",
       "record: one line per artifact with kind, rule, schemaLocation, at, also, seed, artifact and context.",
       Completes::choice,
       false},
      {"--output",
       'o',
       "DIR",
       {},
       "",
       "Write each artifact to its own file in this directory.",
       Completes::directory,
       false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb contracts sample quiz", "plumb contracts sample quiz --each-rule --format record",
                "plumb contracts sample quiz --rule memberOf | plumb check -c quiz -",
                "plumb contracts sample flashcards --count 100 --seed 7 > many.jsonl"};
  return c;
}

namespace {

std::string record(const sample::Sample& one, const std::string& contract) {
  std::string line;
  json::Writer json(line);
  json.begin_object();
  json.member("contract", contract).member("kind", sample::sample_kind_name(one.kind));
  if (one.kind == sample::SampleKind::broken) {
    json.member("rule", one.rule).member("schemaLocation", one.schema_location).member("at", one.at);
    if (!one.property.empty()) {
      json.member("property", one.property);
    }
    if (!one.also.empty()) {
      json.key("also").begin_array();
      for (const std::string& other : one.also) {
        json.string(other);
      }
      json.end_array();
    }
  }
  json.member_uint("seed", one.seed);
  json.key("artifact").raw(one.artifact);
  if (!one.context.empty()) {
    json.key("context").raw(one.context);
  }
  json.end_object();
  return line + "\n";
}

// quiz-broken-minItems-2.json
std::string file_name(const std::string& contract, const sample::Sample& one, std::size_t number) {
  std::string name = contract + "-" + std::string(sample::sample_kind_name(one.kind));
  if (!one.rule.empty()) {
    name += "-" + one.rule;
  }
  name += "-" + std::to_string(number);
  for (char& c : name) {
    const bool fine = ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
    c = fine ? c : '_';
  }
  return name;
}

int write_files(const std::string& folder, const std::string& contract, const std::vector<sample::Sample>& made) {
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string path = folder + "/" + file_name(contract, made[i], i + 1);
    const Result<bool> artifact = write_file(path + ".json", json::indented(made[i].artifact) + "\n");
    if (!artifact) {
      return fail(artifact.error());
    }
    if (made[i].context.empty()) {
      continue;
    }
    const Result<bool> context = write_file(path + ".context", json::indented(made[i].context) + "\n");
    if (!context) {
      return fail(context.error());
    }
  }
  return exit_clean;
}

}  // namespace

int run_contracts_sample(const Arguments& arguments) {
  const Result<NamedContract> named = contract_argument(arguments);
  if (!named) {
    return fail(named.error());
  }
  const Result<std::uint64_t> seed = arguments.number("--seed", 1, 0, ~std::uint64_t{0});
  const Result<std::uint64_t> count = arguments.number("--count", 1, 1, sample::count_max);
  if (!seed || !count) {
    return fail(seed ? count.error() : seed.error());
  }

  sample::SampleOptions options;
  options.seed = seed.value();
  options.count = static_cast<std::uint32_t>(count.value());
  const std::string rule = arguments.text("--rule");
  const std::string kind = arguments.text("--kind", "rich");
  const bool each = arguments.has("--each-rule");
  options.rule = rule;
  options.kind = !rule.empty() || each || kind == "broken" ? sample::SampleKind::broken
                 : kind == "minimal"                       ? sample::SampleKind::minimal
                                                           : sample::SampleKind::rich;
  if (options.kind == sample::SampleKind::broken && arguments.has("--kind") && kind != "broken") {
    return fail(Error{ErrorCode::invalid_argument, "--rule and --each-rule go with --kind broken", "", 0, 0});
  }
  std::string context;
  if (arguments.has("--context")) {
    Result<std::string> read = read_file(arguments.text("--context"), contract_bytes_max);
    if (!read) {
      return fail(read.error());
    }
    context = std::move(read).value();
    options.context = context;
  }

  const contract::Contract& contract = named.value().contract;
  const Result<sample::Samples> samples = sample::make_samples(contract, options);
  if (!samples) {
    Error error = samples.error();
    if (error.where == "context") {
      error.where = arguments.text("--context");
    }
    return fail(error);
  }
  const std::vector<sample::Sample>& made = samples.value().made;
  int code = exit_clean;
  for (const sample::RuleSite& site : samples.value().not_made) {
    note("not made: " + site.rule + (site.schema_location.empty() ? "" : " at " + site.schema_location) +
         (site.property.empty() ? "" : " (" + site.property + ")") + ": " + site.reason);
    if (!each && !(options.kind == sample::SampleKind::broken && rule.empty())) {
      code = exit_undecided;
    }
  }
  if (arguments.has("--output")) {
    const int written = write_files(arguments.text("--output"), contract.name(), made);
    return written == exit_clean ? code : written;
  }
  const bool records = arguments.text("--format", "artifact") == "record";
  if (!records && context.empty() &&
      std::any_of(made.begin(), made.end(), [](const sample::Sample& one) { return !one.context.empty(); })) {
    note("what is written here leaves out the context that was made for each; --format record and --output have it");
  }
  std::string out;
  for (const sample::Sample& one : made) {
    out += records            ? record(one, contract.name())
           : made.size() == 1 ? json::indented(one.artifact) + "\n"
                              : one.artifact + "\n";
  }
  if (!write_all(STDOUT_FILENO, out)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  return code;
}

}  // namespace plumb::cli
