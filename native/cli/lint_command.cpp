// `plumb contracts lint`: core/lint/lint.hpp over files and built-in contracts.
#include <unistd.h>

#include <algorithm>

#include "core/contract/render.hpp"
#include "core/derive/derive.hpp"
#include "core/lint/lint.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/report.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

std::vector<std::string_view> target_choices() {
  std::vector<std::string_view> names;
  for (const derive::TargetName& target : derive::target_names) {
    names.push_back(target.name);
  }
  return names;
}

}  // namespace

CommandSpec contracts_lint_command() {
  CommandSpec c;
  c.path = "contracts lint";
  c.summary = "Lint contracts";
  c.description =
      "Reports rules that can never hold or never fail, missing or unbounded parts, costly member order, and keywords "
      "that nothing reads. 'plumb explain RULE' explains each, with examples.\n\nWithout CONTRACT, the built-in "
      "contracts and those of plumb.yaml are linted. To accept a finding, write \"$comment\": \"lint-allow RULE: why\" "
      "in the contract. Exit code 0: nothing at or above --fail-on; 1: something; 2: a contract could not be read.";
  c.arguments = {{"CONTRACT", "The name of a built-in contract, or contract files.", Completes::contract, true, false}};
  c.options = {
      {"--format",
       'f',
       "FORMAT",
       {"text", "json", "sarif", "github"},
       "text",
       "text: for people. json: one document per line. sarif: SARIF 2.1.0. github: workflow commands.",
       Completes::choice,
       false},
      {"--fail-on",
       0,
       "LEVEL",
       {"error", "warning", "info", "never"},
       "warning",
       "The lowest severity that gives exit code 1.",
       Completes::choice,
       false},
      {"--target", 't', "TARGET", target_choices(), "", "Report what this derived target does not enforce.",
       Completes::choice, true},
      {"--prompt-tokens",
       0,
       "N",
       {},
       "1500",
       "Report a prompt that costs more tokens than this; 0: never.",
       Completes::nothing,
       false},
      {"--fix",
       0,
       "",
       {},
       "",
       "Apply the fixes that change no verdict, and keep the files' formatting.",
       Completes::nothing,
       false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb contracts lint", "plumb contracts lint contracts/*.json --fix",
                "plumb contracts lint quiz.json --format sarif",
                "plumb contracts lint quiz --target openai-strict\twhat that target does not enforce"};
  return c;
}

namespace {

std::string severity_word(contract::Severity severity, const contract::TextStyle& style) {
  const std::string_view name = contract::severity_name(severity);
  return severity == contract::Severity::error     ? red(name, style)
         : severity == contract::Severity::warning ? yellow(name, style)
                                                   : dim(name, style);
}

std::string as_text(const lint::LintReport& report, const std::string& file, const contract::TextStyle& style,
                    std::size_t columns) {
  std::string text;
  for (const lint::LintFinding& finding : report.findings) {
    text += file + ":" + std::to_string(finding.span.line) + ":" + std::to_string(finding.span.column) + ": " +
            severity_word(finding.severity, style) + ": " + finding.message + "  " + dim(finding.rule, style) + "\n";
    if (finding.fix) {
      text +=
          "    " + wrapped(finding.fix->title + (finding.fix->certain ? " (--fix does it)" : ""), 4, columns) + "\n";
    }
  }
  if (report.more > 0) {
    text += file + ": and " + std::to_string(report.more) + " more\n";
  }
  return text;
}

bool fails(contract::Severity severity, FailOn fail_on) {
  switch (fail_on) {
    case FailOn::error:
      return severity == contract::Severity::error;
    case FailOn::warning:
      return severity != contract::Severity::info;
    case FailOn::info:
      return true;
    case FailOn::never:
      break;
  }
  return false;
}

std::string summary_of(const std::size_t (&counts)[3], std::size_t fixes, std::size_t contracts,
                       const contract::TextStyle& style) {
  const std::size_t all = counts[0] + counts[1] + counts[2];
  return (all == 0 ? green(style.ascii ? "nothing to say" : "✓ nothing to say", style) + " about " +
                         counted(contracts, "contract")
                   : counted(counts[0], "error") + ", " + counted(counts[1], "warning") + ", " +
                         counted(counts[2], "info") + " in " + counted(contracts, "contract")) +
         (fixes > 0 ? "; " + counted(fixes, "fix", "fixes") + " made" : "") + "\n";
}

// The built-in ones and those that plumb.yaml names.
std::vector<std::string> all_contracts(const std::vector<std::string>& configured) {
  std::vector<std::string> wanted;
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    wanted.emplace_back(built_in.name);
  }
  for (const std::string& one : configured) {
    if (std::find(wanted.begin(), wanted.end(), one) == wanted.end()) {
      wanted.push_back(one);
    }
  }
  return wanted;
}

}  // namespace

int run_contracts_lint(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> documents;
  std::vector<std::pair<std::string, std::string>> artifacts;
  std::vector<std::string> wanted = arguments.positionals();
  std::vector<std::string> configured;
  if (const std::string path = find_config_file(); !path.empty()) {
    const Result<ConfigFile> config = read_config_file(path);
    if (!config) {
      return fail(config.error());
    }
    documents = config.value().documents;
    artifacts = config.value().artifacts;
    for (const ContractEntry& entry : config.value().contracts) {
      configured.push_back(entry.contract);
    }
  }
  const Result<ContractReading> reading = ContractReading::from(arguments, documents, artifacts);
  if (!reading) {
    return fail(reading.error());
  }
  if (wanted.empty()) {
    wanted = all_contracts(configured);
  }
  const Result<std::uint64_t> prompt_tokens = arguments.number("--prompt-tokens", 1500, 0, 1'000'000'000);
  if (!prompt_tokens) {
    return fail(prompt_tokens.error());
  }
  const lint::LintOptions looking{arguments.list("--target"), prompt_tokens.value()};
  const std::string format = arguments.text("--format", "text");
  const FailOn fail_on = fail_on_named(arguments.text("--fail-on", "warning"));
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  int code = exit_clean;
  std::size_t counts[3] = {};
  std::size_t fixes = 0;
  std::string out;
  std::vector<contract::FileVerdict> verdicts;
  for (const std::string& name : wanted) {
    const contract::BuiltIn* built_in = contract::built_in_contract(name);
    std::string text(built_in == nullptr ? std::string_view() : built_in->text);
    if (built_in == nullptr) {
      Result<std::string> read = read_file(name, contract_bytes_max);
      if (!read) {
        code = fail(read.error());
        continue;
      }
      text = std::move(read).value();
    }
    contract::ReadOptions options = reading.value().options();
    const std::string called = name;
    if (built_in != nullptr) {
      options.name = called;
    }
    if (arguments.has("--fix") && built_in == nullptr) {
      lint::Fixed fixed = lint::fix(text, options);
      if (!fixed.done.empty()) {
        if (const Result<bool> written = write_file(name, fixed.text); !written) {
          code = fail(written.error());
          continue;
        }
        for (const std::string& done : fixed.done) {
          note(name + ": " + done);
        }
        fixes += fixed.done.size();
        text = std::move(fixed.text);
      }
    }
    const lint::LintReport report = lint::lint(text, options, looking);
    for (const lint::LintFinding& finding : report.findings) {
      ++counts[static_cast<std::size_t>(finding.severity)];
      if (fails(finding.severity, fail_on)) {
        code = std::max(code, exit_findings);
      }
    }
    if (format == "text") {
      out += as_text(report, name, style, columns);
    } else if (format == "json") {
      out += lint::lint_json(report, name) + "\n";
    } else if (format == "github") {
      out += contract::render_github({name, lint::verdict_of(report)});
    } else {
      verdicts.push_back({name, lint::verdict_of(report)});
    }
  }
  if (format == "sarif") {
    out = contract::render_sarif(verdicts);
  }
  if (format == "text") {
    out += summary_of(counts, fixes, wanted.size(), style);
  }
  if (!write_all(STDOUT_FILENO, out)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  return code;
}

}  // namespace plumb::cli
