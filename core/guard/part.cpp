#include "core/guard/part.hpp"

#include <algorithm>
#include <utility>

#include "core/json/writer.hpp"

namespace plumb::guard {

using contract::Decision;
using contract::Finding;
using contract::Severity;

namespace {

// What is no text of JSON, or of another kind altogether, is worse than any number of errors inside.
constexpr std::uint64_t unfinished = std::uint64_t{1} << 32;

// The value of a finding, in a text that it was found in.
std::string_view value_of(const Finding& finding, std::string_view text) {
  if (finding.span.to > text.size() || finding.span.from >= finding.span.to) {
    return {};
  }
  return text.substr(static_cast<std::size_t>(finding.span.from),
                     static_cast<std::size_t>(finding.span.to - finding.span.from));
}

std::string fix_operation(const repair::FreeFix& fix) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("op", "replace").member("path", fix.at).key("value").raw(fix.to).end_object();
  return out;
}

// That a text ends where it was stopped is no fault of its own, where there is another one.
void forget_stop(contract::Verdict& verdict) {
  std::vector<Finding> kept;
  for (const Finding& finding : verdict.findings) {
    if (finding.rule != "syntax") {
      kept.push_back(finding);
    }
  }
  if (!kept.empty()) {
    verdict.findings = std::move(kept);
  }
}

}  // namespace

bool Version::good() const {
  return verdict.valid && verdict.decision != Decision::undecided && verdict.decision != Decision::revise &&
         verdict.decision != Decision::block;
}

std::uint64_t Version::structural_errors() const {
  std::uint64_t errors = verdict.count(Severity::error);
  for (const auto& [rule, count] : verdict.more) {
    errors += count;
  }
  for (const Finding& finding : verdict.findings) {
    if (finding.severity == Severity::error &&
        (finding.rule == "syntax" || (finding.at.empty() && finding.rule == "type"))) {
      return errors + unfinished;
    }
  }
  return errors + (whole ? 0 : unfinished);
}

contract::CheckOptions check_options(const GuardOptions& options) {
  contract::CheckOptions out;
  out.context = options.context;
  out.hash_seed = options.hash_seed;
  out.steps = options.steps.get();
  return out;
}

Version judged(const contract::Contract& contract, const contract::CheckOptions& options, std::string text,
               std::size_t kept) {
  contract::Check check(contract, options);
  Version out;
  out.verdict = check.whole(text);
  if (!out.verdict.valid) {
    repair::FreeFixes fixed = repair::free_fixes(out.verdict, text);
    if (!fixed.fixes.empty() && fixed.fixes.front().byte >= kept) {
      check.reset();
      out.verdict = check.whole(fixed.text);
      text = std::move(fixed.text);
      for (const repair::FreeFix& fix : fixed.fixes) {
        out.fixes.push_back(fix_operation(fix));
      }
    }
  }
  out.text = std::move(text);
  return out;
}

Part::Part(const contract::Contract& contract, const GuardOptions& options, PartWays ways)
    : contract_(contract), options_(options), ways_(ways), check_(contract, check_options(options)) {
  if (ways_.mends && options.edits.level != contract::EditLevel::none) {
    reader_.emplace(contract.program(), options.edits, contract::Limits().depth_max);
  }
  // What a rule wants to read is not there: nothing can be promised before the end.
  frozen_ = !contract.context_read().empty() && options.context.empty();
}

void Part::take(std::string_view raw, std::string& release) {
  if (stop_) {
    return;
  }
  const bool too_long = raw.size() > options_.answer_bytes_max - raw_bytes_;
  raw = raw.substr(0, static_cast<std::size_t>(options_.answer_bytes_max - raw_bytes_));
  const char* const what = degenerate_.next(raw);
  if (what != nullptr && ways_.watches) {
    raw = raw.substr(0, static_cast<std::size_t>(degenerate_.at() - raw_bytes_));
  }
  raw_bytes_ += raw.size();
  if (reader_) {
    reader_->read(raw, false, *this);
  } else {
    text_ += raw;
  }
  judge_new(release);
  if (what != nullptr) {
    degenerate_said_ = what;
    if (ways_.watches && !stop_) {
      stop_ = Stop{"degenerate", what, "", "", degenerate_.at()};
    }
  }
  if (too_long && !stop_) {
    stop_ = Stop{"limit", "the answer is longer than what is judged", "", "", raw_bytes_};
  }
}

void Part::judge_new(std::string& release) {
  if (ways_.releases && !frozen_) {
    units_.read(std::string_view(text_).substr(scanned_));
    scanned_ = text_.size();
    for (Units::Boundary one; !frozen_ && units_.next(one);) {
      feed(one.known);
      if (!frozen_ && check_.waiting() == 0) {
        let_go(one.let_go, release);
      }
    }
  }
  feed(text_.size());
  const std::size_t end = broken_at_ != ~std::size_t{0} && ways_.stops && !stop_ ? broken_end() : ~std::size_t{0};
  if (end <= text_.size()) {
    stop_at(end);
  }
}

