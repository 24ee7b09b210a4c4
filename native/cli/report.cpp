#include "native/cli/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

#include "core/json/writer.hpp"
#include "core/roles/clarify.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/progress_bar.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t shown_bytes_max = std::size_t{1} << 20;  // feedback shows values of artifacts up to this size
// json, sarif and junit are one document that is rendered from all verdicts.
constexpr std::size_t kept_max = 1'000'000;

bool is_clean(const contract::Verdict& verdict) {
  return verdict.decision == contract::Decision::accept && verdict.findings.empty();
}

}  // namespace

Format format_named(std::string_view name) {
  if (name == "short") {
    return Format::short_lines;
  }
  if (name == "json") {
    return Format::json;
  }
  if (name == "jsonl") {
    return Format::jsonl;
  }
  if (name == "sarif") {
    return Format::sarif;
  }
  if (name == "junit") {
    return Format::junit;
  }
  if (name == "github") {
    return Format::github;
  }
  if (name == "llm") {
    return Format::llm;
  }
  if (name == "scorecard") {
    return Format::scorecard;
  }
  return Format::text;
}

FailOn fail_on_named(std::string_view name) {
  if (name == "warning") {
    return FailOn::warning;
  }
  if (name == "info") {
    return FailOn::info;
  }
  if (name == "never") {
    return FailOn::never;
  }
  return FailOn::error;
}

void Totals::add(const contract::Verdict& verdict, FailOn fail_on) {
  const std::uint64_t e = verdict.count(contract::Severity::error);
  const std::uint64_t w = verdict.count(contract::Severity::warning);
  const std::uint64_t i = verdict.count(contract::Severity::info);
  std::uint64_t m = 0;
  for (const auto& [rule, count] : verdict.more) {
    m += count;
  }
  ++artifacts;
  invalid += verdict.valid ? 0U : 1U;
  undecided += verdict.decision == contract::Decision::undecided ? 1U : 0U;
  errors += e;
  warnings += w;
  infos += i;
  more += m;
  const bool has_error = e > 0 || (!verdict.valid && verdict.decision != contract::Decision::undecided);
  const bool fails = (fail_on != FailOn::never && has_error) ||
                     ((fail_on == FailOn::warning || fail_on == FailOn::info) && w > 0) ||
                     (fail_on == FailOn::info && i > 0);
  failing += fails ? 1U : 0U;
}

void Totals::add(const Totals& other) {
  artifacts += other.artifacts;
  invalid += other.invalid;
  undecided += other.undecided;
  errors += other.errors;
  warnings += other.warnings;
  infos += other.infos;
  more += other.more;
  failing += other.failing;
  fixable += other.fixable;
  fixable_by_guess += other.fixable_by_guess;
  calls_left += other.calls_left;
  texts_left += other.texts_left;
  others_left += other.others_left;
}

std::string summary_line(const Totals& totals, std::uint64_t problems, const contract::TextStyle& style) {
  std::string counts;
  const auto add = [&counts](std::uint64_t count, const std::string& text) {
    if (count != 0) {
      counts += (counts.empty() ? "" : ", ") + text;
    }
  };
  add(totals.errors, counted(totals.errors, "error"));
  add(totals.warnings, counted(totals.warnings, "warning"));
  add(totals.infos, std::to_string(totals.infos) + " info");
  add(totals.more, std::to_string(totals.more) + " more not listed");

  std::string out;
  if (totals.invalid != 0) {
    out += red(style.ascii ? "FAIL" : "❌", style) + " " +
           bold(std::to_string(totals.invalid) + " of " + counted(totals.artifacts, "artifact") + " invalid", style);
  } else {
    out += (totals.undecided != 0 ? yellow(style.ascii ? "warn" : "⚠️ ", style)
                                  : green(style.ascii ? "ok  " : "✅", style)) +
           " " + bold(counted(totals.artifacts, "artifact") + " valid", style);
  }
  if (!counts.empty()) {
    out += ": " + counts;
  }
  if (totals.undecided != 0) {
    out += (style.ascii ? ", " : " · ") + std::to_string(totals.undecided) + " undecided";
  }
  if (problems != 0) {
    out += (style.ascii ? ", " : " · ") + counted(problems, "input") + " not read";
  }
  return out + "\n";
}

Result<Report> Report::open(ReportSettings settings) {
  int descriptor = settings.to_stderr ? STDERR_FILENO : STDOUT_FILENO;
  if (!settings.output.empty() && settings.output != "-") {
    descriptor = ::open(settings.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      return Error{ErrorCode::unavailable, "cannot be written: " + reason_of(errno), settings.output, 0, 0};
    }
  }
  return Report(std::move(settings), descriptor);
}

Report::Report(ReportSettings settings, int descriptor)
    : settings_(std::move(settings)), descriptor_(descriptor), to_terminal_(is_terminal(descriptor)) {}

