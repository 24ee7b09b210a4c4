// Verdicts for people. There is one line per finding, so that a report can be searched and cut by line. It begins with
// the message; then, dimmed and aligned, come the place, which an editor or terminal can open, and the rule. Text from
// an artifact or file name is written so that it can neither break a line nor send a command to a terminal.

#include <algorithm>
#include <array>

#include "core/contract/render.hpp"
#include "core/contract/render_place.hpp"
#include "core/json/number_text.hpp"
#include "core/wording.hpp"

namespace plumb::contract {

namespace {

constexpr std::size_t align_max = 72;  // after a wider message, the place is not aligned
constexpr std::size_t causes_max = 3;  // of one finding
constexpr int cause_depth_max = 3;

enum class Paint : std::uint8_t { plain, bold, dim, red, green, yellow, cyan };

std::string_view paint_code(Paint paint) {
  switch (paint) {
    case Paint::plain:
      return "";
    case Paint::bold:
      return "\x1b[1m";
    case Paint::dim:
      return "\x1b[2m";
    case Paint::red:
      return "\x1b[31m";
    case Paint::green:
      return "\x1b[32m";
    case Paint::yellow:
      return "\x1b[33m";
    case Paint::cyan:
      return "\x1b[36m";
  }
  return "";
}

struct Symbols {
  std::string_view accept, broken, caution;           // for an artifact
  std::string_view error, warning, info, open, good;  // for a line
  std::string_view arrow, cause, dots, between, edit;
};
constexpr Symbols unicode_symbols = {"✅", "❌", "⚠️ ", "✗", "⚠", "ℹ", "?", "✓", "→", "↳", "…", " · ", "✎"};
constexpr Symbols ascii_symbols = {"ok  ", "FAIL", "warn", "x", "!", "i", "?", "+", "->", "`-", "...", ", ", "~"};

class Report {
 public:
  explicit Report(const TextStyle& style) : style_(style), symbols_(style.ascii ? ascii_symbols : unicode_symbols) {}

  const Symbols& symbols() const { return symbols_; }
  void text(std::string_view text, Paint paint = Paint::plain) {
    if (style_.color && paint != Paint::plain && !text.empty()) {
      out_ += paint_code(paint);
      out_ += text;
      out_ += "\x1b[0m";
    } else {
      out_ += text;
    }
  }
  void from_outside(std::string_view outside, Paint paint = Paint::plain) { text(shown(outside, style_.ascii), paint); }
  void spaces(std::size_t count) { out_.append(count, ' '); }
  void line_end() { out_ += '\n'; }
  void symbol(Severity severity) {
    switch (severity) {
      case Severity::error:
        text(symbols_.error, Paint::red);
        break;
      case Severity::warning:
        text(symbols_.warning, Paint::yellow);
        break;
      case Severity::info:
        text(symbols_.info, Paint::cyan);
        break;
    }
  }
  void symbol(Outcome outcome) {
    switch (outcome) {
      case Outcome::holds:
        text(symbols_.good, Paint::green);
        break;
      case Outcome::broken:
        text(symbols_.error, Paint::red);
        break;
      case Outcome::undecided:
        text(symbols_.open, Paint::yellow);
        break;
    }
  }
  std::string escaped(std::string_view outside) const { return shown(outside, style_.ascii); }
  std::string take() { return std::move(out_); }