void Part::stop_at(std::size_t end) {
  broken_at_ = std::max(broken_at_, end);
  stop_ = Stop{"finding", broken_.message.empty() ? broken_.requirement : broken_.message, broken_.rule, broken_.at,
               broken_.decided_at};
}

// Where the text and number that the error is in ends, so that the finding can quote it; at most quoted_bytes_max on.
// Behind the text so far where it has not ended.
std::size_t Part::broken_end() const {
  constexpr std::size_t quoted_bytes_max = 200;
  const auto from = static_cast<std::size_t>(broken_.span.from);
  if (from >= text_.size() || broken_at_ < from) {
    return broken_at_;
  }
  const std::size_t most = broken_at_ + quoted_bytes_max;
  const bool string = text_[from] == '"';
  if (!string && std::string_view("{[").find(text_[from]) != std::string_view::npos) {
    return broken_at_;
  }
  std::size_t at = from + 1;
  if (string) {
    while (at < text_.size() && text_[at] != '"') {
      at += text_[at] == '\\' ? 2 : 1;
    }
    ++at;
  } else {
    at = std::min(text_.find_first_of(",]} \t\r\n", at), text_.size() + 1);
  }
  return std::max(broken_at_, std::min(at, most));
}

void Part::feed(std::size_t to) {
  if (to <= fed_ || (ways_.stops && broken_at_ != ~std::size_t{0})) {
    return;
  }
  certain_.clear();
  check_.push(std::string_view(text_).substr(fed_, to - fed_), certain_);
  fed_ = to;
  for (const Finding& finding : certain_) {
    look(finding);
  }
}

void Part::look(const Finding& finding) {
  if (finding.severity != Severity::error || finding.shadowed_by != 0) {
    return;
  }
  if (finding.rule == "limit") {
    frozen_ = true;
    return;
  }
  const bool member = finding.rule == "memberOf";
  if (member && finding.partial) {
    return;  // its value is not whole: it is looked at again when it is
  }
  if (member && ways_.mends && finding.span.from >= released_) {
    const std::string_view value = value_of(finding, text_);
    if (const std::optional<std::string> to = repair::free_fix(finding, value)) {
      const auto same = [&](const repair::FreeFix& fix) { return fix.byte == finding.span.from; };
      if (std::none_of(fixes_.begin(), fixes_.end(), same)) {
        fixes_.push_back({finding.rule, finding.at, std::string(value), *to, finding.span.from});
      }
      return;
    }
  }
  frozen_ = true;
  const std::uint64_t at = member ? std::max(finding.decided_at, finding.span.to) : finding.decided_at;
  if (at < broken_at_) {
    broken_at_ = static_cast<std::size_t>(at);
    broken_ = finding;
  }
}

// Bytes of the text with the fixes that lie in them.
std::string Part::fixed(std::size_t from, std::size_t to) const {
  std::vector<const repair::FreeFix*> inside;
  for (const repair::FreeFix& fix : fixes_) {
    if (fix.byte >= from && fix.byte + fix.from.size() <= to) {
      inside.push_back(&fix);
    }
  }
  std::sort(inside.begin(), inside.end(),
            [](const repair::FreeFix* a, const repair::FreeFix* b) { return a->byte < b->byte; });
  std::string out;
  for (const repair::FreeFix* const fix : inside) {
    const auto at = static_cast<std::size_t>(fix->byte);
    out.append(text_, from, at - from);
    out += fix->to;
    from = at + fix->from.size();
  }
  return out.append(text_, from, to - from);
}

void Part::let_go(std::size_t to, std::string& release) {
  if (to > released_) {
    const std::string piece = fixed(released_, to);
    release += piece;
    released_text_ += piece;
    released_ = to;
  }
}

Version Part::end(std::string& release) {
  if (broken_at_ != ~std::size_t{0} && ways_.stops && !stop_) {
    stop_at(text_.size());
  }
  if (reader_ && (!stop_ || stop_->why != "finding")) {
    reader_->read({}, true, *this);
  }
  if (reader_ && !stop_) {
    judge_new(release);
  }
  Version out = ended();
  if (reader_ && out.whole) {
    out.verdict.edits = std::move(reader_->edits());
  }
  if (degenerate_said_ != nullptr && out.verdict.signals.empty()) {
    out.verdict.signals.push_back({"degenerate", degenerate_said_, degenerate_.at()});
  }
  return out;
}

Version Part::ended() {
  const std::size_t kept = ways_.mends ? released_text_.size() : ~std::size_t{0};
  if (!stop_ && fixes_.empty()) {
    Version out;
    out.verdict = check_.end();
    out.text = text_;
    if (out.verdict.valid || !ways_.mends) {
      return out;
    }
  }
  const std::size_t to = stop_ && stop_->why == "finding" ? std::min(text_.size(), broken_at_) : text_.size();
  Version out =
      judged(contract_, check_options(options_), released_text_ + fixed(released_, std::max(to, released_)), kept);
  out.whole = !stop_;
  if (stop_ && stop_->why == "finding" && stop_->rule != "syntax") {
    forget_stop(out.verdict);
  }
  for (const repair::FreeFix& fix : fixes_) {
    out.fixes.push_back(fix_operation(fix));
  }
  return out;
}

}  // namespace plumb::guard
