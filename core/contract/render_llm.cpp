// Feedback for a model: what is wrong, by field, and what to do. `required` (and `dependentRequired`, `dependencies`)
// is missing, additional and unevaluated properties are unknown, everything else is invalid. A member that no schema
// names is unknown too if it is spelled almost like a missing one. The schema is not
// repeated. `action` comes last, because models follow the last words best. No action asks the model to try again,
// because that starts loops.
//
// Only errors are issues: a warning or info may remain. Shadowed findings are left out.
//
// `provided` is the value as the model wrote it, from the artifact's text, because its size alone would not tell a
// model which value is meant. For a text that is not JSON, it is the character that does not belong there, by its
// name.

#include "core/contract/render.hpp"
#include "core/contract/render_place.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

namespace {

constexpr std::size_t provided_max = 200;  // code points
constexpr std::size_t compact_max = 65536;
constexpr std::size_t issues_max = 50;
constexpr std::size_t actions_max = 5;

bool is_issue(const Finding& finding) { return finding.shadowed_by == 0 && finding.severity == Severity::error; }

bool is_missing(const Finding& finding) {
  return !finding.property.empty() &&
         (finding.rule == "required" || finding.rule == "dependentRequired" || finding.rule == "dependencies");
}

bool is_unknown(const Finding& finding) {
  return !finding.property.empty() &&
         (finding.rule == "additionalProperties" || finding.rule == "unevaluatedProperties");
}

// The path of the member that the finding names. A finding about an existing member may be at the member or at its
// object; one about a missing member is at the object.
std::string property_path(const Finding& finding) {
  std::string token = "/";
  append_pointer_token(token, finding.property);
  const std::string& at = finding.at;
  const bool at_member = !is_missing(finding) && at.ends_with(token);
  return field_path(at_member ? at : at + token);
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  if (out.back() != '{') {
    out += ',';
  }
  out += '"';
  out += name;
  out += "\":";
  json::append_string(out, value);
}

std::string hexadecimal(char32_t c) {
  std::string out = "U+";
  for (int shift = c > 0xFFFF ? 20 : 12; shift >= 0; shift -= 4) {
    out += "0123456789ABCDEF"[(c >> shift) & 15U];
  }
  return out;
}

// Names a character that JSON does not allow at its place, so that a model can find it.
std::string named_character(std::string_view rest) {
  std::size_t behind = 0;
  const char32_t c = next_code_point(rest, behind);
  constexpr std::pair<char32_t, std::string_view> names[] = {
      {U'\n', "a line break"},         {U'\r', "a line break"},         {U'\t', "a tab"},
      {0xA0, "a no-break space"},      {0x202F, "a no-break space"},    {0x3000, "an ideographic space"},
      {0xFEFF, "a byte order mark"},   {0x201C, "a typographic quote"}, {0x201D, "a typographic quote"},
      {0x2018, "a typographic quote"}, {0x2019, "a typographic quote"}};
  for (const auto& [known, name] : names) {
    if (known == c) {
      return std::string(name) + " (" + hexadecimal(c) + ")";
    }
  }
  const bool shown = c > 0x20 && !(c >= 0x7F && c < 0xA0);
  const std::string itself = shown ? "'" + std::string(rest.substr(0, behind)) + "' " : "the character ";
  return c < 0x7F && shown ? itself.substr(0, itself.size() - 1) : itself + "(" + hexadecimal(c) + ")";
}

// The artifact's text at the finding; empty if it is unknown.
std::string as_written(const Finding& finding, std::string_view artifact) {
  const Span& span = finding.span;
  const bool within = span.from <= span.to && span.to <= artifact.size();
  if (artifact.empty() || !within || (span.from == span.to && finding.rule != "syntax")) {
    return {};
  }
  const std::string_view rest = artifact.substr(static_cast<std::size_t>(span.from));
  if (finding.rule == "syntax") {
    constexpr std::size_t before_max = 40;
    std::size_t from = static_cast<std::size_t>(span.from);
    const std::size_t least = from > before_max ? from - before_max : 0;
    from = least;
    while (from < span.from && (static_cast<unsigned char>(artifact[from]) & 0xC0U) == 0x80) {
      ++from;
    }
    const std::string_view before = artifact.substr(from, static_cast<std::size_t>(span.from) - from);
    std::string out = rest.empty() ? "the end of the text" : named_character(rest);
    return before.empty() ? out : out + " behind " + std::string(before);
  }
  const std::string_view written = rest.substr(0, static_cast<std::size_t>(span.to - span.from));
  if (written.size() <= compact_max && (written.front() == '{' || written.front() == '[')) {
    json::Arena arena;
    if (const Result<json::Value> value = json::parse(written, arena)) {  // without the layout, which costs tokens
      return json::excerpt(json::value_text(value.value()), provided_max);
    }
  }
  return json::excerpt(written, provided_max);
}

// The three lists, each filled in the order of the findings.
struct Issues {
  std::string_view artifact;
  std::string invalid;
  std::string missing;
  std::string unknown;
  std::size_t listed = 0;
  std::uint64_t total = 0;

