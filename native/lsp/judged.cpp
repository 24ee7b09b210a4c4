#include "native/lsp/judged.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/ascii.hpp"
#include "core/lint/lint.hpp"
#include "core/repair/check.hpp"
#include "core/text/steps.hpp"
#include "native/base/random_seed.hpp"

namespace plumb::lsp {

namespace {

// One artifact of a document.
struct Piece {
  std::size_t from = 0;
  std::string_view text;
};

std::vector<Piece> pieces_of(std::string_view text, bool lines) {
  if (!lines) {
    return {{0, text}};
  }
  std::vector<Piece> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string_view line = text.substr(from, end - from);
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    if (!ascii::only(line, ascii::line_blanks)) {
      out.push_back({from, line});
    }
    from = end + 1;
  }
  return out;
}

// Judges the pieces of a document one after the other, under one budget.
class Judge {
 public:
  Judge(const Held& held, contract::EditLevel level) : steps_(steps_max) {
    contract::CheckOptions options;
    options.context = held.context;
    options.hash_seed = random_seed();
    options.steps = &steps_;
    repair::EditOptions edits;
    edits.level = level;
    edits.keep_text = level != contract::EditLevel::none;
    check_ = std::make_unique<repair::Check>(*held.contract, options, edits);
  }
  contract::Verdict whole(std::string_view text) {
    if (used_) {
      check_->reset();
    }
    used_ = true;
    return check_->whole(text);
  }
  // What `--fix` makes of the text of the last verdict.
  std::string_view fixed(std::string_view text) const { return check_->mended() ? check_->text() : text; }

 private:
  text::Steps steps_;
  std::unique_ptr<repair::Check> check_;
  bool used_ = false;
};

bool meet(Bytes a, Bytes b) { return a.from <= b.to && b.from <= a.to; }

void append_finding(std::vector<Diagnostic>& out, const contract::Finding& finding, std::size_t from) {
  if (finding.shadowed_by == 0) {
    out.push_back(
        {finding.rule, finding.severity, finding.message, {finding.span.from + from, finding.span.to + from}, {}});
  }
}

std::vector<Diagnostic> judged_artifact(const Held& held, std::string_view text) {
  std::vector<Diagnostic> out;
  Judge judge(held, contract::EditLevel::none);
  for (const Piece& piece : pieces_of(text, held.lines)) {
    const contract::Verdict verdict = judge.whole(piece.text);
    for (const contract::Finding& finding : verdict.findings) {
      append_finding(out, finding, piece.from);
    }
    for (const auto& [rule, count] : verdict.more) {
      out.push_back({rule,
                     contract::Severity::info,
                     std::to_string(count) + " more findings of '" + rule + "' are not listed",
                     {piece.from, piece.from},
                     {}});
    }
  }
  return out;
}

std::vector<Diagnostic> judged_contract(const Held& held, std::string_view text) {
  std::vector<Diagnostic> out;
  const lint::LintReport report = lint::lint(text, held.reading);
  for (const lint::LintFinding& finding : report.findings) {
    Bytes bytes{finding.span.from, finding.span.to};
    if (finding.rule == "no-contract") {  // an error has a line and a column, and no bytes
      bytes.from = bytes.to = byte_of_place(text, finding.span.line, finding.span.column);
    }
    out.push_back({finding.rule, finding.severity, finding.message, bytes, {}});
  }
  if (report.more > 0) {
    out.push_back(
        {"limit", contract::Severity::info, "and " + std::to_string(report.more) + " more are not listed", {}, {}});
  }
  return out;
}

std::string with(std::string_view text, std::size_t from, const std::vector<contract::Change>& changes) {
  std::string out;
  std::size_t at = 0;
  for (const contract::Change& change : changes) {
    const std::size_t start = std::max(at, static_cast<std::size_t>(change.from) + from);
    out.append(text.substr(at, start - at)).append(change.text);
    at = std::max(start, static_cast<std::size_t>(change.to) + from);
  }
  return out.append(text.substr(at));
}

std::string capital(std::string_view title) {
  std::string out(title);
  if (!out.empty() && ascii::is_lower(out[0])) {
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  }
  return out;
}

Offers offers_of_artifact(const Held& held, std::string_view text, Bytes about) {
  Offers out;
  Judge judge(held, contract::EditLevel::certain);
  std::size_t taken = 0;
  std::size_t looked_at = 0;
  for (const Piece& piece : pieces_of(text, held.lines)) {
    const contract::Verdict verdict = judge.whole(piece.text);
    const std::string fixed(judge.fixed(piece.text));
    out.all.append(text.substr(taken, piece.from - taken)).append(fixed);
    taken = piece.from + piece.text.size();
    if (fixed == piece.text) {
      continue;
    }
    for (const contract::Edit& edit : verdict.edits) {
      if (!edit.applied || edit.changes.empty()) {
        continue;
      }
      ++out.count;
      const Bytes bytes{edit.span.from + piece.from, edit.span.to + piece.from};
      if (!meet(bytes, about) || out.each.size() >= actions_max || looked_at + piece.text.size() > looked_at_max) {
        continue;
      }
      looked_at += piece.text.size();
      // By itself only where the others still lead to the same text.
      const std::string one = with(piece.text, 0, edit.changes);
      (void)judge.whole(one);
      if (judge.fixed(one) == fixed) {
        out.each.push_back(
            {capital(contract::edit_class_title(edit.edit_class)), bytes, with(text, piece.from, edit.changes)});
      }
    }
  }
  out.all.append(text.substr(taken));
  return out;
}

Offers offers_of_contract(const Held& held, std::string_view text, Bytes about) {
  Offers out;
  lint::Fixed fixed = lint::fix(text, held.reading);
  out.all = std::move(fixed.text);
  out.count = fixed.done.size();
  for (const lint::LintFinding& finding : lint::lint(text, held.reading).findings) {
    const Bytes bytes{finding.span.from, finding.span.to};
    if (!finding.fix || !finding.fix->certain || !meet(bytes, about) || out.each.size() >= actions_max) {
      continue;
    }
    std::vector<contract::Change> changes;
    for (const lint::Edit& edit : finding.fix->edits) {
      changes.push_back({edit.from, edit.to, edit.text});
    }
    std::sort(changes.begin(), changes.end(),
              [](const contract::Change& a, const contract::Change& b) { return a.from < b.from; });
    std::string one = with(text, 0, changes);
    if (contract::Contract::read(one, held.reading)) {
      out.each.push_back({finding.fix->title, bytes, std::move(one)});
    }
  }
  return out;
}

}  // namespace

