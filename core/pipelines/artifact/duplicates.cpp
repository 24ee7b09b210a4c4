#include "core/pipelines/artifact/duplicates.hpp"

#include <algorithm>
#include <map>

#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::pipelines::artifact {

namespace {

using contract::Finding;
using contract::Severity;
using json::Kind;
using json::Value;

bool is_zero_width(char32_t c) { return c == 0x00AD || (c >= 0x200B && c <= 0x200F) || c == 0x2060 || c == 0xFEFF; }

bool ends_a_sentence(char32_t c) {
  static constexpr std::u32string_view signs = U".,;:!?\u2026\u3002\uFF0E\uFF0C\uFF1B\uFF1A\uFF01\uFF1F\u061F\u0964";
  return signs.find(c) != std::u32string_view::npos;
}

// The plain form of a character that is only another way to write it.
char32_t plain_form(char32_t c) {
  if (c >= 0xFF01 && c <= 0xFF5E) {
    return c - 0xFEE0;
  }
  if (c == 0x00B9 || c == 0x00B2 || c == 0x00B3) {
    return c == 0x00B9 ? U'1' : c == 0x00B2 ? U'2' : U'3';
  }
  if ((c >= 0x2070 && c <= 0x2079) || (c >= 0x2080 && c <= 0x2089)) {
    return U'0' + (c & 0xFU);
  }
  return c;
}

std::string_view ligature(char32_t c) {
  static constexpr std::string_view parts[] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"};
  return c >= 0xFB00 && c <= 0xFB06 ? parts[c - 0xFB00] : std::string_view();
}

std::string_view first_text(const Value& item) {
  if (item.is(Kind::string)) {
    return item.str();
  }
  for (const json::Member& member : item.object()) {
    if (member.value.is(Kind::string)) {
      return member.value.str();
    }
  }
  return {};
}

void add(std::vector<Finding>& out, std::string_view rule, Severity severity, std::string at, std::string message) {
  Finding finding;
  finding.rule = rule;
  finding.severity = severity;
  finding.finding_class = contract::FindingClass::meaning;
  finding.at = std::move(at);
  finding.message = std::move(message);
  finding.requirement = "no two read alike";
  out.push_back(std::move(finding));
}

// Options that differ only in what people do not see, but that `distinct` tells apart.
void add_options(const Value& item, const std::string& place, std::vector<Finding>& out) {
  for (const json::Member& member : item.object()) {
    std::map<std::string, std::string> known;  // key: the option, folded as contracts do
    for (std::size_t i = 0; i < member.value.array().size(); ++i) {
      const Value& option = member.value.array()[i];
      if (!option.is(Kind::string)) {
        continue;
      }
      const std::string folded = text::fold(option.str(), {.trim = true, .lowercase = true});
      const auto [found, is_new] = known.try_emplace(duplicate_key(option.str()), folded);
      if (!is_new && found->second != folded) {
        std::string at = place;
        json::append_token(at, member.key);
        json::append_token(at, i);
        add(out, rule_duplicate_option, Severity::warning, std::move(at),
            "'" + json::excerpt(option.str(), 80) + "' reads like another option");
      }
    }
  }
}

}  // namespace

std::string duplicate_key(std::string_view text) {
  const std::string normal = text::fold(text::nfc(text), {.trim = true, .lowercase = true});
  std::string out;
  std::size_t end = 0;  // behind the last character that is no final punctuation
  const char* at = normal.data();
  const char* const to = at + normal.size();
  while (at != to) {
    const text::Decoded c = text::decode(at, to);
    at += c.size;
    if (!c.valid || is_zero_width(c.code_point)) {
      continue;
    }
    const char32_t plain = plain_form(c.code_point);
    if (text::is_white_space(plain)) {
      out += out.empty() || out.back() == ' ' ? "" : " ";
      continue;
    }
    if (const std::string_view parts = ligature(plain); !parts.empty()) {
      out += parts;
    } else {
      text::append_utf8(out, plain);
    }
    end = ends_a_sentence(c.code_point) ? end : out.size();
  }
  out.resize(end > 0 ? end : out.size());
  return text::fold(out, {.trim = true, .lowercase = true});
}

std::vector<Finding> duplicates_in(const Value& artifact, const std::vector<std::string>& places,
                                   std::string_view one) {
  std::vector<Finding> out;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Value* item = json::resolve(artifact, places[i]);
    if (item == nullptr) {
      continue;
    }
    const std::string key = duplicate_key(first_text(*item));
    if (!key.empty()) {
      const auto [found, is_new] = known.try_emplace(key, i);
      if (!is_new) {
        add(out, rule_duplicate, Severity::error, places[i],
            "The " + std::string(one) + " at " + places[i] + " repeats that at " + places[found->second] + ": '" +
                json::excerpt(first_text(*item), 80) + "'");
      }
    }
    add_options(*item, places[i], out);
  }
  return out;
}

void add_findings(contract::Verdict& verdict, std::vector<Finding> findings) {
  const std::size_t own = verdict.findings.size();
  for (Finding& finding : findings) {
    const auto is_known = [&](const Finding& one) {
      return one.rule == "distinct" && (one.at == finding.at || one.at.starts_with(finding.at + "/"));
    };
    const auto end = verdict.findings.begin() + static_cast<std::ptrdiff_t>(own);
    if (finding.rule == rule_duplicate && std::any_of(verdict.findings.begin(), end, is_known)) {
      continue;
    }
    finding.id = static_cast<std::uint32_t>(verdict.findings.size() + 1);
    verdict.valid = verdict.valid && finding.severity != Severity::error;
    verdict.findings.push_back(std::move(finding));
  }
}

}  // namespace plumb::pipelines::artifact
