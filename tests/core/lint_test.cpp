// Lint of contracts: every rule finds its bad example and not its good one, fixes keep the text's form, and what a
// contract allows is left out.

#include <doctest/doctest.h>

#include <string>

#include "core/contract/check.hpp"
#include "core/lint/lint.hpp"
#include "core/lint/rules.hpp"

using namespace plumb;
using lint::LintFinding;
using lint::LintReport;

namespace {

std::string rules_in(const LintReport& report) {
  std::string out;
  for (const LintFinding& finding : report.findings) {
    out += (out.empty() ? "" : " ") + finding.rule;
  }
  return out;
}

bool finds(std::string_view text, std::string_view rule) {
  const LintReport report = lint::lint(text, {}, {{"openai-strict"}, 60});
  for (const LintFinding& finding : report.findings) {
    if (finding.rule == rule) {
      return true;
    }
  }
  return false;
}

const LintFinding& only(const LintReport& report) {
  REQUIRE(report.findings.size() == 1);
  return report.findings.front();
}

std::string fixed(std::string_view text) { return lint::fix(text, {}).text; }

}  // namespace

TEST_CASE("lint: each rule finds its bad example, and its good example is a contract without it") {
  for (const lint::LintRule& rule : lint::lint_rules()) {
    INFO(std::string(rule.id));
    CHECK(finds(rule.bad, rule.id));
    const bool good = static_cast<bool>(contract::Contract::read(rule.good));
    CHECK(good);
    CHECK_FALSE(finds(rule.good, rule.id));
    CHECK(!rule.title.empty());
    CHECK(rule.title.back() != '.');
    CHECK(rule.why.back() == '.');
  }
}

TEST_CASE("lint: a good example has no warning of any other rule") {
  for (const lint::LintRule& rule : lint::lint_rules()) {
    INFO(std::string(rule.id));
    for (const LintFinding& finding : lint::lint(rule.good, {}, {{}, 60}).findings) {
      CHECK_MESSAGE(finding.severity == contract::Severity::info, finding.rule, ": ", finding.message);
    }
  }
}

TEST_CASE("lint: the built-in contracts have no errors and no warnings") {
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    const LintReport report = lint::lint(built_in.text, {});
    for (const LintFinding& finding : report.findings) {
      CHECK_MESSAGE(finding.severity == contract::Severity::info, std::string(built_in.name), " ", finding.at, ": ",
                    finding.rule, ": ", finding.message);
    }
    for (const lint::Allowed& allowed : report.allowed) {
      CHECK(allowed.reason.size() > 20);
    }
  }
}

TEST_CASE("lint: a place has line and column of the keyword") {
  const std::string text = "{\n  \"type\": \"string\",\n  \"maxLength\": 5,\n  \"minLength\": 9\n}";
  const LintReport report = lint::lint(text, {});
  const LintFinding& finding = only(report);
  CHECK(finding.rule == "never-holds");
  CHECK(finding.at == "/minLength");
  CHECK(finding.span.line == 4);
  CHECK(finding.span.column == 3);
  CHECK(text.substr(static_cast<std::size_t>(finding.span.from),
                    static_cast<std::size_t>(finding.span.to - finding.span.from)) == "\"minLength\": 9");
  CHECK(finding.severity == contract::Severity::error);
}

