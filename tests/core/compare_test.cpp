// Two contracts beside each other: what is proven, what is refuted by a document, and what stays open.

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/compare/compare.hpp"
#include "core/compare/keywords.hpp"
#include "core/contract/check.hpp"
#include "core/json/value.hpp"

using namespace plumb;
using compare::Answer;
using compare::Direction;
using contract::Contract;
using contract::ReadOptions;

namespace {

Contract read(std::string_view text, const ReadOptions& options = {}) {
  Result<Contract> contract = Contract::read(text, options);
  REQUIRE_MESSAGE(static_cast<bool>(contract), std::string(text), ": ", contract.error().message);
  return std::move(contract).value();
}

// A witness is one: the engine accepts it under one contract, and finds an error under the other.
void is_a_witness(const Contract& accepting, const Contract& refusing, const Direction& direction) {
  REQUIRE(direction.witness.has_value());
  contract::CheckOptions options;
  options.context = direction.witness->context;
  const contract::Verdict accepted = contract::check_text(accepting, direction.witness->document, options);
  CHECK(accepted.valid);
  CHECK(accepted.decision != contract::Decision::undecided);
  const contract::Verdict refused = contract::check_text(refusing, direction.witness->document, options);
  CHECK_FALSE(refused.valid);
  CHECK(refused.count(contract::Severity::error) > 0);
  CHECK_FALSE(direction.witness->findings.empty());
}

// "yes", "no" or "unknown" for there and back, and that each no is one.
std::string answers(const Contract& first, const Contract& second) {
  const compare::Comparison c = compare::compare(first, second);
  if (c.there.answer == Answer::no) {
    is_a_witness(first, second, c.there);
  }
  if (c.back.answer == Answer::no) {
    is_a_witness(second, first, c.back);
  }
  for (const Direction* one : {&c.there, &c.back}) {
    CHECK(one->witness.has_value() == (one->answer == Answer::no));
    CHECK(one->unproven.empty() == (one->answer != Answer::unknown));
  }
  return std::string(compare::answer_name(c.there.answer)) + " " + std::string(compare::answer_name(c.back.answer));
}

std::string answers(std::string_view first, std::string_view second, const ReadOptions& options = {}) {
  return answers(read(first, options), read(second, options));
}

struct Row {
  const char* first;
  const char* second;
  const char* answers;
};

void run(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(std::string(row.first), " beside ", std::string(row.second));
    CHECK(answers(row.first, row.second) == std::string(row.answers));
  }
}

}  // namespace

TEST_CASE("compare: types, values and bounds of numbers are held against each other") {
  run({
      {R"({})", R"(true)", "yes yes"},
      {R"(false)", R"({"type": "string"})", "yes no"},
      {R"({"type": "integer"})", R"({"type": "number"})", "yes no"},
      {R"({"type": "number", "multipleOf": 1})", R"({"type": "integer"})", "yes yes"},
      {R"({"type": ["string", "null"]})", R"({"type": ["null", "string"]})", "yes yes"},
      {R"({"type": ["string", "null"]})", R"({"type": "string"})", "no yes"},
      {R"({"type": ["string", "null", "boolean", "number", "array", "object"]})", R"({})", "yes yes"},
      {R"({"enum": ["a", "b"]})", R"({"enum": ["b", "c", "a"]})", "yes no"},
      {R"({"const": 1})", R"({"enum": [1.0, 2]})", "yes no"},
      {R"({"enum": [1, 2]})", R"({"type": "integer", "minimum": 1, "maximum": 2})", "yes yes"},
      {R"({"type": "boolean"})", R"({"enum": [true, false]})", "yes yes"},
      {R"({"type": "null"})", R"({"const": null})", "yes yes"},
      {R"({"enum": ["aa", "bb"]})", R"({"type": "string", "minLength": 2, "pattern": "^[ab]"})", "yes no"},
      {R"({"enum": [[1], {"a": 1}]})", R"({"type": ["array", "object"], "minItems": 1})", "yes no"},
      {R"({"minimum": 5})", R"({"minimum": 4.9})", "yes no"},
      {R"({"exclusiveMinimum": 5})", R"({"minimum": 5})", "yes no"},
      {R"({"type": "integer", "exclusiveMinimum": 0})", R"({"type": "integer", "minimum": 1})", "yes yes"},
      {R"({"type": "integer", "exclusiveMaximum": 0})", R"({"type": "integer", "maximum": -1})", "yes yes"},
      {R"({"maximum": 10, "minimum": 0})", R"({"maximum": 10})", "yes no"},
      {R"({"multipleOf": 6})", R"({"multipleOf": 3})", "yes no"},
      {R"({"multipleOf": 0.01})", R"({"multipleOf": 0.1})", "no yes"},
      {R"({"type": "integer"})", R"({"type": "number", "multipleOf": 0.5})", "yes no"},
      {R"({"minimum": 3, "maximum": 2, "type": "number"})", R"(false)", "yes yes"},
  });
}

