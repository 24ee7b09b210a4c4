// JUnit XML: a test suite per file, a test case per finding. The mapping follows what readers of this format know:
//   error finding        <failure>
//   `limit` finding      <error>: the artifact could not be judged to its end
//   warning              <skipped>: shown in every report, fails none
//   info                 passes, with the message as <system-out>
//   no finding           one case that passes
//   undecided verdict    one more case, an <error> with the reason
// There are no times, so equal verdicts give equal bytes.

#include "core/contract/render.hpp"
#include "core/contract/render_place.hpp"
#include "core/json/number_text.hpp"
#include "core/text/markup.hpp"

namespace plumb::contract {

namespace {

struct Counts {
  std::uint64_t tests = 0;
  std::uint64_t failures = 0;
  std::uint64_t errors = 0;
  std::uint64_t skipped = 0;

  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
  }
};

// XML 1.0 cannot represent most control characters, nor bytes that are not UTF-8. They become U+FFFD. Line ends and
// tabs are written as references, which attributes keep.
void append_xml(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_code_point(text, at);
    if (const std::string_view entity = text::markup_entity(c); !entity.empty()) {
      out += entity;
      continue;
    }
    switch (c) {
      case '\n':
        out += "&#10;";
        break;
      case '\r':
        out += "&#13;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        if (c < 0x20 || (c >= 0xFFFD && c <= 0xFFFF)) {
          out += "\xEF\xBF\xBD";
        } else {
          out += text.substr(from, at - from);
        }
    }
  }
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  append_xml(out, value);
  out += '"';
}

void append_counts(std::string& out, const Counts& counts) {
  append_attribute(out, "tests", json::uint_text(counts.tests));
  append_attribute(out, "failures", json::uint_text(counts.failures));
  append_attribute(out, "errors", json::uint_text(counts.errors));
  append_attribute(out, "skipped", json::uint_text(counts.skipped));
}

// The text below the message in a report: place, rule and value.
std::string details_of(const Finding& finding, const Place& place) {
  std::string out = place_text(place, finding.span) + " " + finding.rule;
  out += "\nat: " + (finding.at.empty() ? "(root)" : finding.at);
  if (!finding.requirement.empty()) {
    out += "\nrequired: " + finding.requirement;
  }
  if (!finding.provided.empty()) {
    out += "\nprovided: " + finding.provided;
  }
  if (!finding.action.empty()) {
    out += "\naction: " + finding.action;
  }
  return out;
}

void open_case(std::string& out, const FileVerdict& one, std::string_view rule, std::string_view name,
               std::uint64_t line) {
  const Place place = place_of(one);
  out += "    <testcase";
  append_attribute(out, "classname", one.verdict.contract + (rule.empty() ? "" : ".") + std::string(rule));
  append_attribute(out, "name", name);
  append_attribute(out, "file", place.path);
  if (line != 0) {
    append_attribute(out, "line", json::uint_text(line));
  }
}

void append_problem(std::string& out, std::string_view element, std::string_view rule, std::string_view message,
                    std::string_view details) {
  out += "><";
  out += element;
  append_attribute(out, "type", rule);
  append_attribute(out, "message", message);
  out += '>';
  append_xml(out, details);
  out += "</";
  out += element;
  out += "></testcase>\n";
}

void append_finding(std::string& out, const FileVerdict& one, const Finding& finding, Counts& counts) {
  const Place place = place_of(one);
  const std::string& name = finding.message.empty() ? finding.rule : finding.message;
  open_case(out, one, finding.rule, name, place.line(finding.span.line));
  ++counts.tests;
  const std::string details = details_of(finding, place);
  if (finding.rule == "limit") {
    ++counts.errors;
    append_problem(out, "error", finding.rule, name, details);
  } else if (finding.severity == Severity::error) {
    ++counts.failures;
    append_problem(out, "failure", finding.rule, name, details);
  } else if (finding.severity == Severity::warning) {
    ++counts.skipped;
    out += "><skipped";
    append_attribute(out, "message", name + " (" + place_text(place, finding.span) + ")");
    out += "/></testcase>\n";
  } else {
    out += "><system-out>";
    append_xml(out, name + "\n" + details);
    out += "</system-out></testcase>\n";
  }
}

Counts append_suite(std::string& out, const FileVerdict& one) {
  Counts counts;
  std::string cases;
  bool limited = false;
  for (const Finding& finding : one.verdict.findings) {
    if (finding.shadowed_by == 0) {
      append_finding(cases, one, finding, counts);
      limited = limited || finding.rule == "limit";
    }
  }
  for (const auto& [rule, count] : one.verdict.more) {
    const std::string name = json::uint_text(count) + " more findings of " + rule;
    open_case(cases, one, rule, name, 0);
    ++counts.tests;
    ++counts.failures;
    append_problem(cases, "failure", rule, name, name + " are not listed");
  }
  if (one.verdict.decision == Decision::undecided && !limited) {
    std::string reasons;
    for (const Undecided& undecided : one.verdict.undecided) {
      if (!undecided.wants_context.empty() || undecided.ask.empty()) {
        reasons += reasons.empty() ? "" : "\n";
        reasons += undecided.rule + ": " + undecided.reason;
        reasons += undecided.wants_context.empty() ? "" : " (wants " + undecided.wants_context + ")";
      }
    }
    open_case(cases, one, "undecided", "undecided", 0);
    ++counts.tests;
    ++counts.errors;
    append_problem(cases, "error", "undecided", "The artifact could not be decided", reasons);
  }
  if (counts.tests == 0) {
    open_case(cases, one, "", "keeps the contract " + one.verdict.contract, 0);
    cases += "/>\n";
    ++counts.tests;
  }
  out += "  <testsuite";
  const std::string record = record_text(one);
  append_attribute(out, "name", one.file + (record.empty() ? "" : " ") + record);
  append_counts(out, counts);
  out += ">\n";
  out += cases;
  out += "  </testsuite>\n";
  return counts;
}

}  // namespace

std::string render_junit(const std::vector<FileVerdict>& all) {
  Counts total;
  std::string suites;
  for (const FileVerdict& one : all) {
    total.add(append_suite(suites, one));
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
  append_attribute(out, "name", "plumb");
  append_counts(out, total);
  out += ">\n";
  out += suites;
  out += "</testsuites>\n";
  return out;
}

}  // namespace plumb::contract
