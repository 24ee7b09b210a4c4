// A lint report as JSON, and as a verdict for the renderers that know one.
#include "core/json/writer.hpp"
#include "core/lint/lint.hpp"
#include "core/lint/rules.hpp"

namespace plumb::lint {

namespace {

void write_fix(json::Writer& json, const Fix& fix) {
  json.key("fix").begin_object();
  json.member("title", fix.title).member_boolean("certain", fix.certain);
  json.key("edits").begin_array();
  for (const Edit& edit : fix.edits) {
    json.begin_object();
    json.member_uint("from", edit.from).member_uint("to", edit.to).member("text", edit.text);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_span(json::Writer& json, const contract::Span& span) {
  json.key("span").begin_object();
  json.member_uint("from", span.from).member_uint("to", span.to);
  json.member_uint("line", span.line).member_uint("column", span.column);
  json.member_uint("lineTo", span.line_to).member_uint("columnTo", span.column_to);
  json.member_uint("utf16From", span.utf16_from).member_uint("utf16To", span.utf16_to);
  json.end_object();
}

}  // namespace

std::string lint_json(const LintReport& report, std::string_view file) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!file.empty()) {
    json.member("file", file);
  }
  json.member("contract", report.name).member("hash", report.hash);
  json.key("findings").begin_array();
  for (const LintFinding& finding : report.findings) {
    json.begin_object();
    json.member("rule", finding.rule).member("severity", contract::severity_name(finding.severity));
    json.member("at", finding.at).member("message", finding.message);
    if (const std::string_view reason = why(finding.rule); !reason.empty()) {
      json.member("why", reason);
    }
    write_span(json, finding.span);
    if (finding.fix) {
      write_fix(json, *finding.fix);
    }
    json.end_object();
  }
  json.end_array();
  if (report.more > 0) {
    json.member_uint("more", report.more);
  }
  json.key("allowed").begin_array();
  for (const Allowed& one : report.allowed) {
    json.begin_object();
    json.member("rule", one.rule).member("at", one.at).member("reason", one.reason);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

contract::Verdict verdict_of(const LintReport& report) {
  contract::Verdict verdict;
  verdict.contract = report.name;
  verdict.hash = report.hash;
  verdict.valid = true;
  verdict.decision = contract::Decision::accept;
  std::uint32_t id = 0;
  for (const LintFinding& finding : report.findings) {
    contract::Finding out;
    out.id = ++id;
    out.rule = finding.rule;
    out.severity = finding.severity;
    out.at = finding.at;
    out.message = finding.message;
    out.schema_location = finding.at;
    out.span = finding.span;
    out.decided_at = finding.span.to;
    if (finding.fix) {
      out.action = finding.fix->title;
    }
    verdict.valid = verdict.valid && finding.severity != contract::Severity::error;
    if (finding.severity == contract::Severity::error) {
      verdict.decision = contract::Decision::revise;
    } else if (finding.severity == contract::Severity::warning && verdict.valid) {
      verdict.decision = contract::Decision::accept_with_warnings;
    }
    verdict.findings.push_back(std::move(out));
  }
  return verdict;
}

}  // namespace plumb::lint