TEST_CASE("compare: lengths, patterns and formats of texts") {
  run({
      {R"({"minLength": 3, "maxLength": 5})", R"({"minLength": 2})", "yes no"},
      {R"({"type": "string", "maxLength": 3})", R"({"type": "string", "maxLength": 2})", "no yes"},
      {R"({"pattern": "^a"})", R"({"pattern": "^a"})", "yes yes"},
      {R"({"pattern": "^a", "minLength": 2})", R"({"pattern": "^a"})", "yes no"},
      {R"({"pattern": "^a"})", R"({"pattern": "^b"})", "no no"},
      {R"({"pattern": "^a$"})", R"({"pattern": "^(a)$"})", "unknown unknown"},
      {R"({"type": "string", "notBlank": true})", R"({"type": "string", "minLength": 0})", "yes no"},
      {R"({"type": "string", "notBlank": true})", R"({"type": "string", "minLength": 1})", "unknown no"},
      {R"({"type": "string", "length": {"fold": ["trim"], "min": 2}})", R"({"type": "string", "notBlank": true})",
       "yes no"},
      {R"({"type": "string", "length": {"min": 2, "max": 9}})", R"({"type": "string", "length": {"min": 1, "max": 9}})",
       "yes no"},
  });
  ReadOptions formats;
  formats.assert_formats = true;
  CHECK(answers(R"({"format": "date"})", R"({"format": "date"})", formats) == "yes yes");
  CHECK(answers(R"({"format": "date"})", R"({"format": "uuid"})", formats) == "no no");
  CHECK(answers(R"({"format": "date"})", R"({"format": "uuid"})") == "yes yes");
}

TEST_CASE("compare: items, counts and what an array contains") {
  run({
      {R"({"items": {"type": "integer"}})", R"({"items": {"type": "number"}})", "yes no"},
      {R"({"type": "array", "minItems": 2})", R"({"type": "array", "minItems": 1})", "yes no"},
      {R"({"prefixItems": [{"type": "string"}], "items": false})", R"({"maxItems": 1})", "yes no"},
      {R"({"prefixItems": [{"type": "string"}, {"type": "string"}], "items": false})",
       R"({"items": {"type": "string"}})", "yes no"},
      {R"({"type": "array", "maxItems": 1})", R"({"type": "array", "uniqueItems": true})", "yes no"},
      {R"({"uniqueItems": true, "items": {"type": "string"}})", R"({"uniqueItems": true})", "yes no"},
      {R"({"contains": {"const": 1}})", R"({"contains": {"type": "integer"}})", "yes no"},
      {R"({"contains": {"const": 1}})",
       R"({"type": ["array", "null", "boolean", "string", "number", "object"], "minItems": 1})", "yes no"},
      {R"({"type": "array", "minItems": 2, "items": {"const": 1}})", R"({"contains": {"const": 1}, "minContains": 2})",
       "yes no"},
      {R"({"contains": {"const": 1}, "maxContains": 2})", R"({"contains": {"const": 1}, "maxContains": 3})", "yes no"},
      {R"({"contains": {"const": 1}, "maxContains": 2})", R"({"contains": {"type": "integer"}, "maxContains": 2})",
       "no no"},
      {R"({"type": "array", "maxItems": 0})", R"({"const": []})", "yes yes"},
  });
}

