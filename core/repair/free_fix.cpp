#include "core/repair/free_fix.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/text/fold.hpp"

namespace plumb::repair {

namespace {

// A finding lists at most this many values. A full list may be incomplete.
constexpr std::size_t allowed_listed_max = 20;

std::optional<std::string> folded(std::string_view json) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(json, arena);
  if (!value || !value.value().is(json::Kind::string)) {
    return std::nullopt;
  }
  return text::fold(value.value().str(), {true, true});
}

}  // namespace

std::optional<std::string> free_fix(const contract::Finding& finding, std::string_view value) {
  if (finding.rule != "memberOf" || finding.partial || finding.allowed.size() >= allowed_listed_max) {
    return std::nullopt;
  }
  const std::optional<std::string> own = folded(value);
  if (!own || own->empty()) {
    return std::nullopt;
  }
  const std::string* only = nullptr;
  for (const std::string& allowed : finding.allowed) {
    if (folded(allowed) == own) {
      if (only != nullptr && *only != allowed) {
        return std::nullopt;
      }
      only = &allowed;
    }
  }
  return only == nullptr ? std::nullopt : std::optional<std::string>(*only);
}

FreeFixes free_fixes(const contract::Verdict& verdict, std::string_view text) {
  FreeFixes out;
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.span.to > text.size() || finding.span.from >= finding.span.to) {
      continue;
    }
    const std::string_view value = text.substr(static_cast<std::size_t>(finding.span.from),
                                               static_cast<std::size_t>(finding.span.to - finding.span.from));
    const std::optional<std::string> to = free_fix(finding, value);
    const bool again = std::any_of(out.fixes.begin(), out.fixes.end(),
                                   [&](const FreeFix& known) { return known.byte == finding.span.from; });
    if (to && !again) {
      out.fixes.push_back({finding.rule, finding.at, std::string(value), *to, finding.span.from});
    }
  }
  std::sort(out.fixes.begin(), out.fixes.end(), [](const FreeFix& a, const FreeFix& b) { return a.byte < b.byte; });
  std::size_t at = 0;
  for (const FreeFix& fix : out.fixes) {
    out.text += text.substr(at, static_cast<std::size_t>(fix.byte) - at);
    out.text += fix.to;
    at = static_cast<std::size_t>(fix.byte) + fix.from.size();
  }
  out.text += text.substr(at);
  return out;
}

}  // namespace plumb::repair