 private:
  TextStyle style_;
  const Symbols& symbols_;
  std::string out_;
};

// "3 errors, 1 warning"; empty if there are none.
std::string counts_text(std::uint64_t errors, std::uint64_t warnings, std::uint64_t infos, std::uint64_t more) {
  std::string out;
  const auto add = [&out](std::uint64_t count, std::string_view one) {
    if (count != 0) {
      out += out.empty() ? "" : ", ";
      out += counted(count, one);
    }
  };
  add(errors, "error");
  add(warnings, "warning");
  if (infos != 0) {
    out += out.empty() ? "" : ", ";
    out += json::uint_text(infos) + " info";
  }
  if (more != 0) {
    out += out.empty() ? "" : ", ";
    out += json::uint_text(more) + " more not listed";
  }
  return out;
}

std::uint64_t more_of(const Verdict& verdict) {
  std::uint64_t total = 0;
  for (const auto& [rule, count] : verdict.more) {
    total += count;
  }
  return total;
}

void append_head(Report& report, const FileVerdict& one) {
  const Verdict& verdict = one.verdict;
  const Symbols& symbols = report.symbols();
  switch (verdict.decision) {
    case Decision::accept:
      report.text(symbols.accept, Paint::green);
      break;
    case Decision::accept_with_warnings:
    case Decision::accept_unverified:
    case Decision::undecided:
      report.text(symbols.caution, Paint::yellow);
      break;
    case Decision::revise:
    case Decision::block:
      report.text(symbols.broken, Paint::red);
      break;
  }
  report.spaces(1);
  report.from_outside(one.file == "-" ? "stdin" : std::string_view(one.file), Paint::bold);
  if (const std::string record = record_text(one); !record.empty()) {
    report.spaces(1);
    report.from_outside(record);
  }
  report.text(" (", Paint::dim);
  report.from_outside(verdict.contract, Paint::dim);
  report.text(")", Paint::dim);
  const std::string counts = counts_text(verdict.count(Severity::error), verdict.count(Severity::warning),
                                         verdict.count(Severity::info), more_of(verdict));
  if (!counts.empty()) {
    report.spaces(1);
    report.text(counts);
  }
  if (verdict.decision != Decision::accept) {
    report.spaces(1);
    report.text(symbols.arrow, Paint::dim);
    report.spaces(1);
    report.text(decision_name(verdict.decision));
  }
  report.line_end();
}

// The end of a finding's line: its place and rule.
void append_tail(Report& report, const Finding& finding, const Place& place) {
  report.from_outside(place_text(place, finding.span), Paint::dim);
  if (place.recorded && !finding.at.empty()) {
    report.spaces(1);
    report.from_outside(finding.at, Paint::dim);
  }
  report.text("  ", Paint::dim);
  report.from_outside(finding.rule, Paint::dim);
  if (finding.blocks) {
    report.text(" (blocks)", Paint::dim);
  }
  report.line_end();
}

void append_causes(Report& report, const Finding& finding, const Place& place, int depth) {
  if (depth >= cause_depth_max) {
    return;
  }
  std::size_t shown_count = 0;
  for (const Finding& cause : finding.causes) {
    if (shown_count == causes_max) {
      report.spaces(2 + 2 * static_cast<std::size_t>(depth + 1));
      report.text(report.symbols().dots, Paint::dim);
      report.text(" and ", Paint::dim);
      report.text(counted(finding.causes.size() - shown_count, "more cause"), Paint::dim);
      report.line_end();
      return;
    }
    report.spaces(2 + 2 * static_cast<std::size_t>(depth + 1));
    report.text(report.symbols().cause, Paint::dim);
    report.spaces(1);
    report.from_outside(cause.message);
    report.spaces(2);
    append_tail(report, cause, place);
    append_causes(report, cause, place, depth + 1);
    ++shown_count;
  }
}

void append_findings(Report& report, const Verdict& verdict, const Place& place) {
  std::size_t column = 0;
  for (const Finding& finding : verdict.findings) {
    const std::size_t width = finding.shadowed_by == 0 ? terminal_width(report.escaped(finding.message)) : 0;
    if (width <= align_max) {
      column = std::max(column, width);
    }
  }
  for (const Finding& finding : verdict.findings) {
    if (finding.shadowed_by != 0) {
      continue;
    }
    const std::string message = report.escaped(finding.message);
    report.spaces(2);
    report.symbol(finding.severity);
    report.spaces(1);
    report.text(message);
    const std::size_t width = terminal_width(message);
    report.spaces((width < column ? column - width : 0) + 2);
    append_tail(report, finding, place);
    append_causes(report, finding, place, 0);
    if (!finding.action.empty()) {
      report.spaces(4);
      report.text(report.symbols().arrow, Paint::dim);
      report.spaces(1);
      report.from_outside(finding.action);
      report.line_end();
    }
  }
}

// Edits, one line per class: what was done, how often, and where first. Then the edits that are only offered.
void append_edits(Report& report, const Verdict& verdict, const Place& place) {
  for (const bool applied : {true, false}) {
    for (std::size_t c = 0; c < edit_classes; ++c) {
      for (const bool certain : {true, false}) {
        const Edit* first = nullptr;
        std::uint64_t count = 0;
        for (const Edit& edit : verdict.edits) {
          if (static_cast<std::size_t>(edit.edit_class) == c && edit.applied == applied && edit.certain == certain) {
            first = first == nullptr ? &edit : first;
            ++count;
          }
        }
        if (first == nullptr) {
          continue;
        }
        report.spaces(2);
        report.text(report.symbols().edit, applied ? Paint::cyan : Paint::dim);
        report.spaces(1);
        report.text(applied ? "edited: " : "offered: ", applied ? Paint::plain : Paint::dim);
        report.text(edit_class_title(first->edit_class));
        if (count > 1) {
          report.text(" (" + json::uint_text(count) + " times)");
        }
        report.spaces(2);
        report.from_outside(place_text(place, first->span), Paint::dim);
        report.text("  ", Paint::dim);
        report.text(edit_class_name(first->edit_class), Paint::dim);
        report.text(certain ? "" : " (a guess)", Paint::dim);
        report.line_end();
      }
    }
  }
}

void append_undecided(Report& report, const Verdict& verdict) {
  for (const Undecided& undecided : verdict.undecided) {
    if (undecided.wants_context.empty() && !undecided.ask.empty()) {
      continue;  // a question for a judge is no fault of the artifact
    }
    report.spaces(2);
    report.symbol(Outcome::undecided);
    report.spaces(1);
    report.from_outside(undecided.reason.empty() ? std::string_view("Not decided")
                                                 : std::string_view(undecided.reason));
    report.spaces(2);
    if (!undecided.wants_context.empty()) {
      report.text("wants ", Paint::dim);
      report.from_outside(undecided.wants_context, Paint::dim);
      report.spaces(2);
    }
    report.from_outside(undecided.rule, Paint::dim);
    report.line_end();
  }
}

void append_scorecard(Report& report, const Verdict& verdict) {
  bool first = true;
  for (const ScorecardLine& line : verdict.scorecard) {
    if (line.asks) {
      continue;
    }
    if (first) {
      report.text("  scorecard: ", Paint::dim);
    } else {
      report.text(report.symbols().between, Paint::dim);
    }
    first = false;
    report.symbol(line.outcome);
    report.spaces(1);
    report.from_outside(line.title.empty() ? line.id : line.title);
    if (!line.at.empty()) {
      report.spaces(1);
      report.from_outside(line.at, Paint::dim);
    }
  }
  if (!first) {
    report.line_end();
  }
}

}  // namespace

std::string render_text(const FileVerdict& one, const TextStyle& style) {
  Report report(style);
  const Verdict& verdict = one.verdict;
  append_head(report, one);
  append_findings(report, verdict, place_of(one));
  append_edits(report, verdict, place_of(one));
  for (const auto& [rule, count] : verdict.more) {
    report.spaces(2);
    report.text(report.symbols().dots, Paint::dim);
    report.text(" and ");
    report.text(json::uint_text(count));
    report.text(" more ");
    report.from_outside(rule);
    report.line_end();
  }
  append_undecided(report, verdict);
  for (const Signal& signal : verdict.signals) {
    report.spaces(2);
    report.text(report.symbols().warning, Paint::yellow);
    report.spaces(1);
    report.from_outside(signal.kind);
    if (!signal.detail.empty()) {
      report.text(": ");
      report.from_outside(signal.detail);
    }
    report.text("  byte ", Paint::dim);
    report.text(json::uint_text(signal.at_byte), Paint::dim);
    report.line_end();
  }
  append_scorecard(report, verdict);
  return report.take();
}

std::string render_scorecard(const FileVerdict& one, const TextStyle& style) {
  Report report(style);
  const Verdict& verdict = one.verdict;
  append_head(report, one);
  const auto below = [&report](std::string_view sign, std::string_view text) {
    report.spaces(6);
    report.text(sign, Paint::dim);
    report.from_outside(text);
    report.line_end();
  };
  for (const ScorecardLine& line : verdict.scorecard) {
    report.spaces(2);
    report.symbol(line.outcome);
    report.spaces(1);
    report.from_outside(line.title.empty() ? line.id : line.title);
    report.spaces(2);
    report.from_outside(line.id, Paint::dim);
    if (!line.at.empty()) {
      report.spaces(1);
      report.from_outside(line.at, Paint::dim);
    }
    if (line.blocks && line.outcome == Outcome::broken) {
      report.text(" (blocks)", Paint::dim);
    }
    report.line_end();
    if (!line.reason.empty()) {
      below("", line.reason);
    }
    for (const Undecided& open : verdict.undecided) {
      if (line.asks && open.rule == line.id && open.at == line.at && !open.ask.empty()) {
        below("judge: ", open.ask);
        break;
      }
    }
    if (line.outcome == Outcome::broken && !line.action.empty()) {
      below(style.ascii ? "-> " : "\xE2\x86\x92 ", line.action);
    }
  }
  for (const Finding& finding : verdict.findings) {
    const bool of_rule = std::any_of(verdict.scorecard.begin(), verdict.scorecard.end(),
                                     [&](const ScorecardLine& line) { return line.id == finding.rule; });
    if (finding.shadowed_by == 0 && !of_rule) {
      report.spaces(2);
      report.symbol(finding.severity);
      report.spaces(1);
      report.from_outside(finding.message);
      report.spaces(2);
      append_tail(report, finding, place_of(one));
    }
  }
  for (auto label = verdict.labels.begin(); label != verdict.labels.end(); ++label) {
    const bool seen =
        std::any_of(verdict.labels.begin(), label, [&label](const auto& other) { return other.first == label->first; });
    if (!seen) {
      report.spaces(2);
      report.from_outside(label->first, Paint::dim);
      report.text(": ", Paint::dim);
      report.from_outside(label->second);
      report.line_end();
    }
  }
  return report.take();
}

std::string render_text_summary(const std::vector<FileVerdict>& all, const TextStyle& style) {
  std::uint64_t invalid = 0;
  std::uint64_t undecided = 0;
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t infos = 0;
  std::uint64_t more = 0;
  for (const FileVerdict& one : all) {
    invalid += one.verdict.valid ? 0U : 1U;
    undecided += one.verdict.decision == Decision::undecided ? 1U : 0U;
    errors += one.verdict.count(Severity::error);
    warnings += one.verdict.count(Severity::warning);
    infos += one.verdict.count(Severity::info);
    more += more_of(one.verdict);
  }
  Report report(style);
  const Symbols& symbols = report.symbols();
  if (invalid != 0) {
    report.text(symbols.broken, Paint::red);
    report.spaces(1);
    report.text(json::uint_text(invalid) + " of " + counted(all.size(), "artifact") + " invalid", Paint::bold);
  } else {
    report.text(undecided != 0 ? symbols.caution : symbols.accept, undecided != 0 ? Paint::yellow : Paint::green);
    report.spaces(1);
    report.text(counted(all.size(), "artifact") + " valid", Paint::bold);
  }
  const std::string counts = counts_text(errors, warnings, infos, more);
  if (!counts.empty()) {
    report.text(": ");
    report.text(counts);
  }
  if (undecided != 0) {
    report.text(symbols.between);
    report.text(json::uint_text(undecided) + " undecided");
  }
  report.line_end();
  return report.take();
}

}  // namespace plumb::contract
