#include "core/workflow/waivers.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/suggest.hpp"
#include "core/wording.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t text_max = 1'000;

Error wrong(std::string message) { return {ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

// Years begin in March, so that a leap day is the last one.
std::int64_t day_number(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t shifted = month > 2 ? month - 3 : month + 9, years = month > 2 ? year : year - 1;
  return 365 * years + years / 4 - years / 100 + years / 400 + (153 * shifted + 2) / 5 + day - 1 - 719'468;
}

bool has(const std::vector<std::string>& list, std::string_view one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

Error not_among(std::string_view what, std::string_view given, std::vector<std::string_view> known) {
  const auto near = text::nearest(given, known);
  std::string message = "'" + json::excerpt(given, 60) + "' is no " + std::string(what);
  message += near ? "; did you mean '" + std::string(known[*near]) + "'?"
                  : "; there are: " + some_of({known.begin(), known.end()}, 30);
  return wrong(std::move(message));
}

bool fits(const Waiver& waiver, std::string_view path) {
  return std::any_of(waiver.text.files.begin(), waiver.text.files.end(),
                     [&](const std::string& glob) { return budget::path_fits(glob, path); });
}

template <typename Fits>
const Waiver* latest(std::span<const Waiver> waivers, const Fits& meant) {
  const Waiver* out = nullptr;
  for (const Waiver& one : waivers) {
    if (meant(one) && (out == nullptr || out->expires < one.expires)) {
      out = &one;
    }
  }
  return out;
}

}  // namespace

Result<std::int64_t> read_day(std::string_view text) {
  const bool form = text.size() == 10 && text[4] == '-' && text[7] == '-' &&
                    ascii::only(text.substr(0, 4), ascii::digits) && ascii::only(text.substr(5, 2), ascii::digits) &&
                    ascii::only(text.substr(8), ascii::digits);
  const auto number = [&](std::size_t from, std::size_t count) {
    std::int64_t out = 0;
    for (const char c : text.substr(from, count)) {
      out = out * 10 + (c - '0');
    }
    return out;
  };
  if (form && number(0, 4) >= 1970 && number(5, 2) >= 1 && number(5, 2) <= 12 && number(8, 2) >= 1) {
    const std::int64_t day = day_number(number(0, 4), number(5, 2), number(8, 2));
    if (day_text(day) == text) {
      return day;
    }
  }
  return wrong("'" + json::excerpt(text, 40) + "' is not a day such as 2027-02-28");
}

std::string day_text(std::int64_t day) {
  const std::int64_t from = day + 719'468, era = from / 146'097, of_era = from % 146'097;
  const std::int64_t year = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const auto two = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return std::to_string(year + era * 400 + (month >= 10 ? 1 : 0)) + "-" + two(month < 10 ? month + 3 : month - 9) +
         "-" + two(of_year - (153 * month + 2) / 5 + 1);
}

bool WaiverText::operator==(const WaiverText& other) const {
  return rule == other.rule && gate == other.gate && owner == other.owner && reason == other.reason &&
         expires == other.expires && files == other.files;
}

std::string Waiver::name() const {
  return text.gate.empty() ? "rule '" + text.rule + "' in " + some_of(text.files) : "gate '" + text.gate + "'";
}

std::span<const std::string_view> waivable_rules() {
  static constexpr std::string_view rules[] = {"scope",       "protected",  "gate-file",         "test-changed",
                                               "base-file",   "sop-check",  "sop-changed",       "limit",
                                               "link-leaves", "git-folder", "nested-repository", "applies-to"};
  return rules;
}

Result<Waiver> waiver_of(const WaiverText& text, const WaiverNames& names, std::int64_t today) {
  if (text.rule.empty() == text.gate.empty()) {
    return wrong("a waiver is for a 'rule' or for a 'gate': name one of them");
  }
  if (!text.gate.empty() && !has(names.gates, text.gate)) {
    return not_among("gate", text.gate, {names.gates.begin(), names.gates.end()});
  }
  const std::span<const std::string_view> rules = waivable_rules();
  if (!text.rule.empty() && std::find(rules.begin(), rules.end(), text.rule) == rules.end() &&
      !has(names.sops, text.rule)) {
    std::vector<std::string_view> known(rules.begin(), rules.end());
    known.insert(known.end(), names.sops.begin(), names.sops.end());
    return not_among("rule that can be waived, and no SOP", text.rule, std::move(known));
  }
  if (!text.rule.empty() && text.files.empty()) {
    return wrong("a waiver of a rule needs 'files': globs of the files in which it is waived");
  }
  if (!text.gate.empty() && !text.files.empty()) {
    return wrong("a gate is waived as a whole: leave out 'files'");
  }
  for (const auto& [member, value] : {std::pair{"owner", &text.owner}, std::pair{"reason", &text.reason}}) {
    if (text::is_blank(*value) || value->size() > text_max) {
      return wrong("a waiver needs " + std::string(member[0] == 'o' ? "an 'owner'" : "a 'reason'") + " of at most " +
                   std::to_string(text_max) + " bytes");
    }
  }
  if (text.expires.empty()) {
    return wrong("a waiver needs a day on which it 'expires', such as " + day_text(today + 90));
  }
  const Result<std::int64_t> expires = read_day(text.expires);
  if (!expires) {
    return wrong("'expires': " + expires.error().message);
  }
  if (expires.value() - today > waiver_days_max) {
    return wrong("it expires on " + text.expires + ", more than a year ahead: " + day_text(today + waiver_days_max) +
                 " is the last day that a waiver may have now");
  }
  return Waiver{text, expires.value()};
}

const Waiver* waiver_for(std::span<const Waiver> waivers, std::string_view path, const contract::Finding& finding) {
  return latest(waivers, [&](const Waiver& one) {
    return !one.text.rule.empty() &&
           (one.text.rule == finding.rule ||
            (finding.rule == "sop-check" && finding.item.ends_with("." + one.text.rule))) &&
           fits(one, path);
  });
}

const Waiver* waiver_for(std::span<const Waiver> waivers, const GateResult& result) {
  return latest(waivers, [&](const Waiver& one) { return one.text.gate == result.gate; });
}

std::string waived_words(const Waiver& waiver, std::int64_t today) {
  if (waiver.expired(today)) {
    return "the waiver by " + waiver.text.owner + " expired on " + waiver.text.expires;
  }
  return "waived by " + waiver.text.owner + " for " +
         (waiver.expires == today ? std::string("today")
                                  : counted(static_cast<std::size_t>(waiver.expires - today), "more day")) +
         " (" + waiver.text.reason + ")";
}

void waive(contract::Finding& finding, const Waiver& waiver, std::int64_t today) {
  finding.message = waived_words(waiver, today) + ": " + finding.message;
  if (!waiver.expired(today)) {
    finding.severity = contract::Severity::info;
  }
}

}  // namespace plumb::workflow
