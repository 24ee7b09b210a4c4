// `plumb contracts diff`: core/compare/compare.hpp for two contracts, and what real documents say of them.
#include <unistd.h>

#include <algorithm>

#include "core/compare/compare.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/diff_over.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/judging.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

CommandSpec contracts_diff_command() {
  CommandSpec c;
  c.path = "contracts diff";
  c.summary = "Compare two contracts: what each accepts that the other refuses";
  c.description =
      "Reports whether every document that A accepts is accepted by B, and the reverse: yes, no or unknown. A yes is "
      "proven from the schemas. A no comes with a document that one accepts and the other refuses, and its findings. "
      "An unknown lists what could not be proven, with its place. Contracts in different dialects are compared by "
      "meaning. `format` counts only with --assert-formats.\n\n--over checks real documents against both, as 'plumb "
      "check' reads them, and counts the verdicts that change.\n\nExit code 0: both accept the same; 1: they differ; "
      "2: neither could be shown, or an input could not be read.";
  c.arguments = {{"A", "The name of a built-in contract, or a contract file.", Completes::contract, false, true},
                 {"B", "The contract to compare it with.", Completes::contract, false, true}};
  c.options = {
      {"--over",
       0,
       "PATH",
       {},
       "",
       "Documents to check against both: files, directories, quoted globs or -. One per file, or one per line in "
       ".jsonl and .ndjson.",
       Completes::file,
       true},
      {"--from",
       0,
       "PROVIDER",
       {"openai", "anthropic", "otlp", "plumb"},
       "",
       "With --over: read recorded model calls, as 'plumb check --from' does, and check the model's answers.",
       Completes::choice,
       false},
      {"--calls",
       0,
       "TOOL",
       {},
       "",
       "With --from: check the arguments of this tool's calls, not the texts.",
       Completes::nothing,
       false},
      {"--edits",
       0,
       "LEVEL",
       {"none", "certain", "guess"},
       "none",
       "With --over: check the texts as 'plumb check --edits' would edit them.",
       Completes::choice,
       false},
      {"--context",
       0,
       "FILE",
       {},
       "",
       "A JSON document for the contracts' `context:` pointers.",
       Completes::file,
       false},
      {"--format",
       'f',
       "FORMAT",
       {"text", "json"},
       "text",
       "text: for people. json: one document.",
       Completes::choice,
       false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {
      "plumb contracts diff quiz my-quiz.json\tcan one replace the other?",
      "plumb contracts diff old.json new.json --over artifacts/\twhich verdicts change?",
      "plumb contracts diff old.json new.json --over yesterday.jsonl --from openai\tthe same for recorded answers"};
  return c;
}

namespace {

constexpr std::size_t document_shown_max = 400;  // code points
constexpr std::size_t findings_shown_max = 5;

Error usage(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

std::string direction_text(const compare::Direction& direction, const std::string& from, const std::string& to,
                           const contract::TextStyle& style) {
  std::string out = bold(from, style) + (style.ascii ? " -> " : " → ") + bold(to, style) + ": ";
  switch (direction.answer) {
    case compare::Answer::yes:
      return out + green("yes", style) + ", every document that " + from + " accepts is accepted by " + to + "\n";
    case compare::Answer::no: {
      const compare::Witness& witness = *direction.witness;
      out += red("no", style) + ", " + from + " accepts and " + to + " refuses" +
             (witness.name.empty() ? std::string() : " " + witness.name) + "\n";
      out += "    " + json::excerpt(witness.document, document_shown_max) + "\n";
      if (!witness.context.empty()) {
        out += "    with the context " + json::excerpt(witness.context, document_shown_max) + "\n";
      }
      for (std::size_t i = 0; i < witness.findings.size() && i < findings_shown_max; ++i) {
        const contract::Finding& finding = witness.findings[i];
        out += "    " + (finding.at.empty() ? "" : cyan(finding.at, style) + ": ") + finding.message + "  " +
               dim(finding.rule, style) + "\n";
      }
      if (witness.findings.size() > findings_shown_max) {
        out += "    and " + std::to_string(witness.findings.size() - findings_shown_max) + " more\n";
      }
      return out;
    }
    case compare::Answer::unknown:
      break;
  }
  out += yellow("unknown", style) + ", no document was found that " + to +
         " alone refuses, and that there is none is " + "not proven:\n";
  for (const compare::Unproven& one : direction.unproven) {
    out += "    " + cyan(one.schema_location.empty() ? "the whole contract" : one.schema_location, style) + " of " +
           to + (one.at.empty() ? std::string() : ", at " + one.at) + ": " + one.why + "\n";
  }
  if (direction.more > 0) {
    out += "    and " + std::to_string(direction.more) + " more\n";
  }
  if (direction.limited) {
    out += "    the proof was given up at its bound of work\n";
  }
  return out;
}

void changes_text(std::string& out, const Changes& changes, const std::string& what, const contract::TextStyle& style) {
  out += "  " + std::to_string(changes.count) + " " + what + "\n";
  for (const Changed& one : changes.first) {
    out += "    " + cyan(one.name, style) + (one.finding.empty() ? "" : "  " + one.finding) + "\n";
  }
  if (changes.count > changes.first.size()) {
    out += "    and " + std::to_string(changes.count - changes.first.size()) + " more\n";
  }
}

std::string over_text(const OverCounts& over, const std::string& a, const std::string& b,
                      const contract::TextStyle& style) {
  std::string out = counted(over.documents, "document", "documents") + ": " + std::to_string(over.accepted) +
                    " accepted by both, " + std::to_string(over.refused) + " refused by both" +
                    (over.undecided > 0 ? ", " + std::to_string(over.undecided) + " undecided" : "") + "\n";
  changes_text(out, over.lost, "accepted by " + a + " and refused by " + b, style);
  changes_text(out, over.gained, "refused by " + a + " and accepted by " + b, style);
  return out;
}

void write_changes(json::Writer& json, std::string_view name, const Changes& changes) {
  json.key(name).begin_object();
  json.member_uint("count", changes.count);
  json.key("first").begin_array();
  for (const Changed& one : changes.first) {
    json.begin_object().member("file", one.name).member("finding", one.finding).end_object();
  }
  json.end_array().end_object();
}

std::string over_json(const OverCounts& over) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.member_uint("documents", over.documents).member_uint("accepted", over.accepted);
  json.member_uint("refused", over.refused).member_uint("undecided", over.undecided).member_uint("left", over.left);
  write_changes(json, "lost", over.lost);
  write_changes(json, "gained", over.gained);
  json.key("problems").begin_array();
  for (const InputProblem& one : over.problems) {
    json.begin_object().member("file", one.path).member("message", one.message).end_object();
  }
  json.end_array().end_object();
  return out;
}

// Everything that was said, checked.
struct DiffOptions {
  std::optional<OverSettings> over;
  std::string context;
};

Result<DiffOptions> said_by(const Arguments& arguments) {
  DiffOptions said;
  if (arguments.has("--context")) {
    Result<std::string> read = read_file(arguments.text("--context"), contract_bytes_max);
    if (!read) {
      return read.error();
    }
    json::Arena arena;
    if (const Result<json::Value> parsed = json::parse(read.value(), arena); !parsed) {
      Error error = parsed.error();
      error.where = arguments.text("--context");
      return error;
    }
    said.context = std::move(read).value();
  }
  if (!arguments.has("--over")) {
    for (const char* option : {"--from", "--calls", "--edits"}) {
      if (arguments.has(option)) {
        return usage("'" + std::string(option) + "' is for '--over': how real documents are read");
      }
    }
    return said;
  }
  OverSettings over;
  over.paths = arguments.list("--over");
  over.context = said.context;
  over.edits.level = contract::edit_level_named(arguments.text("--edits", "none"));
  if (arguments.has("--from")) {
    const std::optional<wire::RecordedBy> by = wire::recorded_by_named(arguments.text("--from"));
    over.recorded = RecordedReading{by.value_or(wire::RecordedBy::openai), arguments.text("--calls")};
  } else if (arguments.has("--calls")) {
    return usage("'--calls' is for '--from': whose calls of tools are judged");
  }
  said.over = std::move(over);
  return said;
}

Result<ContractReading> reading_of(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> documents;
  std::vector<std::pair<std::string, std::string>> artifacts;
  if (const std::string path = find_config_file(); !path.empty()) {
    const Result<ConfigFile> config = read_config_file(path);
    if (!config) {
      return config.error();
    }
    documents = config.value().documents;
    artifacts = config.value().artifacts;
  }
  return ContractReading::from(arguments, documents, std::move(artifacts));
}

Result<NamedContract> contract_of(const std::string& wanted, const ContractReading& reading) {
  Result<NamedContract> named = find_contract(wanted, reading);
  if (!named) {
    Error error = named.error();
    if (error.where.empty()) {
      error.where = wanted;
    }
    return error;
  }
  if (named.value().contract.program().without_keywords) {
    return Error{ErrorCode::invalid_argument,
                 "everything keeps this contract, as none of its members is a keyword: is it an artifact? '--over' "
                 "takes documents",
                 wanted, 0, 0};
  }
  for (const std::string& line : warning_lines(named.value())) {
    write_all(STDERR_FILENO, line + "\n");
  }
  return named;
}

int exit_code_of(const compare::Comparison& comparison, const OverCounts* over) {
  const auto any = [&](compare::Answer answer) {
    return comparison.there.answer == answer || comparison.back.answer == answer;
  };
  if (over != nullptr && (!over->problems.empty() || over->documents == 0)) {
    return exit_undecided;
  }
  if (any(compare::Answer::no) || (over != nullptr && over->lost.count + over->gained.count > 0)) {
    return exit_findings;
  }
  return any(compare::Answer::unknown) ? exit_undecided : exit_clean;
}

}  // namespace

int run_contracts_diff(const Arguments& arguments) {
  const Result<DiffOptions> read = said_by(arguments);
  if (!read) {
    return fail(read.error());
  }
  const DiffOptions& said = read.value();
  const Result<ContractReading> reading = reading_of(arguments);
  if (!reading) {
    return fail(reading.error());
  }
  if (arguments.positionals().size() < 2) {
    return fail(usage("'plumb contracts diff' needs two contracts, A and B; see 'plumb contracts diff --help'"));
  }
  const std::string& a = arguments.positionals()[0];
  const std::string& b = arguments.positionals()[1];
  const Result<NamedContract> first = contract_of(a, reading.value());
  const Result<NamedContract> second = first ? contract_of(b, reading.value()) : first;
  if (!first || !second) {
    return fail(first ? second.error() : first.error());
  }

  compare::CompareOptions options;
  options.context = said.context;
  std::optional<OverCounts> over;
  if (said.over) {
    over = judge_over(*said.over, first.value().contract, second.value().contract);
    for (const InputProblem& one : over->problems) {
      complain((one.path.empty() ? "" : one.path + ": ") + one.message);
    }
    if (over->more_problems > 0) {
      complain("and " + std::to_string(over->more_problems) + " more that could not be judged");
    }
    if (over->left > 0) {
      note(counted(over->left, "record holds", "records hold") + " no such answer and " +
           (over->left == 1 ? "was" : "were") + " left out");
    }
    for (const Changes* changes : {&over->lost, &over->gained}) {
      if (!changes->document.empty()) {
        options.candidates.push_back({changes->document, changes->document_name});
      }
    }
  }
  const compare::Comparison comparison = compare::compare(first.value().contract, second.value().contract, options);

  std::string out;
  if (arguments.text("--format", "text") == "json") {
    out = compare::comparison_json(first.value().contract, a, second.value().contract, b, comparison,
                                   over ? over_json(*over) : std::string()) +
          "\n";
  } else {
    const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
    out = direction_text(comparison.there, a, b, style) + direction_text(comparison.back, b, a, style);
    if (over) {
      out += over_text(*over, a, b, style);
    }
    if (is_terminal(STDOUT_FILENO)) {
      out = fitted(out, terminal_columns(STDOUT_FILENO));
    }
  }
  if (!write_all(STDOUT_FILENO, out)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  return exit_code_of(comparison, over ? &*over : nullptr);
}

}  // namespace plumb::cli
