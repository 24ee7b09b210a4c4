// Reads a verdict back from the JSON that verdict_json() writes, so that a host can keep verdicts as text and have them
// rendered later, together, or by another instance of the module. read_verdict(parse(verdict_json(v))) renders as v
// does; tests/wasm holds the two together. Members that are absent or of another kind keep their defaults, unknown ones
// are passed over: a host may have added its own.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/contract/verdict.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "wasm/read_json.hpp"

namespace plumb::wasm {

// The enumerator among the first `count` whose name is written in `object`, else `otherwise`.
template <class Enum, class Name>
Enum read_name(const json::Value& object, std::string_view key, Name name, std::uint8_t count, Enum otherwise) {
  const json::Value* value = object.find(key);
  for (std::uint8_t i = 0; value != nullptr && i < count; ++i) {
    if (name(static_cast<Enum>(i)) == value->str()) {
      return static_cast<Enum>(i);
    }
  }
  return otherwise;
}

inline contract::Span read_span(const json::Value& span) {
  return {read_uint(span, "from"),        read_uint(span, "to"),           read_uint(span, "utf16From"),
          read_uint(span, "utf16To"),     read_uint32(span, "line", 1),    read_uint32(span, "column", 1),
          read_uint32(span, "lineTo", 1), read_uint32(span, "columnTo", 1)};
}

// `causes_depth` bounds the recursion; causes further down are left out.
inline contract::Finding read_finding(const json::Value& from, int causes_depth = 64) {
  contract::Finding finding;
  finding.id = read_uint32(from, "id");
  finding.rule = read_text(from, "rule");
  finding.severity = read_name(from, "severity", contract::severity_name, 3, finding.severity);
  finding.finding_class = read_name(from, "class", contract::class_name, 4, finding.finding_class);
  finding.at = read_text(from, "at");
  finding.item = read_text(from, "item");
  finding.message = read_text(from, "message");
  finding.provided = read_text(from, "provided");
  finding.requirement = read_text(from, "requirement");
  finding.property = read_text(from, "property");
  finding.action = read_text(from, "action");
  finding.schema_location = read_text(from, "schemaLocation");
  finding.wants_context = read_text(from, "wantsContext");
  for (const json::Value& value : read_items(from, "allowed")) {
    finding.allowed.push_back(json::value_text(value));
  }
  finding.decided_at = read_uint(from, "decidedAt");
  if (const json::Value* span = from.find("span")) {
    finding.span = read_span(*span);
  }
  finding.partial = read_flag(from, "partial");
  finding.blocks = read_flag(from, "blocks");
  finding.shadowed_by = read_uint32(from, "shadowedBy");
  for (const json::Value& cause : causes_depth > 0 ? read_items(from, "causes") : std::span<const json::Value>()) {
    finding.causes.push_back(read_finding(cause, causes_depth - 1));
  }
  return finding;
}

inline contract::Edit read_edit(const json::Value& from) {
  contract::Edit edit;
  edit.edit_class = contract::edit_class_named(read_text(from, "class"));
  if (edit.edit_class == contract::EditClass::count_) {
    edit.edit_class = contract::EditClass::prose;
  }
  edit.certain = read_flag(from, "certain");
  edit.applied = read_flag(from, "applied");
  edit.at = read_text(from, "at");
  if (const json::Value* span = from.find("span")) {
    edit.span = read_span(*span);
  }
  for (const json::Value& one : read_items(from, "changes")) {
    edit.changes.push_back({read_uint(one, "from"), read_uint(one, "to"), read_text(one, "text")});
  }
  if (const json::Value* patch = from.find("patch")) {
    edit.patch = json::value_text(*patch);
  }
  return edit;
}

inline contract::Verdict read_verdict(const json::Value& from) {
  contract::Verdict verdict;
  verdict.contract = read_text(from, "contract");
  verdict.hash = read_text(from, "hash");
  verdict.valid = read_flag(from, "valid");
  verdict.decision = read_name(from, "decision", contract::decision_name, 6, verdict.decision);
  for (const json::Value& finding : read_items(from, "findings")) {
    verdict.findings.push_back(read_finding(finding));
  }
  for (const json::Member& member : read_members(from, "more")) {
    verdict.more.emplace_back(std::string(member.key),
                              read_uint(member.value, std::numeric_limits<std::uint64_t>::max(), 0));
  }
  for (const json::Value& one : read_items(from, "edits")) {
    verdict.edits.push_back(read_edit(one));
  }
  for (const json::Value& one : read_items(from, "undecided")) {
    verdict.undecided.push_back({read_text(one, "rule"), read_text(one, "at"), read_text(one, "schemaLocation"),
                                 read_text(one, "ask"), read_text(one, "wantsContext"), read_text(one, "reason")});
  }
  for (const json::Value& one : read_items(from, "scorecard")) {
    verdict.scorecard.push_back({read_text(one, "id"), read_text(one, "title"), read_text(one, "at"),
                                 read_name(one, "outcome", contract::outcome_name, 3, contract::Outcome::undecided),
                                 read_flag(one, "asks"), read_flag(one, "blocks"), read_text(one, "action"),
                                 read_text(one, "reason"), 0, 0});
    if (const json::Value* span = one.find("span")) {
      verdict.scorecard.back().from = read_uint(*span, "from");
      verdict.scorecard.back().to = read_uint(*span, "to");
    }
  }
  for (const json::Member& member : read_members(from, "labels")) {
    verdict.labels.emplace_back(std::string(member.key), std::string(member.value.str()));
  }
  for (const json::Value& one : read_items(from, "signals")) {
    verdict.signals.push_back({read_text(one, "kind"), read_text(one, "detail"), read_uint(one, "atByte")});
  }
  verdict.bytes = read_uint(from, "bytes");
  return verdict;
}

}  // namespace plumb::wasm