  void add(const Finding& finding) {
    if (is_unknown(finding)) {
      add_unknown(property_path(finding));
      return;
    }
    if (is_missing(finding) && !finding.provided.empty()) {
      std::string token = finding.at + "/";
      append_pointer_token(token, finding.provided);
      add_unknown(field_path(token));
    }
    ++total;
    if (listed == issues_max) {
      return;
    }
    ++listed;
    if (is_missing(finding)) {
      std::string& out = next(missing);
      out += '{';
      append_member(out, "field", property_path(finding));
      append_member(out, "requirement", finding.requirement.empty() ? finding.message : finding.requirement);
      out += '}';
    } else {
      std::string& out = next(invalid);
      out += '{';
      append_member(out, "field", field_path(finding.at));
      const std::string value = as_written(finding, artifact);
      append_member(out, "provided", value.empty() ? std::string_view(finding.provided) : std::string_view(value));
      append_member(out, "problem", finding.message.empty() ? finding.rule : finding.message);
      append_member(out, "requirement", finding.requirement.empty() ? finding.message : finding.requirement);
      if (!finding.allowed.empty()) {
        out += ",\"allowed\":[";
        for (const std::string& one : finding.allowed) {
          out += out.back() == '[' ? "" : ",";
          out += one;
        }
        out += ']';
      }
      out += '}';
    }
  }

  void append_to(std::string& out) const {
    out += '{';
    append_list(out, "invalid", invalid);
    append_list(out, "missing", missing);
    append_list(out, "unknown", unknown);
    out += '}';
  }

 private:
  // Each member once: what is near a missing member may be forbidden besides.
  void add_unknown(std::string_view path) {
    std::string text;
    json::append_string(text, path);
    if (unknown.find(text) != std::string::npos) {
      return;
    }
    ++total;
    if (listed < issues_max) {
      ++listed;
      next(unknown) += text;
    }
  }
  static std::string& next(std::string& list) {
    if (!list.empty()) {
      list += ',';
    }
    return list;
  }
  static void append_list(std::string& out, std::string_view name, const std::string& list) {
    if (list.empty()) {
      return;
    }
    if (out.back() != '{') {
      out += ',';
    }
    out += '"';
    out += name;
    out += "\":[";
    out += list;
    out += ']';
  }
};

// The actions of the broken rules, each once, in the order of the findings.
std::string actions_of(const Verdict& verdict) {
  std::vector<std::string_view> actions;
  for (const Finding& finding : verdict.findings) {
    if (!is_issue(finding) || finding.action.empty() || actions.size() == actions_max) {
      continue;
    }
    bool seen = false;
    for (const std::string_view action : actions) {
      seen = seen || action == finding.action;
    }
    if (!seen) {
      actions.push_back(finding.action);
    }
  }
  std::string out;
  for (const std::string_view action : actions) {
    out += out.empty() ? "" : " ";
    out += action;
  }
  return out;
}

std::string action_of(const Verdict& verdict, bool only_limits, std::string_view tool, std::string_view action) {
  std::string from_rules = actions_of(verdict);
  if (!from_rules.empty()) {
    return from_rules;
  }
  if (!action.empty()) {
    return std::string(action);
  }
  if (only_limits) {
    return "Keep the artifact within the stated limit and return it complete.";
  }
  if (!tool.empty()) {
    return "Call " + std::string(tool) + "() with corrected data";
  }
  return "Return the complete artifact with every issue above corrected.";
}

}  // namespace

std::string render_llm(const Verdict& verdict, std::string_view tool, std::string_view action,
                       std::string_view artifact) {
  Issues issues;
  issues.artifact = artifact;
  bool only_limits = true;
  for (const Finding& finding : verdict.findings) {
    if (is_issue(finding)) {
      issues.add(finding);
      only_limits = only_limits && finding.rule == "limit";
    }
  }
  for (const auto& [rule, count] : verdict.more) {
    issues.total += count;
  }
  std::string out = "{";
  if (issues.total == 0) {
    if (verdict.decision == Decision::undecided) {
      append_member(out, "result", "undecided");
      append_member(out, "action",
                    "Go on with what is there: nothing wrong was found, but not everything could be checked.");
    } else {
      append_member(out, "result", "success");
      append_member(out, "action", "The artifact is accepted. Go on with the next step.");
    }
  } else {
    append_member(out, "result", only_limits ? "undecided" : "validation_failed");
    out += ",\"issues\":";
    issues.append_to(out);
    out += ",\"issue_count\":";
    json::append_uint(out, issues.total);
    append_member(out, "action", action_of(verdict, only_limits, tool, action));
  }
  out += '}';
  return out;
}

}  // namespace plumb::contract