TEST_CASE("lint: what can never hold is found through allOf and references") {
  CHECK(finds(R"({"type": "string", "maxLength": 5, "allOf": [{"minLength": 9}]})", "never-holds"));
  CHECK(finds(R"({"$ref": "#/$defs/a", "maximum": 3, "$defs": {"a": {"type": "integer", "minimum": 4}}})",
              "never-holds"));
  CHECK(finds(R"({"type": "integer", "allOf": [{"type": "string"}]})", "never-holds"));
  CHECK(finds(R"({"type": "object", "required": ["a"], "properties": {"a": false}})", "never-holds"));
  CHECK(finds(
      R"({"type": "object", "required": ["a"], "properties": {"b": {"type": "null"}}, "additionalProperties": false})",
      "never-holds"));
  CHECK(finds(R"({"const": 5, "minimum": 6})", "never-holds"));
  CHECK(finds(R"({"type": "number", "exclusiveMinimum": 3, "maximum": 3})", "never-holds"));
  CHECK(finds(R"({"type": "array", "minItems": 3, "maxItems": 9, "uniqueItems": true, "items": {"enum": [1, 2]}})",
              "never-holds"));
  CHECK(finds("false", "never-holds"));
  CHECK(finds(R"({"not": {}})", "never-holds"));
  CHECK(finds(R"({"not": true})", "never-holds"));
  CHECK(finds(R"({"allOf": [true, false]})", "never-holds"));
  CHECK(finds(R"({"oneOf": [false, false]})", "never-holds"));
  CHECK(finds(R"({"type": "array", "items": {"type": "string"}, "contains": {"type": "number"}})", "never-holds"));
  // How a member or an item is forbidden.
  CHECK_FALSE(finds(R"({"type": "object", "properties": {"a": {"not": {}}, "b": false}})", "never-holds"));
  CHECK_FALSE(finds(R"({"type": "array", "items": {"not": {}}})", "never-holds"));
  CHECK_FALSE(
      finds(R"({"type": "array", "items": {"type": "string"}, "contains": {"type": "number"}, "minContains": 0})",
            "never-holds"));
  CHECK_FALSE(finds(R"({"anyOf": [false, true]})", "never-holds"));
  CHECK_FALSE(finds(R"({"type": "number", "minimum": 3, "maximum": 3})", "never-holds"));
  CHECK_FALSE(finds(R"({"type": "integer", "allOf": [{"type": "number"}]})", "never-holds"));
  CHECK_FALSE(finds(
      R"({"type": "object", "required": ["ab"], "patternProperties": {"^a": {"type": "null"}},
      "additionalProperties": false})",
      "never-holds"));
}

TEST_CASE("lint: an empty list is told only where the list must be there") {
  const std::string list =
      R"({"type": "array", "maxItems": 5, "items": {"type": "string", "minLength": 1, "maxLength": 9}})";
  CHECK(finds(R"({"type": "object", "required": ["a"], "properties": {"a": )" + list + "}}", "empty-passes"));
  CHECK_FALSE(finds(R"({"type": "object", "required": ["b"], "properties": {"a": )" + list + "}}", "empty-passes"));
  CHECK(finds(R"({"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 9}}})",
              "empty-passes"));
  // The children of a tree's leaf are an empty list.
  CHECK_FALSE(finds(R"({"type": "object", "required": ["label", "children"], "properties": {
      "label": {"type": "string", "maxLength": 9}, "children": {"type": "array", "maxItems": 9,
      "items": {"$ref": "#"}}}})",
                    "empty-passes"));
  CHECK(finds(
      R"({"type": "object", "required": ["b"], "properties": {"a": {"type": "array", "maxItems": 3,
      "items": {"type": "null"}},
      "b": {"type": "null"}}, "rules": [{"id": "x", "each": "/a/*", "ask": "Is it?"}]})",
      "empty-passes"));
}

TEST_CASE("lint: a schema beside another need not say the type again") {
  CHECK_FALSE(finds(R"({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "maxLength": 9}},
      "allOf": [{"properties": {"a": {"minLength": 2}}}], "if": {"properties": {"a": {"const": "x"}}},
      "then": {"properties": {"a": {"maxLength": 3}}}})",
                    "no-type"));
}

TEST_CASE("lint: fixes take out what is never read and keep the form of all else") {
  const std::string text =
      "{\n"
      "  \"type\":   \"string\",\n"
      "  \"maximum\": 5,\n"
      "  \"maxLength\": 9,\n"
      "  \"errorMessage\": { \"minLength\": \"short\",  \"maxLength\": \"long\" },\n"
      "  \"minLength\": 0\n"
      "}\n";
  // minLength is there when the message is looked at, and gone afterwards: then the message goes too.
  CHECK(fixed(text) ==
        "{\n"
        "  \"type\":   \"string\",\n"
        "  \"maxLength\": 9,\n"
        "  \"errorMessage\": { \"maxLength\": \"long\" }\n"
        "}\n");
  CHECK(fixed(R"({"enum": ["a", "b", "a"]})") == R"({"enum": ["a", "b"]})");
  CHECK(fixed(R"({"type": "string", "enum": [1]})") == R"({"type": "string", "enum": [1]})");
  CHECK(fixed("no contract") == "no contract");
}

TEST_CASE("lint: a fix changes no verdict") {
  const std::string artifacts[] = {"\"a\"", "\"abcdefghijkl\"", "5", "null", "[]", "{}", "[1,2]", "{\"a\":1}"};
  for (const lint::LintRule& rule : lint::lint_rules()) {
    const Result<contract::Contract> before = contract::Contract::read(rule.bad);
    if (!before) {
      continue;
    }
    const std::string text = fixed(rule.bad);
    const Result<contract::Contract> after = contract::Contract::read(text);
    REQUIRE(static_cast<bool>(after));
    for (const std::string& artifact : artifacts) {
      INFO(std::string(rule.id), " ", artifact);
      CHECK(contract::check_text(before.value(), artifact).valid ==
            contract::check_text(after.value(), artifact).valid);
    }
  }
}

