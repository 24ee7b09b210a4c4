// Verdicts as JSON. The order of members is fixed: first the members that every verdict and finding has, then those
// that are written only if they are not empty. Everything is appended to one string; nothing is parsed or sorted.

#include "core/contract/render.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

namespace {

// The renderer limits nested causes to this depth too, whoever made the verdict.
constexpr int cause_depth_max = 8;

void text_if(json::Writer& json, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    json.member(name, value);
  }
}

void true_if(json::Writer& json, std::string_view name, bool value) {
  if (value) {
    json.member_boolean(name, true);
  }
}

void write_span(json::Writer& json, const Span& span) {
  json.begin_object();
  json.member_uint("from", span.from);
  json.member_uint("to", span.to);
  json.member_uint("line", span.line);
  json.member_uint("column", span.column);
  json.member_uint("utf16From", span.utf16_from);
  json.member_uint("utf16To", span.utf16_to);
  json.member_uint("lineTo", span.line_to);
  json.member_uint("columnTo", span.column_to);
  json.end_object();
}

void write_finding(json::Writer& json, const Finding& finding, int depth) {
  json.begin_object();
  json.member("rule", finding.rule);
  json.member("severity", severity_name(finding.severity));
  json.member("at", finding.at);
  text_if(json, "item", finding.item);
  if (!finding.partial || !finding.message.empty()) {
    json.member("message", finding.message);
  }
  text_if(json, "provided", finding.provided);
  text_if(json, "requirement", finding.requirement);
  json.member("schemaLocation", finding.schema_location);
  json.member_uint("decidedAt", finding.decided_at);
  json.key("span");
  write_span(json, finding.span);
  if (finding.id != 0) {
    json.member_uint("id", finding.id);
  }
  if (finding.finding_class != FindingClass::inner) {
    json.member("class", class_name(finding.finding_class));
  }
  if (!finding.allowed.empty()) {
    json.key("allowed").begin_array();
    for (const std::string& value : finding.allowed) {
      json.raw(value);
    }
    json.end_array();
  }
  text_if(json, "property", finding.property);
  text_if(json, "action", finding.action);
  text_if(json, "wantsContext", finding.wants_context);
  true_if(json, "blocks", finding.blocks);
  if (finding.shadowed_by != 0) {
    json.member_uint("shadowedBy", finding.shadowed_by);
  }
  true_if(json, "partial", finding.partial);
  if (!finding.causes.empty() && depth < cause_depth_max) {
    json.key("causes").begin_array();
    for (const Finding& cause : finding.causes) {
      write_finding(json, cause, depth + 1);
    }
    json.end_array();
  }
  json.end_object();
}

void write_edit(json::Writer& json, const Edit& edit) {
  json.begin_object();
  json.member("class", edit_class_name(edit.edit_class));
  json.member_boolean("certain", edit.certain);
  json.member_boolean("applied", edit.applied);
  json.member("at", edit.at);
  json.key("span");
  write_span(json, edit.span);
  json.key("changes").begin_array();
  for (const Change& change : edit.changes) {
    json.begin_object().member_uint("from", change.from).member_uint("to", change.to).member("text", change.text);
    json.end_object();
  }
  json.end_array();
  if (!edit.patch.empty()) {
    json.key("patch").raw(edit.patch);
  }
  json.end_object();
}

void write_undecided(json::Writer& json, const Undecided& undecided) {
  json.begin_object();
  json.member("rule", undecided.rule);
  json.member("at", undecided.at);
  json.member("schemaLocation", undecided.schema_location);
  text_if(json, "ask", undecided.ask);
  text_if(json, "wantsContext", undecided.wants_context);
  text_if(json, "reason", undecided.reason);
  json.end_object();
}

void write_line(json::Writer& json, const ScorecardLine& line) {
  json.begin_object();
  json.member("id", line.id);
  text_if(json, "title", line.title);
  json.member("at", line.at);
  json.member("outcome", outcome_name(line.outcome));
  true_if(json, "asks", line.asks);
  true_if(json, "blocks", line.blocks);
  text_if(json, "action", line.action);
  text_if(json, "reason", line.reason);
  if (line.to != 0) {
    json.key("span").begin_object().member_uint("from", line.from).member_uint("to", line.to).end_object();
  }
  json.end_object();
}

