// SARIF 2.1.0 for code scanning. Shadowed findings are left out. An info finding has the level "note". Lines and
// columns are those of the verdict (columnKind says UTF-16 units). Byte offsets are written if the artifact is the
// whole file. A fingerprint covers contract, rule, place in the artifact and place in the contract, so it survives
// edits elsewhere in the file. Equal fingerprints in one file are numbered. An input that could not be read is a
// notification of the invocation, which then was not successful.

#include <algorithm>
#include <map>

#include "core/ascii.hpp"
#include "core/contract/explain.hpp"
#include "core/contract/render.hpp"
#include "core/contract/render_place.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"

#ifndef PLUMB_VERSION
#define PLUMB_VERSION "0.0.0"
#endif

namespace plumb::contract {

namespace {

std::string_view level_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "note";
  }
  return "none";
}

// A relative file name as a URI reference: characters that RFC 3986 does not allow in a path are percent-encoded.
std::string uri_of(std::string_view path) {
  std::string out;
  if (path == "-") {
    return "stdin";
  }
  const std::size_t colon = path.find(':');
  const std::size_t slash = path.find('/');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon < slash)) {
    out = "./";  // otherwise the first segment would read as a scheme
  }
  for (const char c : path) {
    const bool alphanumeric = ascii::is_alphanumeric(c);
    if (alphanumeric || std::string_view("-._~!$&'()*+,;=:@/").find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += "0123456789ABCDEF"[byte >> 4];
      out += "0123456789ABCDEF"[byte & 15U];
    }
  }
  return out;
}

struct Rule {
  std::string_view id;
  Severity severity = Severity::error;
  std::string_view title;  // of a contract's own rule
};

// The rules that have findings, by id. So a report changes only if its findings do.
std::vector<Rule> rules_of(const std::vector<FileVerdict>& all) {
  std::vector<Rule> rules;
  for (const FileVerdict& one : all) {
    for (const Finding& finding : one.verdict.findings) {
      if (finding.shadowed_by == 0) {
        const std::vector<ScorecardLine>& lines = one.verdict.scorecard;
        const auto line = std::find_if(lines.begin(), lines.end(),
                                       [&](const ScorecardLine& each) { return each.id == finding.rule; });
        rules.push_back({finding.rule, finding.severity, line == lines.end() ? std::string_view() : line->title});
      }
    }
  }
  const auto before = [](const Rule& a, const Rule& b) {
    return a.id != b.id ? a.id < b.id : static_cast<int>(a.severity) < static_cast<int>(b.severity);
  };
  stable_sort(rules, before);
  const auto same = [](const Rule& a, const Rule& b) { return a.id == b.id; };
  rules.erase(std::unique(rules.begin(), rules.end(), same), rules.end());
  return rules;
}

std::size_t index_of(const std::vector<Rule>& rules, std::string_view id) {
  const auto found = std::lower_bound(rules.begin(), rules.end(), id,
                                      [](const Rule& rule, std::string_view wanted) { return rule.id < wanted; });
  return static_cast<std::size_t>(found - rules.begin());
}

std::string fingerprint_of(const Verdict& verdict, const Finding& finding) {
  std::string key = verdict.contract;
  for (const std::string* part : {&finding.rule, &finding.at, &finding.property, &finding.schema_location}) {
    key += '\0';
    key += *part;
  }
  return fingerprint(key);
}

void write_result(json::Writer& json, const FileVerdict& one, const Finding& finding, std::size_t rule_index,
                  const std::string& print) {
  const Place place = place_of(one);
  json.begin_object();
  json.member("ruleId", finding.rule);
  json.member_uint("ruleIndex", rule_index);
  json.member("level", level_of(finding.severity));
  json.key("message").begin_object();
  json.member("text", finding.message.empty() ? finding.rule : finding.message);
  json.end_object();
  json.key("locations").begin_array().begin_object();
  json.key("physicalLocation").begin_object();
  json.key("artifactLocation").begin_object();
  json.member("uri", uri_of(place.path));
  json.end_object();
  json.key("region").begin_object();
  json.member_uint("startLine", place.line(finding.span.line));
  json.member_uint("startColumn", place.column(finding.span.column));
  json.member_uint("endLine", place.line(finding.span.line_to));
  json.member_uint("endColumn", place.column(finding.span.column_to));
  if (!place.json_lines) {
    json.member_uint("byteOffset", finding.span.from);
    json.member_uint("byteLength", finding.span.to - std::min(finding.span.from, finding.span.to));
  }
  json.end_object().end_object();
  json.key("logicalLocations").begin_array().begin_object();
  json.member("fullyQualifiedName", finding.at);
  json.end_object().end_array();
  json.end_object().end_array();
  json.key("partialFingerprints").begin_object();
  json.member("plumbFinding/v1", print);
  json.end_object();
  json.key("properties").begin_object();
  json.member("contract", one.verdict.contract);
  json.member("schemaLocation", finding.schema_location);
  json.member_uint("decidedAt", finding.decided_at);
  if (!finding.item.empty()) {
    json.member("item", finding.item);
  }
  if (const std::string record = record_text(one); !record.empty()) {
    json.member("record", record);
  }
  json.end_object();
  json.end_object();
}

