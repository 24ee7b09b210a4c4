#include "core/repair/check.hpp"

#include "core/json/number_text.hpp"
#include "core/repair/escape_warnings.hpp"

namespace plumb::repair {

using contract::Finding;
using contract::Verdict;

namespace {

// True if an edit could change a text with this verdict. A text without such findings is read once, by the engine
// alone. An edit of the text needs a syntax error. An edit for the contract's sake needs a value of the wrong type or
// text, in any alternative. An envelope needs a finding at the root.
bool may_mend(const Verdict& verdict) {
  for (const Finding& finding : verdict.findings) {
    if (finding.rule == "syntax" || finding.rule == "type" || finding.rule == "enum" || finding.rule == "const" ||
        finding.rule == "anyOf" || finding.rule == "oneOf" || finding.at.empty()) {
      return true;
    }
  }
  return !verdict.more.empty();
}

}  // namespace

Check::Check(const contract::Contract& contract, const contract::CheckOptions& options, const EditOptions& edits)
    : check_(contract, options),
      options_(edits),
      edits_(edits.level != contract::EditLevel::none),
      reader_(contract.program(), edits, options.limits.depth_max),
      program_(&contract.program()),
      depth_max_(options.limits.depth_max) {}

void Check::Judge::take(std::string_view bytes) {
  self->check_.push(bytes, *certain);
  if (self->options_.keep_text) {
    self->text_.append(bytes);
  }
}

void Check::to_original(Finding& finding) const {
  finding.span = reader_.origins().to_original(finding.span, finding.partial);
  finding.decided_at = reader_.origins().offset_to_original(finding.decided_at);
  for (Finding& cause : finding.causes) {
    to_original(cause);
  }
}

void Check::note_signals() {
  const std::vector<contract::Signal>& raised = check_.signals();
  std::size_t known =
      signals_.size() - (reader_.full_at() != 0 && !signals_.empty() && signals_.back().kind == "edits");
  for (; known < raised.size(); ++known) {
    contract::Signal one = raised[known];
    one.at_byte = reader_.origins().offset_to_original(one.at_byte);
    signals_.push_back(std::move(one));
  }
  if (reader_.full_at() != 0 && (signals_.empty() || signals_.back().kind != "edits")) {
    std::string detail = "more than ";
    json::append_uint(detail, options_.edits_max);
    detail += " edits are needed; no more were made";
    signals_.push_back({"edits", std::move(detail), reader_.full_at()});
  }
}

void Check::read(std::string_view bytes, bool final, std::vector<Finding>& certain) {
  const std::size_t before = certain.size();
  Judge judge;
  judge.self = this;
  judge.certain = &certain;
  reader_.read(bytes, final, judge);
  bytes_ += bytes.size();
  for (std::size_t i = before; i < certain.size(); ++i) {
    to_original(certain[i]);
  }
  note_signals();
}

void Check::push(std::string_view bytes, std::vector<Finding>& certain) {
  if (edits_) {
    read(bytes, false, certain);
    return;
  }
  check_.push(bytes, certain);
  look_at(bytes);
  if (options_.keep_text) {
    text_.append(bytes);
  }
}

// Remembers bytes of a text that is not edited, up to the bound and one more.
void Check::look_at(std::string_view bytes) {
  if (looked_at_.size() <= escapes_bytes_max) {
    looked_at_.append(bytes.substr(0, escapes_bytes_max + 1 - looked_at_.size()));
  }
}

void Check::warn(Verdict& verdict, std::string_view text, std::vector<Finding>& certain) const {
  if (text.size() <= escapes_bytes_max) {
    warn_of_escapes(verdict, *program_, depth_max_, text, certain);
  }
}

// Sets mended_: reader_ has read the text to its end, an edit was made, and the result is complete.
void Check::note_mended() {
  bool made = false;
  for (const contract::Edit& edit : reader_.edits()) {
    made = made || edit.applied;
  }
  mended_ = made && !reader_.gave_up();
  if (reader_.gave_up()) {
    text_.clear();
  }
}

Verdict Check::end(std::vector<Finding>& certain) {
  if (!edits_) {
    Verdict verdict = check_.end(certain);
    warn(verdict, looked_at_, certain);
    return verdict;
  }
  read({}, true, certain);
  const std::size_t before = certain.size();
  Verdict verdict = check_.end(certain);
  for (std::size_t i = before; i < certain.size(); ++i) {
    to_original(certain[i]);
  }
  for (Finding& finding : verdict.findings) {
    to_original(finding);
  }
  note_signals();
  verdict.signals = signals_;
  verdict.bytes = bytes_;
  note_mended();
  verdict.edits = std::move(reader_.edits());
  warn_of_escapes(verdict, certain);
  return verdict;
}

Verdict Check::end() {
  std::vector<Finding> certain;
  return end(certain);
}

Verdict Check::whole(std::string_view text) {
  std::vector<Finding> certain;
  if (edits_) {
    Verdict verdict = check_.whole(text);
    if (!may_mend(verdict) && !may_have_suspect_escape(text)) {
      if (options_.keep_text) {
        text_.assign(text);
      }
      return verdict;
    }
    check_.reset();
    read(text, true, certain);
    return end(certain);
  }
  if (options_.keep_text) {
    text_.assign(text);
  }
  Verdict verdict = check_.whole(text);
  warn(verdict, text, certain);
  return verdict;
}

Verdict Check::whole_mended(std::string_view text) {
  struct Keep final : Output {
    void take(std::string_view bytes) override { text->append(bytes); }
    std::string* text = nullptr;
  };
  if (!edits_) {
    return whole(text);
  }
  Verdict verdict = check_.whole(text);
  if (!may_mend(verdict) && !may_have_suspect_escape(text)) {
    text_.assign(text);
    return verdict;
  }
  check_.reset();
  Keep keep;
  keep.text = &text_;
  reader_.read(text, true, keep);
  note_mended();
  if (mended_) {
    verdict = check_.whole(text_);
    std::vector<Finding> certain;
    warn_of_escapes(verdict, *program_, depth_max_, text_, certain);
    verdict.edits = std::move(reader_.edits());
    return verdict;
  }
  reader_.reset();
  text_.clear();
  std::vector<Finding> certain;
  read(text, true, certain);
  return end(certain);
}

std::optional<Verdict> Check::end_unless(const Verdict& known, std::vector<Finding>& certain) {
  return edits_ || may_have_suspect_escape(looked_at_) ? end(certain) : check_.end_unless(known, certain);
}

std::optional<Verdict> Check::whole_unless(const Verdict& known, std::string_view text) {
  const bool other = edits_ || options_.keep_text || may_have_suspect_escape(text);
  return other ? whole(text) : check_.whole_unless(known, text);
}

void Check::reset() {
  check_.reset();
  if (edits_) {
    reader_.reset();
  }
  signals_.clear();
  text_.clear();
  looked_at_.clear();
  bytes_ = 0;
  mended_ = false;
}

}  // namespace plumb::repair