Report::Report(Report&& other) noexcept
    : settings_(std::move(other.settings_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      to_terminal_(other.to_terminal_),
      kept_(std::move(other.kept_)),
      totals_(other.totals_),
      problems_(other.problems_),
      warnings_(std::move(other.warnings_)) {}

Report::~Report() {
  if (descriptor_ > STDERR_FILENO) {
    ::close(descriptor_);
  }
}

void Report::contract_warnings(const std::string& source, const contract::Contract& contract) {
  for (const contract::Warning& warning : contract.warnings()) {
    std::string item;
    json::Writer json(item);
    json.begin_object().member("contract", contract.name());
    if (!source.empty()) {
      json.member("file", source);
    }
    json.member("message", warning.message).member("at", warning.at);
    json.member_uint("line", warning.line).member_uint("column", warning.column).end_object();
    warnings_ += (warnings_.empty() ? "" : ",") + item;
  }
}

void Report::render(contract::FileVerdict verdict, Rendered& into, std::string_view artifact) const {
  into.totals.add(verdict.verdict, settings_.fail_on);
  switch (settings_.format) {
    case Format::text:
      if (settings_.list_clean || !is_clean(verdict.verdict)) {
        into.text += settings_.columns == 0 ? render_text(verdict, settings_.style)
                                            : fitted(render_text(verdict, settings_.style), settings_.columns);
      }
      break;
    case Format::short_lines:
      into.text += render_short(verdict, settings_.style);
      break;
    case Format::jsonl:
      into.text += render_jsonl(verdict);
      break;
    case Format::github:
      into.text += render_github(verdict);
      break;
    case Format::llm:
      into.text += render_llm(verdict.verdict, settings_.tool, settings_.action,
                              artifact.size() <= shown_bytes_max ? artifact : std::string_view()) +
                   "\n";
      break;
    case Format::scorecard:
      into.text += render_scorecard(verdict, settings_.style);
      if (const std::optional<roles::Clarification> asks = roles::clarify(verdict.verdict)) {
        into.text += "  would ask: " + json::excerpt(asks->message, 300) + "\n";
      }
      break;
    case Format::json:
    case Format::sarif:
    case Format::junit:
      into.kept.push_back(std::move(verdict));
      break;
  }
}

Result<bool> Report::put(std::string_view text, ProgressBar* bar) {
  if (text.empty()) {
    return true;
  }
  if (bar != nullptr && to_terminal_) {
    bar->wipe();
  }
  if (write_all(descriptor_, text)) {
    return true;
  }
  return Error{ErrorCode::unavailable, "the report cannot be written: " + reason_of(errno),
               settings_.output.empty() ? "standard output" : settings_.output, 0, 0};
}

Result<bool> Report::write(Rendered rendered, ProgressBar* bar) {
  totals_.add(rendered.totals);
  if (kept_.size() + rendered.kept.size() > kept_max) {
    return Error{ErrorCode::limit,
                 "more than a million artifacts in one document; use --format jsonl, which is written "
                 "as it comes",
                 "", 0, 0};
  }
  std::move(rendered.kept.begin(), rendered.kept.end(), std::back_inserter(kept_));
  return put(rendered.text, bar);
}

Result<bool> Report::problem(const std::string& file, const std::string& message, const contract::Contract* contract,
                             ProgressBar* bar) {
  ++problems_;
  if (bar != nullptr) {
    bar->wipe();
  }
  complain(file.empty() ? message : (file == "-" ? "standard input" : file) + ": " + message);
  if (settings_.format == Format::text || settings_.format == Format::short_lines || settings_.format == Format::llm ||
      settings_.format == Format::scorecard) {
    return true;
  }
  contract::FileVerdict verdict;
  verdict.file = file;
  if (contract != nullptr) {
    verdict.verdict.contract = contract->name();
    verdict.verdict.hash = contract->hash();
  }
  verdict.verdict.decision = contract::Decision::undecided;
  contract::Undecided why;
  why.rule = "input";
  why.reason = message;
  verdict.verdict.undecided.push_back(std::move(why));
  Rendered rendered;
  render(std::move(verdict), rendered);
  return write(std::move(rendered), bar);
}

Result<bool> Report::finish(ProgressBar* bar) {
  if (bar != nullptr) {
    bar->wipe();
  }
  switch (settings_.format) {
    case Format::json:
      return put(contract::render_json(kept_, warnings_.empty() ? "" : "[" + warnings_ + "]"), bar);
    case Format::sarif:
      return put(contract::render_sarif(kept_), bar);
    case Format::junit:
      return put(contract::render_junit(kept_), bar);
    case Format::text:
      if (!settings_.quiet && totals_.artifacts > 1) {
        return put(summary_line(totals_, problems_, settings_.style), bar);
      }
      return true;
    case Format::short_lines:
    case Format::jsonl:
    case Format::github:
    case Format::llm:
    case Format::scorecard:
      break;
  }
  return true;
}

int Report::exit_code() const {
  if (problems_ > 0 || totals_.undecided > 0) {
    return exit_undecided;
  }
  return totals_.failing > 0 && !settings_.exit_zero ? exit_findings : exit_clean;
}

}  // namespace plumb::cli