TEST_CASE("compare: members by name, by pattern and all others") {
  run({
      {R"({"required": ["a", "b"]})", R"({"required": ["b"]})", "yes no"},
      {R"({"properties": {"a": {"type": "integer"}}})", R"({"properties": {"a": {"type": "number"}}})", "yes no"},
      {R"({"properties": {"a": true}, "additionalProperties": false})",
       R"({"additionalProperties": {"type": "string"}})", "no no"},
      {R"({"properties": {"a": {"type": "string"}}, "additionalProperties": false})",
       R"({"additionalProperties": {"type": "string"}})", "yes no"},
      {R"({"properties": {"a": {}}, "additionalProperties": false})",
       R"({"properties": {"a": {}, "b": {}}, "additionalProperties": false})", "yes no"},
      {R"({"patternProperties": {"^x": {"type": "integer"}}})", R"({"patternProperties": {"^x": {"type": "number"}}})",
       "yes no"},
      {R"({"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false})",
       R"({"additionalProperties": {"type": "integer"}})", "yes no"},
      {R"({"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false})",
       R"({"patternProperties": {"^x": {"type": "number"}}, "additionalProperties": false})", "yes no"},
      {R"({"additionalProperties": {"type": "integer"}})", R"({"patternProperties": {"^x": {"type": "number"}}})",
       "yes no"},
      {R"({"patternProperties": {"^x": {"type": "string"}}})", R"({"properties": {"xy": {"type": "string"}}})",
       "yes no"},
      {R"({"properties": {"a": {}, "b": {}}, "additionalProperties": false, "type": "object"})",
       R"({"type": "object", "maxProperties": 2})", "yes no"},
      {R"({"type": "object", "required": ["a", "b"]})", R"({"type": "object", "minProperties": 2})", "yes no"},
      {R"({"properties": {"a": false}})", R"({"properties": {"a": {"type": "string"}}})", "yes no"},
      {R"({"required": ["a"], "properties": {"a": false}, "type": "object"})", R"(false)", "yes yes"},
      {R"({"propertyNames": {"maxLength": 3}})", R"({"propertyNames": {"maxLength": 4}})", "yes no"},
      {R"({"properties": {"ab": {}}, "additionalProperties": false})", R"({"propertyNames": {"pattern": "^a"}})",
       "yes no"},
      {R"({"required": ["a", "b"]})", R"({"dependentRequired": {"a": ["b"]}})", "yes no"},
      {R"({"dependentRequired": {"a": ["b", "c"]}})", R"({"dependentRequired": {"a": ["b"]}})", "yes no"},
      {R"({"dependentSchemas": {"a": {"required": ["b", "c"]}}})",
       R"({"dependentSchemas": {"a": {"required": ["b"]}}})", "yes no"},
      {R"({"properties": {"a": {}}, "unevaluatedProperties": false})",
       R"({"properties": {"a": {}}, "unevaluatedProperties": false})", "yes yes"},
      {R"({"properties": {"a": {}, "b": {}}, "unevaluatedProperties": false})",
       R"({"properties": {"a": {}}, "unevaluatedProperties": false})", "no unknown"},
  });
}