std::vector<Diagnostic> judged(const Project& project, const std::string& path, std::string_view text, Units units) {
  std::vector<Diagnostic> out;
  if (text.size() > document_bytes_max) {
    out.push_back({"limit",
                   contract::Severity::error,
                   "not checked: the document has more than " + std::to_string(document_bytes_max >> 20U) +
                       " MB; 'plumb check' reads files of any size",
                   {},
                   {}});
  } else if (Result<Held> held = project.held(path, text); !held) {
    out.push_back({"no-contract", contract::Severity::error, held.error().message, {}, {}});
  } else if (held.value().as != Held::As::nothing) {
    text::Steps steps(steps_max);
    held.value().reading.steps = &steps;
    out = held.value().as == Held::As::contract ? judged_contract(held.value(), text)
                                                : judged_artifact(held.value(), text);
  }
  std::vector<Bytes> bytes;
  bytes.reserve(out.size());
  for (const Diagnostic& one : out) {
    bytes.push_back(one.bytes);
  }
  const std::vector<Range> ranges = ranges_of(text, bytes, units);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].range = ranges[i];
  }
  return out;
}

Offers offers(const Project& project, const std::string& path, std::string_view text, Bytes about) {
  if (text.size() > document_bytes_max) {
    return {};
  }
  Result<Held> held = project.held(path, text);
  if (!held || held.value().as == Held::As::nothing) {
    return {};
  }
  text::Steps steps(steps_max);
  held.value().reading.steps = &steps;
  return held.value().as == Held::As::contract ? offers_of_contract(held.value(), text, about)
                                               : offers_of_artifact(held.value(), text, about);
}

}  // namespace plumb::lsp