void write_labels(json::Writer& json, const Verdict& verdict) {
  json.begin_object();
  for (std::size_t i = 0; i < verdict.labels.size(); ++i) {
    bool seen = false;  // if two places give a label, only the first is written
    for (std::size_t j = 0; j < i && !seen; ++j) {
      seen = verdict.labels[j].first == verdict.labels[i].first;
    }
    if (!seen) {
      json.member(verdict.labels[i].first, verdict.labels[i].second);
    }
  }
  json.end_object();
}

void write_verdict(json::Writer& json, const Verdict& verdict, std::string_view file, const RecordName* record) {
  json.begin_object();
  text_if(json, "file", file);
  if (record != nullptr) {
    json.key("record").begin_object();
    text_if(json, "id", record->id);
    text_if(json, "model", record->model);
    text_if(json, "part", record->part);
    json.end_object();
  }
  json.member("contract", verdict.contract);
  json.member("hash", verdict.hash);
  json.member_boolean("valid", verdict.valid);
  json.member("decision", decision_name(verdict.decision));
  json.key("findings").begin_array();
  for (const Finding& finding : verdict.findings) {
    write_finding(json, finding, 0);
  }
  json.end_array();
  if (!verdict.more.empty()) {
    json.key("more").begin_object();
    for (const auto& [rule, count] : verdict.more) {
      json.member_uint(rule, count);
    }
    json.end_object();
  }
  json.key("edits").begin_array();
  for (std::size_t i = 0; i < verdict.edits.size() && i < edits_shown_max; ++i) {
    write_edit(json, verdict.edits[i]);
  }
  json.end_array();
  if (verdict.edits.size() > edits_shown_max) {
    json.member_uint("moreEdits", verdict.edits.size() - edits_shown_max);
  }
  json.key("undecided").begin_array();
  for (const Undecided& undecided : verdict.undecided) {
    write_undecided(json, undecided);
  }
  json.end_array();
  json.key("scorecard").begin_array();
  for (const ScorecardLine& line : verdict.scorecard) {
    write_line(json, line);
  }
  json.end_array();
  json.key("labels");
  write_labels(json, verdict);
  if (!verdict.signals.empty()) {
    json.key("signals").begin_array();
    for (const Signal& signal : verdict.signals) {
      json.begin_object();
      json.member("kind", signal.kind);
      text_if(json, "detail", signal.detail);
      json.member_uint("atByte", signal.at_byte);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void append_verdict(std::string& out, const Verdict& verdict, std::string_view file, const RecordName* record) {
  json::Writer json(out);
  write_verdict(json, verdict, file, record);
}

const RecordName* record_of(const FileVerdict& one) { return one.record ? &*one.record : nullptr; }

}  // namespace

std::string verdict_json(const Verdict& verdict, std::string_view file) {
  std::string out;
  append_verdict(out, verdict, file, nullptr);
  return out;
}

std::string finding_json(const Finding& finding) {
  std::string out;
  json::Writer json(out);
  write_finding(json, finding, 0);
  return out;
}

std::string render_jsonl(const FileVerdict& one) {
  std::string out;
  append_verdict(out, one.verdict, one.file, record_of(one));
  out += '\n';
  return out;
}

std::string render_json(const std::vector<FileVerdict>& all, std::string_view warnings_of_contracts) {
  std::string out = "{\"verdicts\":[";
  std::uint64_t valid = 0;
  std::uint64_t undecided = 0;
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t infos = 0;
  std::uint64_t more = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Verdict& verdict = all[i].verdict;
    out += i == 0 ? "\n" : ",\n";
    append_verdict(out, verdict, all[i].file, record_of(all[i]));
    valid += verdict.valid ? 1U : 0U;
    undecided += verdict.decision == Decision::undecided ? 1U : 0U;
    errors += verdict.count(Severity::error);
    warnings += verdict.count(Severity::warning);
    infos += verdict.count(Severity::info);
    for (const auto& [rule, count] : verdict.more) {
      more += count;
    }
  }
  out += all.empty() ? "]," : "\n],";
  if (!warnings_of_contracts.empty()) {
    out += "\"warnings\":";
    out += warnings_of_contracts;
    out += ',';
  }
  out += "\"summary\":";
  json::Writer summary(out);
  summary.begin_object();
  summary.member_uint("artifacts", all.size());
  summary.member_uint("valid", valid);
  summary.member_uint("invalid", all.size() - valid);
  summary.member_uint("undecided", undecided);
  summary.member_uint("errors", errors);
  summary.member_uint("warnings", warnings);
  summary.member_uint("infos", infos);
  if (more != 0) {
    summary.member_uint("more", more);
  }
  summary.end_object();
  out += "}\n";
  return out;
}

}  // namespace plumb::contract