TEST_CASE("compare: alternatives, conditions and references") {
  run({
      {R"({"type": ["string", "integer"]})", R"({"anyOf": [{"type": "string"}, {"type": "integer"}]})", "yes yes"},
      {R"({"anyOf": [{"type": "string"}, {"type": "integer"}]})",
       R"({"anyOf": [{"type": "number"}, {"type": "string"}]})", "yes no"},
      {R"({"allOf": [{"minimum": 1}, {"maximum": 5}], "type": "number"})", R"({"type": "number", "minimum": 0})",
       "yes no"},
      {R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})",
       R"({"anyOf": [{"type": "integer"}, {"type": "string"}]})", "yes yes"},
      {R"({"oneOf": [{"minimum": 1}, {"multipleOf": 2}]})", R"({"oneOf": [{"minimum": 1}, {"multipleOf": 2}]})",
       "yes yes"},
      {R"({"oneOf": [{"minimum": 1}, {"multipleOf": 2}], "type": "integer"})",
       R"({"oneOf": [{"minimum": 1}, {"multipleOf": 3}]})", "no no"},
      {R"({"type": "string"})", R"({"not": {"type": "integer"}})", "yes no"},
      {R"({"not": {"type": "integer"}, "type": "number"})", R"({"not": {"type": "integer"}})", "yes no"},
      {R"({"not": {"required": ["a"]}})", R"({"not": {"required": ["a", "b"]}})", "unknown no"},
      {R"({"type": "string", "minLength": 1})", R"({"if": {"type": "string"}, "then": {"minLength": 1}})", "yes no"},
      {R"({"if": {"type": "string"}, "then": {"minLength": 2}})",
       R"({"if": {"type": "string"}, "then": {"minLength": 1}})", "yes no"},
      {R"({"properties": {"k": {"const": "a"}}, "required": ["k"], "type": "object"})",
       R"({"oneOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]},
                     {"properties": {"k": {"const": "b"}}, "required": ["k"]}]})",
       "yes no"},
      {R"({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}})", R"({"type": "integer", "title": "a number"})",
       "yes yes"},
      {R"({"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}}})",
       R"({"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "number"}}})", "yes no"},
      // One schema in itself beside one written out once more.
      {R"({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false})",
       R"({"type": "object", "properties": {"next": {"type": "object", "properties": {"next": {"$ref": "#"}},
          "additionalProperties": false}}, "additionalProperties": false})",
       "yes yes"},
      {R"({"items": {"$dynamicRef": "#a"}, "$dynamicAnchor": "a", "type": "array"})",
       R"({"items": {"$ref": "#"}, "type": "array"})", "yes yes"},
  });
}

