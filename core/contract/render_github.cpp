// GitHub workflow commands: "::error file=...,line=...,col=...::message". An info finding is a notice. endColumn is
// written only if the finding begins and ends on one line, as GitHub requires.

#include "core/contract/render.hpp"
#include "core/contract/render_place.hpp"
#include "core/json/number_text.hpp"

namespace plumb::contract {

namespace {

// The escapes of the command format. Without them an artifact could end its line and issue commands of its own.
void append_escaped(std::string& out, std::string_view text, bool property) {
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
}

std::string_view command_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "notice";
  }
  return "notice";
}

void append_property(std::string& out, std::string_view name, std::string_view value) {
  if (out.back() != ' ') {
    out += ',';
  }
  out += name;
  out += '=';
  append_escaped(out, value, true);
}

void append_command(std::string& out, std::string_view command, const Place& place, const Span* span,
                    std::string_view title, std::string_view message) {
  std::string line = "::";
  line += command;
  line += ' ';
  append_property(line, "file", place.path == "-" ? std::string_view("stdin") : place.path);
  if (span != nullptr) {
    append_property(line, "line", json::uint_text(place.line(span->line)));
    append_property(line, "col", json::uint_text(place.column(span->column)));
    append_property(line, "endLine", json::uint_text(place.line(span->line_to)));
    if (span->line == span->line_to && !place.recorded) {
      append_property(line, "endColumn", json::uint_text(span->column_to));
    }
  }
  append_property(line, "title", title);
  line += "::";
  append_escaped(line, message, false);
  line += '\n';
  out += line;
}

}  // namespace

std::string render_github(const FileVerdict& one) {
  std::string out;
  const Place place = place_of(one);
  const std::string record = record_text(one);
  const std::string before = record.empty() ? "" : record + ": ";
  for (const Finding& finding : one.verdict.findings) {
    if (finding.shadowed_by == 0) {
      append_command(out, command_of(finding.severity), place, &finding.span, finding.rule,
                     before + (finding.message.empty() ? finding.rule : finding.message));
    }
  }
  for (const auto& [rule, count] : one.verdict.more) {
    append_command(out, "error", place, nullptr, rule,
                   json::uint_text(count) + " more findings of " + rule + " are not listed");
  }
  for (const Undecided& undecided : one.verdict.undecided) {
    if (!undecided.wants_context.empty()) {
      append_command(out, "warning", place, nullptr, undecided.rule,
                     "Undecided without the context " + undecided.wants_context);
    } else if (place.recorded && undecided.rule == "input") {
      const Span at;
      append_command(out, "warning", place, &at, undecided.rule, before + undecided.reason);
    }
  }
  return out;
}

}  // namespace plumb::contract
