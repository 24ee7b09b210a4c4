// `plumb export`: an artifact in a file, which its contract accepts, as a file of another program.
#include <unistd.h>

#include <utility>
#include <vector>

#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/runs_parts.hpp"
#include "native/cli/terminal.hpp"
#include "native/outcome/exported.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t artifact_bytes_max = std::uint64_t{64} << 20;

// Why the artifact is not exported, as `plumb check` writes it. The exit code.
int refuse(const Arguments& arguments, const std::string& file, const contract::Verdict& verdict) {
  (void)write_all(STDERR_FILENO, contract::render_text({file, verdict}, style_for(arguments, STDERR_FILENO)));
  complain("only an accepted artifact can be exported; fix these findings first");
  return verdict.valid ? exit_undecided : exit_findings;
}

}  // namespace

OptionSpec export_format_option() {
  std::vector<std::string_view> names;
  for (const exports::Format& one : exports::formats()) {
    names.push_back(one.name);
  }
  return {"--as",
          0,
          "FORMAT",
          std::move(names),
          "",
          "Write the artifact in this format: gift or moodle-xml (quiz), anki or csv (flashcards), opml or freemind "
          "(mindmap), review (HTML with each claim beside its quote in the source; from a run only).",
          Completes::choice,
          false};
}

CommandSpec export_command() {
  CommandSpec c;
  c.path = "export";
  c.summary = "Convert an accepted artifact for Moodle, Anki, a spreadsheet or an outliner";
  c.description =
      "Checks the artifact in FILE against its contract and writes it in the format of another program. An artifact "
      "with errors is not exported. For an artifact in the store, use 'plumb runs result RUN --as FORMAT'.\n\nExit "
      "code "
      "0: exported; 1: the artifact has errors; 2: undecided, or it cannot be written in this format.";
  c.arguments = {{"FILE", "A JSON file, or - for standard input.", Completes::file, false, true}};
  c.options = {export_format_option(),
               {"--contract",
                'c',
                "NAME|FILE",
                {},
                "the type that the format is for",
                "The contract of the artifact.",
                Completes::contract,
                false},
               {"--output", 'o', "FILE", {}, "standard output", "Write to this file.", Completes::file, false}};
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb export quiz.json --as gift -o quiz.gift.txt", "plumb export cards.json --as anki > cards.txt"};
  return c;
}

int run_export(const Arguments& arguments) {
  const std::string& file = arguments.positionals().front();
  if (!arguments.has("--as")) {
    return fail(told(ErrorCode::invalid_argument, "name the format: " + exports::format_names(), "--as"));
  }
  const exports::Format& format = *exports::format_named(arguments.text("--as"));
  if (format.artifact.empty()) {
    return fail(told(ErrorCode::invalid_argument,
                     "a review sheet needs the quotes of a run; use 'plumb runs result RUN --as review'", "--as"));
  }
  const Result<NamedContract> named = named_contract(arguments, arguments.text("--contract", format.artifact));
  if (!named) {
    return fail(named.error());
  }
  const Result<std::string> text = read_file(file, artifact_bytes_max);
  if (!text) {
    return fail(text.error());
  }
  const contract::Verdict verdict = contract::check_text(named.value().contract, text.value());
  if (!verdict.valid || verdict.decision == contract::Decision::undecided) {
    return refuse(arguments, file, verdict);
  }
  json::Arena arena;
  const Result<json::Value> artifact = json::parse(text.value(), arena);
  const Result<std::string> out =
      artifact ? exports::write(format, artifact.value(), {}) : Result<std::string>(artifact.error());
  if (!out) {
    Error error = out.error();
    error.where = file + (error.where.empty() ? "" : ": " + error.where);
    return fail(error);
  }
  return put_out(arguments, out.value());
}

}  // namespace plumb::cli