TEST_CASE("compare: the vocabulary of our own counts where both have the same") {
  run({
      {R"({"type": "object", "properties": {
          "a": {"type": "string", "memberOf": {"in": "1/list/*"}}, "list": {"type": "array"}}})",
       R"({"type": "object", "properties": {"a": {"type": "string", "memberOf": {"in": "1/list/*"}}}})", "yes no"},
      {R"({"type": "object", "properties": {
          "a": {"type": "string", "memberOf": {"in": "1/list/*"}}, "list": {"type": "array"}}})",
       R"({"type": "object", "properties": {"a": {"type": "string"}}})", "yes no"},
      {R"({"type": "array", "distinct": true})", R"({"type": "array", "distinct": true, "minItems": 0})", "yes yes"},
      {R"({"type": "array", "distinct": {"by": "/id"}})", R"({"type": "array", "distinct": {"by": "/key"}})", "no no"},
      {R"({"type": "string", "maxSentences": 2})", R"({"type": "string", "maxSentences": 2, "title": "t"})", "yes yes"},
      {R"({"type": "string"})", R"({"allOf": [{"maxLength": 3, "severity": "warning"}], "type": "string"})", "yes yes"},
      {R"({"type": "string"})", R"({"type": "string", "maxLength": 3, "severity": "warning"})", "yes no"},
      {R"({"additionalProperties": false, "severity": "warning"})", R"({"type": ["null", "boolean", "string", "number",
          "array", "object"], "maxProperties": 0})",
       "no yes"},
      {R"({"type": "string", "rules": [{"id": "r", "check": {"minLength": 3}}]})",
       R"({"type": "string", "rules": [{"id": "r", "title": "Longer", "check": {"minLength": 3}}]})", "yes yes"},
      {R"({"type": "string", "minLength": 4})",
       R"({"type": "string", "rules": [{"id": "r", "check": {"minLength": 3}}]})", "yes no"},
      {R"({"type": "string"})", R"({"type": "string", "rules": [{"id": "r", "ask": "Is it good?"}]})", "yes yes"},
  });
}

TEST_CASE("compare: contracts of different dialects are held against what they mean") {
  const std::string draft4 = R"("$schema": "http://json-schema.org/draft-04/schema#", )";
  const std::string draft7 = R"("$schema": "http://json-schema.org/draft-07/schema#", )";
  const std::string draft2019 = R"("$schema": "https://json-schema.org/draft/2019-09/schema", )";
  const auto both = [](const std::string& a, const std::string& b) { return answers(a, b); };
  CHECK(both("{" + draft4 + R"("type": "number", "minimum": 1, "exclusiveMinimum": true})",
             R"({"type": "number", "exclusiveMinimum": 1})") == "yes yes");
  CHECK(both("{" + draft7 + R"("items": [{"type": "string"}], "additionalItems": false})",
             R"({"prefixItems": [{"type": "string"}], "items": false})") == "yes yes");
  CHECK(both("{" + draft2019 + R"("items": [{"type": "string"}]})", R"({"prefixItems": [{"type": "string"}]})") ==
        "yes yes");
  CHECK(both("{" + draft7 + R"("dependencies": {"a": ["b"]}})", R"({"dependentRequired": {"a": ["b"]}})") == "yes yes");
  CHECK(both("{" + draft7 + R"("definitions": {"s": {"type": "string"}}, "$ref": "#/definitions/s", "minLength": 9})",
             R"({"type": "string"})") == "yes yes");
  // 1.0 is no integer in draft 4.
  CHECK(both("{" + draft4 + R"("type": "integer"})", R"({"type": "integer"})") == "yes no");
  CHECK(both("{" + draft4 + R"("enum": [1, 2], "type": "integer"})", R"({"type": "integer"})") == "yes no");
  CHECK(both("{" + draft4 + R"("enum": [[1]], "items": {"type": "integer"}})", R"({"const": [1]})") == "yes no");
}

TEST_CASE("compare: one change of a contract is found in the direction that it has") {
  const std::string base =
      R"({"type": "object", "additionalProperties": false, "required": ["id", "tags"], "properties": {
    "id": {"type": "string", "minLength": 3, "maxLength": 20},
    "kind": {"enum": ["a", "b", "c"]},
    "size": {"type": "integer", "minimum": 0, "maximum": 100},
    "note": {"type": ["string", "null"]},
    "tags": {"type": "array", "minItems": 1, "maxItems": 4, "items": {"type": "string"}},
    "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}},
    "$defs": {"part": {"type": "object", "required": ["n"], "properties": {
          "n": {"type": "number", "exclusiveMinimum": 0},
      "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}}}}})";
  // Each makes it stricter.
  const std::pair<std::string, std::string> tighter[] = {
      {R"("minLength": 3)", R"("minLength": 4)"},
      {R"("maxLength": 20)", R"("maxLength": 19)"},
      {R"(["a", "b", "c"])", R"(["a", "c"])"},
      {R"("minimum": 0)", R"("minimum": 1)"},
      {R"("maximum": 100)", R"("exclusiveMaximum": 100)"},
      {R"(["string", "null"])", R"("string")"},
      {R"("minItems": 1)", R"("minItems": 2)"},
      {R"("maxItems": 4)", R"("maxItems": 3)"},
      {R"(["id", "tags"])", R"(["id", "tags", "kind"])"},
      {R"("items": {"type": "string"})", R"("items": {"type": "string", "minLength": 1})"},
      {R"("note": {"type": ["string", "null"]},)", ""},
      {R"("required": ["n"])", R"("required": ["n", "parts"])"},
      {R"("exclusiveMinimum": 0)", R"("minimum": 0.5)"},
      {R"({"type": "number", "exclusiveMinimum": 0})", R"({"type": "integer", "exclusiveMinimum": 0})"},
  };
  const Contract before = read(base);
  CHECK(answers(before, read(base)) == "yes yes");
  for (const auto& [from, to] : tighter) {
    std::string text = base;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    const std::string mutation = std::string(from) + " becomes " + to;  // clang 14 captures no structured binding
    CAPTURE(mutation);
    const Contract after = read(text);
    CHECK(answers(before, after) == "no yes");
    CHECK(answers(after, before) == "yes no");
  }
}

TEST_CASE("compare: a witness is small, and says what is refused") {
  const Contract first = read(R"({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object",
    "properties": {"name": {"type": "string"}, "text": {"type": "string"}}}}, "more": {"type": "string"}}})");
  const Contract second =
      read(R"({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}}}}}})");
  const Direction direction = compare::compare_one_way(first, second);
  REQUIRE(direction.answer == Answer::no);
  CHECK(direction.witness->document == R"({"list":[{"name":""}]})");
  REQUIRE(direction.witness->findings.size() == 1);
  CHECK(direction.witness->findings[0].rule == "minLength");
  CHECK(direction.witness->findings[0].at == "/list/0/name");
}

TEST_CASE("compare: a document that was given is the witness, and is told by its name") {
  const Contract first = read(R"({"pattern": "^a"})");
  const Contract second = read(R"({"pattern": "^(a|b)b"})");
  compare::CompareOptions options;
  options.candidates = {{"\"bb\"", "one.json"}, {" \"ax\" ", "two.json:3"}};
  const Direction direction = compare::compare_one_way(first, second, options);
  REQUIRE(direction.answer == Answer::no);
  CHECK(direction.witness->name == "two.json:3");
  CHECK(direction.witness->document == " \"ax\" ");
}

TEST_CASE("compare: a bound that is reached is told, and nothing is claimed") {
  const char* text =
      R"({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}})";
  const char* other =
      R"({"properties": {"a": {"properties": {"b": {"type": "string", "maxLength": 18446744073709551614}}}}})";
  compare::CompareLimits limits;
  limits.goals_max = 2;
  const Direction direction = compare::prove_one_way(read(text), read(other), limits);
  CHECK(direction.answer == Answer::unknown);
  CHECK(direction.limited);
  REQUIRE_FALSE(direction.unproven.empty());
}

TEST_CASE("compare: what stays open is told with its place and its keyword") {
  const Direction direction =
      compare::prove_one_way(read(R"({"properties": {"a": {"items": {"type": "string"}}}})"),
                             read(R"({"properties": {"a": {"items": {"type": "string", "pattern": "^x*"}}}})"));
  CHECK(direction.answer == Answer::unknown);
  REQUIRE(direction.unproven.size() == 1);
  CHECK(direction.unproven[0].at == "/a/*");
  CHECK(direction.unproven[0].schema_location == "/properties/a/items/pattern");
  CHECK(direction.unproven[0].keyword == "pattern");
}

TEST_CASE("compare: contracts that read a context are compared with one") {
  const char* text =
      R"({"type": "object", "required": ["q"], "properties": {
          "q": {"type": "string", "novel": {"in": "context:/history/*"}}}})";
  CHECK(answers(text, text) == "yes yes");
  const std::string answer =
      answers(text, R"({"type": "object", "required": ["q", "r"], "properties": {"q": {"type": "string"}}})");
  CHECK(answer.substr(0, 3) == "no ");
}

TEST_CASE("compare: the same contracts give the same bytes") {
  const Contract first = read(R"({"type": "object", "properties": {"a": {"minimum": 3}, "b": {"enum": [1, 2, 3]}}})");
  const Contract second = read(R"({"type": "object", "properties": {"a": {"minimum": 4}, "b": {"enum": [1, 3]}}})");
  const auto json = [&] {
    return compare::comparison_json(first, "a.json", second, "b.json", compare::compare(first, second));
  };
  const std::string once = json();
  CHECK(once == json());
  json::Arena arena;
  CHECK(static_cast<bool>(json::parse(once, arena)));
}

TEST_CASE("compare: every keyword that a schema may have has its row") {
  for (const contract::KwFacets& one : contract::all_kw_facets().subspan(1)) {
    const bool of_schemas = one.group != contract::KwGroup::text_itself;
    CHECK_MESSAGE((compare::compared(one.kw) != compare::Compared::not_yet) == of_schemas, one.name);
  }
}