// An edit that was made, or is offered, as a note with its fix.
void write_edit(json::Writer& json, const FileVerdict& one, const Edit& edit) {
  const Place place = place_of(one);
  const std::string title(edit_class_title(edit.edit_class));
  json.begin_object();
  json.member("ruleId", "edit/" + std::string(edit_class_name(edit.edit_class)));
  json.member("level", "note");
  json.member("kind", "informational");
  json.key("message").begin_object();
  json.member("text", (edit.applied ? "Edited: " : "Offered: ") + title + (edit.certain ? "" : " (a guess)"));
  json.end_object();
  json.key("locations").begin_array().begin_object();
  json.key("physicalLocation").begin_object();
  json.key("artifactLocation").begin_object().member("uri", uri_of(place.path)).end_object();
  json.key("region").begin_object();
  json.member_uint("startLine", place.line(edit.span.line)).member_uint("startColumn", place.column(edit.span.column));
  json.member_uint("endLine", place.line(edit.span.line_to))
      .member_uint("endColumn", place.column(edit.span.column_to));
  json.end_object().end_object().end_object().end_array();
  if (!place.json_lines) {  // offsets count in the artifact, which is not the file
    json.key("fixes").begin_array().begin_object();
    json.key("description").begin_object().member("text", title).end_object();
    json.key("artifactChanges").begin_array().begin_object();
    json.key("artifactLocation").begin_object().member("uri", uri_of(place.path)).end_object();
    json.key("replacements").begin_array();
    for (const Change& change : edit.changes) {
      json.begin_object();
      json.key("deletedRegion").begin_object().member_uint("byteOffset", change.from);
      json.member_uint("byteLength", change.to - change.from).end_object();
      json.key("insertedContent").begin_object().member("text", change.text).end_object();
      json.end_object();
    }
    json.end_array().end_object().end_array().end_object().end_array();
  }
  json.end_object();
}

void write_rule(json::Writer& json, const Rule& rule) {
  json.begin_object();
  json.member("id", rule.id);
  const Explanation* known = rule.title.empty() ? explanation_of(rule.id) : nullptr;
  const std::string_view meaning = known == nullptr ? rule.title.empty() ? rule.id : rule.title : known->meaning;
  json.key("shortDescription").begin_object();
  json.member("text", meaning.substr(0, meaning.find(". ")));
  json.end_object();
  if (known != nullptr) {
    json.key("help").begin_object();
    json.member("text", std::string(meaning) + (known->fix.empty() ? "" : " To fix: ") + std::string(known->fix));
    json.end_object();
  }
  json.key("defaultConfiguration").begin_object();
  json.member("level", level_of(rule.severity));
  json.end_object();
  json.end_object();
}

// The reason why an input could not be read or judged; nullptr for an artifact that was judged.
const Undecided* unread(const FileVerdict& one) {
  for (const Undecided& undecided : one.verdict.undecided) {
    if (undecided.rule == "input") {
      return &undecided;
    }
  }
  return nullptr;
}

void write_invocation(std::string& out, const std::vector<FileVerdict>& all) {
  json::Writer json(out);
  json.begin_object();
  json.member_boolean("executionSuccessful", std::none_of(all.begin(), all.end(), [](const FileVerdict& one) {
                        return unread(one) != nullptr;
                      }));
  json.key("toolExecutionNotifications").begin_array();
  for (const FileVerdict& one : all) {
    const Undecided* const why = unread(one);
    if (why == nullptr) {
      continue;
    }
    json.begin_object();
    json.member("level", "error");
    json.key("message").begin_object().member("text", why->reason).end_object();
    json.key("locations").begin_array().begin_object().key("physicalLocation").begin_object();
    const Place place = place_of(one);
    json.key("artifactLocation").begin_object().member("uri", uri_of(place.path)).end_object();
    if (place.recorded) {
      json.key("region").begin_object().member_uint("startLine", place.line(1)).end_object();
    }
    json.end_object().end_object().end_array();
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string render_sarif(const std::vector<FileVerdict>& all) {
  const std::vector<Rule> rules = rules_of(all);
  std::string out =
      "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n"
      "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"plumb\",\"version\":\"" PLUMB_VERSION
      "\",\"rules\":[";
  for (std::size_t i = 0; i < rules.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    json::Writer json(out);
    write_rule(json, rules[i]);
  }
  out += "]}},\"invocations\":[";
  write_invocation(out, all);
  out += "],\"columnKind\":\"utf16CodeUnits\",\"results\":[";
  bool first = true;
  std::string_view path;
  std::map<std::string, std::uint64_t> prints;  // of the present file, with the number of uses
  for (const FileVerdict& one : all) {
    if (first || place_of(one.file).path != path) {
      path = place_of(one.file).path;
      prints.clear();
    }
    for (const Finding& finding : one.verdict.findings) {
      if (finding.shadowed_by != 0) {
        continue;
      }
      const std::string print = fingerprint_of(one.verdict, finding);
      const std::uint64_t occurrence = ++prints[print];
      out += first ? "\n" : ",\n";
      first = false;
      json::Writer json(out);
      write_result(json, one, finding, index_of(rules, finding.rule), print + ":" + json::uint_text(occurrence));
    }
    for (std::size_t i = 0; i < one.verdict.edits.size() && i < edits_shown_max; ++i) {
      out += first ? "\n" : ",\n";
      first = false;
      json::Writer json(out);
      write_edit(json, one, one.verdict.edits[i]);
    }
  }
  out += "]}]}\n";
  return out;
}

}  // namespace plumb::contract
