// What `plumb check` writes: verdicts in one of the formats, in order, to standard output or a file, and the exit code
// that follows from them.
//
// Rendering is split from writing: `render` is pure and runs on any thread, `write` is called in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "core/result.hpp"

namespace plumb::cli {

class ProgressBar;

enum class Format : std::uint8_t { text, short_lines, json, jsonl, sarif, junit, github, llm, scorecard };
Format format_named(std::string_view name);  // a name of the option table

enum class FailOn : std::uint8_t { error, warning, info, never };
FailOn fail_on_named(std::string_view name);

struct ReportSettings {
  Format format = Format::text;
  FailOn fail_on = FailOn::error;
  bool exit_zero = false;
  bool quiet = false;
  bool list_clean = true;  // text: a line for each artifact without findings
  contract::TextStyle style;
  std::size_t columns = 0;  // text: longer lines are broken; 0 for none, as for what is not read on a terminal
  std::string tool;
  std::string action;
  std::string output;      // a file, or empty
  bool to_stderr = false;  // standard output is for the edited text
};

// Sums over verdicts. `failing`: artifacts with a finding at or above the level that fails.
struct Totals {
  std::uint64_t artifacts = 0;
  std::uint64_t invalid = 0;
  std::uint64_t undecided = 0;
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t infos = 0;
  std::uint64_t more = 0;
  std::uint64_t failing = 0;
  // Findings that edits would fix, certain ones alone, and guesses too; counted where nothing was edited.
  std::uint64_t fixable = 0;
  std::uint64_t fixable_by_guess = 0;
  // Of records that hold no artifact, and need not: answers that call tools, or none that was wanted, and the rest.
  std::uint64_t calls_left = 0;
  std::uint64_t texts_left = 0;
  std::uint64_t others_left = 0;

  void add(const contract::Verdict& verdict, FailOn fail_on);
  void add(const Totals& other);
};

// The last line of a text report: what core's render_text_summary gives for the verdicts that were added, without
// keeping them; and how many inputs could not be read, where there are any.
std::string summary_line(const Totals& totals, std::uint64_t problems, const contract::TextStyle& style);

struct Rendered {
  std::string text;                         // ready to be written
  std::vector<contract::FileVerdict> kept;  // formats that are one document over all verdicts
  Totals totals;
};

class Report {
 public:
  // Opens the output file, if there is one.
  static Result<Report> open(ReportSettings settings);
  Report(Report&& other) noexcept;
  Report& operator=(Report&&) = delete;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report();

  const ReportSettings& settings() const { return settings_; }

  // `artifact`: the text that was judged, where feedback for a model is written and it is at hand.
  void render(contract::FileVerdict verdict, Rendered& into, std::string_view artifact = {}) const;
  // What is said about a contract; it is part of reports that are one JSON document.
  void contract_warnings(const std::string& source, const contract::Contract& contract);

  // An error when the output does not take it (no space, a closed pipe) or holds too much for the format.
  Result<bool> write(Rendered rendered, ProgressBar* bar);
  // An input that could not be judged: told on standard error and, where the format is for machines, in the report.
  Result<bool> problem(const std::string& file, const std::string& message, const contract::Contract* contract,
                       ProgressBar* bar);
  // Writes what comes at the end.
  Result<bool> finish(ProgressBar* bar);
  int exit_code() const;
  const Totals& totals() const { return totals_; }
  std::uint64_t problems() const { return problems_; }

 private:
  Report(ReportSettings settings, int descriptor);
  Result<bool> put(std::string_view text, ProgressBar* bar);

  ReportSettings settings_;
  int descriptor_ = 1;
  bool to_terminal_ = false;
  std::vector<contract::FileVerdict> kept_;
  Totals totals_;
  std::uint64_t problems_ = 0;
  std::string warnings_;  // the items of a JSON list
};

}  // namespace plumb::cli
