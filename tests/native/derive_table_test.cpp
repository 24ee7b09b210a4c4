// The table of docs/derived-targets.md: what each target enforces is what its residual does not name.

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/contract/keywords.hpp"
#include "core/derive/derive.hpp"
#include "core/derive/schema_graph.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

namespace {

struct Probe {
  const char* keyword;
  const char* schema;  // of one member of an object
};

// Where a cell says `part`, one probe must be enforced and another one left.
constexpr Probe probes[] = {
    {"type", R"({"type": "string"})"},
    {"type", R"({"type": "integer"})"},
    {"enum", R"({"enum": ["a", 1, null]})"},
    {"enum", R"({"enum": ["a", {"b": 1}]})"},
    {"const", R"({"const": true})"},
    {"const", R"({"const": 12345678901234567890})"},
    {"multipleOf", R"({"type": "number", "multipleOf": 3})"},
    {"multipleOf", R"({"type": "integer", "multipleOf": 3})"},
    {"multipleOf", R"({"type": "number", "multipleOf": 0.5})"},
    {"minimum", R"({"type": "integer", "minimum": 3})"},
    {"minimum", R"({"type": "number", "minimum": 3})"},
    {"maximum", R"({"type": "integer", "maximum": 3})"},
    {"maximum", R"({"type": "number", "maximum": 3})"},
    {"exclusiveMinimum", R"({"type": "integer", "exclusiveMinimum": 3})"},
    {"exclusiveMinimum", R"({"type": "number", "exclusiveMinimum": 3})"},
    {"exclusiveMaximum", R"({"type": "integer", "exclusiveMaximum": 3})"},
    {"exclusiveMaximum", R"({"type": "number", "exclusiveMaximum": 3})"},
    {"minLength", R"({"type": "string", "minLength": 3})"},
    {"minLength", R"({"type": "string", "minLength": 3, "pattern": "^a"})"},
    {"maxLength", R"({"type": "string", "maxLength": 3})"},
    {"maxLength", R"({"type": "string", "maxLength": 3000})"},
    {"pattern", R"({"type": "string", "pattern": "^[a-z]+$"})"},
    {"pattern", R"({"type": "string", "pattern": "\\bword", "allOf": [{"pattern": "x"}]})"},
    {"format", R"({"type": "string", "format": "date"})"},
    {"minItems", R"({"type": "array", "items": {"type": "string"}, "minItems": 3})"},
    {"minItems", R"({"type": "array", "items": {"type": "string"}, "minItems": 3000})"},
    {"maxItems", R"({"type": "array", "items": {"type": "string"}, "maxItems": 3})"},
    {"maxItems", R"({"type": "array", "items": {"type": "string"}, "maxItems": 3000})"},
    {"uniqueItems", R"({"type": "array", "items": {"type": "string"}, "uniqueItems": true})"},
    {"items", R"({"type": "array", "items": {"type": "string"}})"},
    {"prefixItems", R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}]})"},
    {"prefixItems", R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "minItems": 2,
        "items": false})"},
    {"contains", R"({"type": "array", "contains": {"type": "string"}})"},
    {"minContains", R"({"type": "array", "contains": {"type": "string"}, "minContains": 2})"},
    {"maxContains", R"({"type": "array", "contains": {"type": "string"}, "maxContains": 2})"},
    {"unevaluatedItems", R"({"type": "array", "unevaluatedItems": {"type": "string"}})"},
    {"unevaluatedProperties", R"({"type": "object", "unevaluatedProperties": false})"},
    {"properties", R"({"type": "object", "properties": {"b": {"type": "string"}}})"},
    {"required", R"({"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}})"},
    {"additionalProperties", R"({"type": "object", "properties": {"b": {}}, "additionalProperties": false})"},
    {"additionalProperties", R"({"type": "object", "patternProperties": {"^b": {"type": "null"}},
        "additionalProperties": {"type": "string"}})"},
    {"patternProperties", R"({"type": "object", "properties": {"b": {}}, "patternProperties": {"^b": {"type": "null"}},
        "additionalProperties": false})"},
    {"patternProperties", R"({"type": "object", "patternProperties": {"^b": {"type": "null"}}})"},
    {"propertyNames", R"({"type": "object", "properties": {"b": {}}, "propertyNames": {"maxLength": 3}})"},
    {"minProperties", R"({"type": "object", "properties": {"b": {}}, "minProperties": 1})"},
    {"maxProperties", R"({"type": "object", "properties": {"b": {}}, "maxProperties": 1})"},
    {"dependentRequired", R"({"type": "object", "properties": {"b": {}}, "dependentRequired": {"b": ["c"]}})"},
    {"dependentSchemas",
     R"({"type": "object", "properties": {"b": {}}, "dependentSchemas": {"b": {"required": ["c"]}}})"},
    {"$ref", R"({"$ref": "#/$defs/x"})"},
    {"allOf", R"({"allOf": [{"type": "string"}, {"enum": ["a", 1]}]})"},
    {"anyOf", R"({"anyOf": [{"type": "string"}, {"type": "null"}]})"},
    {"oneOf", R"({"oneOf": [{"type": "string"}, {"type": "null"}]})"},
    {"oneOf", R"({"oneOf": [{"type": "string"}, {"type": ["string", "null"]}]})"},
    {"not", R"({"type": "string", "not": {"const": "a"}})"},
    {"if", R"({"type": "string", "if": {"minLength": 2}, "then": {"maxLength": 3}, "else": {"enum": ["a"]}})"},
    {"then", R"({"type": "string", "if": {"minLength": 2}, "then": {"maxLength": 3}})"},
    {"else", R"({"type": "string", "if": {"minLength": 2}, "else": {"enum": ["a"]}})"},
    {"memberOf", R"({"type": "string", "memberOf": {"in": "1/b"}})"},
    {"distinct", R"({"type": "array", "items": {"type": "string"}, "distinct": true})"},
    {"acyclic",
     R"({"type": "object", "properties": {"b": {}}, "acyclic": {"from": "/b", "children": "/c/*", "by": "/l"}})"},
    {"countOf", R"({"type": "array", "countOf": {"min": 2}})"},
    {"sumOf", R"({"type": "array", "sumOf": {"in": "/*", "max": 2}})"},
    {"sameSetAs", R"({"type": "array", "sameSetAs": {"in": "1/b"}})"},
    {"notBlank", R"({"type": "string", "notBlank": true})"},
    {"length", R"({"type": "string", "length": {"max": 3}})"},
    {"maxSentences", R"({"type": "string", "maxSentences": 1})"},
    {"avoids", R"({"type": "string", "avoids": ["vague"]})"},
    {"singleUnknown", R"({"type": "string", "singleUnknown": true})"},
    {"mentions", R"({"type": "string", "mentions": {"any": ["text:a"]}})"},
    {"facts", R"({"type": "string", "facts": {"min": 1}})"},
    {"novel", R"({"type": "string", "novel": {"in": "context:/all/*"}})"},
    {"quotedFrom", R"({"type": "string", "quotedFrom": {"in": "context:/all/*"}})"},
    {"pointers", R"({"type": "object", "properties": {"b": {}}, "pointers": {"/b": {"type": "string"}}})"},
    {"rules", R"({"type": "string", "rules": [{"id": "r", "ask": "Is it?"}]})"},
};

constexpr std::size_t columns = 9;

// Row by keyword: the cells behind it.
std::map<std::string, std::vector<std::string>> read_table() {
  std::ifstream in(plumb::test::source_dir() + "/docs/derived-targets.md");
  std::map<std::string, std::vector<std::string>> out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    inside = inside ? line.substr(0, 1) == "|" : line.substr(0, 12) == "| keyword | ";
    if (!inside || line.substr(0, 5) == "| ---" || line.substr(0, 12) == "| keyword | ")
      continue;
    std::vector<std::string> cells;
    for (std::size_t at = 1; at < line.size();) {
      const std::size_t end = line.find('|', at);
      std::string cell = line.substr(at, end - at);
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      cells.push_back(cell);
      at = end + 1;
    }
    REQUIRE(cells.size() == columns + 1);
    const std::vector<std::string> rest(cells.begin() + 1, cells.end());
    if (cells[0] == "the Plumbline vocabulary")
      out["vocabulary"] = rest;
    for (std::size_t at = cells[0].find('`'); at != std::string::npos; at = cells[0].find('`', at + 1)) {
      const std::size_t end = cells[0].find('`', at + 1);
      out[cells[0].substr(at + 1, end - at - 1)] = rest;
      at = end;
    }
  }
  return out;
}

// "yes", "no" or "error": what the target does with the keyword of a probe.
std::string does(const Probe& probe, derive::Target target) {
  const std::string text =
      std::string(R"({"$id": "plumb:t", "type": "object", "required": ["a"], "properties": {"a": )") + probe.schema +
      R"(}, "$defs": {"x": {"type": "string"}}})";
  contract::ReadOptions read;
  read.assert_formats = true;
  const Result<contract::Contract> contract = contract::Contract::read(text, read);
  CAPTURE(text);
  REQUIRE(contract);
  const Result<derive::Derived> derived = derive::derive(contract.value(), target);
  if (!derived)
    return "error";
  const std::string at = std::string("/properties/a/") + probe.keyword;
  const bool left = std::any_of(
      derived.value().residual.begin(), derived.value().residual.end(), [&](const derive::ResidualRule& rule) {
        return rule.schema_location == at || rule.schema_location.substr(0, at.size() + 1) == at + "/";
      });
  return left ? "no" : "yes";
}

}  // namespace

TEST_CASE("docs/derived-targets.md: the table says what each target enforces, for every keyword") {
  const std::map<std::string, std::vector<std::string>> table = read_table();
  const std::vector<std::vector<derive::Target>> of_column = {
      {derive::Target::openai_strict}, {derive::Target::anthropic}, {derive::Target::openai},
      {derive::Target::gemini},        {derive::Target::gbnf},      {derive::Target::json_schema},
      {derive::Target::typescript},    {derive::Target::zod},       {derive::Target::pydantic}};
  std::map<std::string, std::vector<std::set<std::string>>> seen;
  for (const Probe& probe : probes) {
    auto& row = seen[probe.keyword];
    row.resize(columns);
    for (std::size_t column = 0; column < columns; ++column) {
      for (derive::Target target : of_column[column])
        row[column].insert(does(probe, target));
    }
  }
  for (const auto& [keyword, row] : seen) {
    auto told = table.find(derive::is_our_check(keyword) ? "vocabulary" : keyword);
    const auto& about = keyword;
    CAPTURE(about);
    REQUIRE(told != table.end());
    for (std::size_t column = 0; column < columns; ++column) {
      CAPTURE(column);
      const std::set<std::string>& does_this = row[column];
      const std::string says = does_this.size() == 1 ? *does_this.begin() : "part";
      CHECK(says == told->second[column]);
    }
  }
  // Every keyword that asserts has a row and a probe.
  for (const contract::KwFacets& one : contract::all_kw_facets().subspan(1)) {
    if (one.group == contract::KwGroup::text_itself) {
      continue;
    }
    const std::string name(one.name);
    const std::set<std::string> of_older_drafts = {"$dynamicRef", "$recursiveRef", "dependencies", "additionalItems"};
    CAPTURE(name);
    CHECK((seen.count(name) == 1 || of_older_drafts.count(name) == 1));
  }
}