TEST_CASE("lint: members are moved with their text, and what stands between them stays") {
  const std::string text =
      "{\"type\": \"object\", \"required\": [\"decision\", \"reasoning\"], \"properties\": {\n"
      "    \"decision\": {\"enum\": [\"go\", \"stop\"]},\n"
      "    \"note\": {\"type\": \"null\"},\n"
      "    \"reasoning\": {\"type\": \"string\", \"maxLength\": 300}\n"
      "  }}";
  const LintReport report = lint::lint(text, {});
  const LintFinding& finding = only(report);
  CHECK(finding.rule == "answer-first");
  REQUIRE(finding.fix.has_value());
  CHECK_FALSE(finding.fix->certain);
  std::string moved = text;
  for (auto edit = finding.fix->edits.rbegin(); edit != finding.fix->edits.rend(); ++edit) {
    moved.replace(static_cast<std::size_t>(edit->from), static_cast<std::size_t>(edit->to - edit->from), edit->text);
  }
  CHECK(moved ==
        "{\"type\": \"object\", \"required\": [\"decision\", \"reasoning\"], \"properties\": {\n"
        "    \"note\": {\"type\": \"null\"},\n"
        "    \"reasoning\": {\"type\": \"string\", \"maxLength\": 300},\n"
        "    \"decision\": {\"enum\": [\"go\", \"stop\"]}\n"
        "  }}");
  CHECK(lint::lint(moved, {}).findings.empty());
}

TEST_CASE("lint: what a target drops is told at its place, and only when the target is asked for") {
  const std::string text = R"({"type": "object", "required": ["a"], "additionalProperties": false,
      "properties": {"a": {"type": "string", "maxLength": 9, "notBlank": true}}})";
  CHECK(lint::lint(text, {}).findings.empty());
  const LintReport report = lint::lint(text, {}, {{"openai-strict"}, 0});
  bool told = false;
  for (const LintFinding& finding : report.findings) {
    CHECK(finding.rule == "target-drops");
    told = told || (finding.at == "/properties/a/notBlank" && finding.span.line == 2);
  }
  CHECK(told);
}

TEST_CASE("lint: what a contract allows is left out with its reason") {
  const LintReport report = lint::lint(R"({"type": "object", "required": ["a"], "properties": {
      "a": {"type": "string"}}, "$comment": "lint-allow endless-text: whole documents are wanted."})",
                                       {});
  CHECK(rules_in(report).empty());
  REQUIRE(report.allowed.size() == 1);
  CHECK(report.allowed[0].reason == "whole documents are wanted.");
  // Without a reason nothing is allowed.
  CHECK(finds(R"({"type": "string", "$comment": "lint-allow endless-text"})", "endless-text"));
}

TEST_CASE("lint: a text that is no contract is one finding with its place") {
  const LintReport report = lint::lint("{\n \"type\": \"strng\"}", {});
  CHECK(only(report).rule == "no-contract");
  CHECK(only(report).span.line == 2);
}

TEST_CASE("lint: a report is JSON with why and the fix, and a verdict for the other renderers") {
  const LintReport report = lint::lint(R"({"type": "string", "maxLength": 9, "maximum": 5})", {});
  const std::string json = lint::lint_json(report, "a.json");
  CHECK(json.find(R"("file":"a.json","contract":"contract")") != std::string::npos);
  CHECK(json.find(R"("rule":"other-kind","severity":"warning","at":"/maximum")") != std::string::npos);
  CHECK(json.find(R"("fix":{"title":"Remove 'maximum'","certain":true,"edits":[{"from":33,"to":47,"text":""}]})") !=
        std::string::npos);
  const contract::Verdict verdict = lint::verdict_of(report);
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.valid);
  CHECK(verdict.decision == contract::Decision::accept_with_warnings);
}

TEST_CASE("lint: findings beyond the bound are counted") {
  std::string many = R"({"type": "object", "required": ["a0"], "properties": {)";
  for (int i = 0; i < 600; ++i) {
    many += i == 0 ? "" : ",";
    many += "\"a" + std::to_string(i) + R"(": {"type": "null", "maximum": 5})";
  }
  const LintReport report = lint::lint(many + "}}", {}, {{}, 0});
  CHECK(report.findings.size() == lint::findings_max);
  CHECK(report.more == 100);
}
