// What each target says of small contracts: its text, what it leaves, what it narrows.

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/contract/check.hpp"
#include "core/derive/derive.hpp"
#include "core/derive/gbnf_text.hpp"
#include "core/json/arena.hpp"
#include "core/text/tokens.hpp"
#include "core/wire/strict_schema.hpp"

using namespace plumb;
using derive::Derived;
using derive::Target;

namespace {

Result<Derived> derived(std::string_view text, Target target, const derive::Limits& limits = {}) {
  const Result<contract::Contract> contract = contract::Contract::read(text);
  REQUIRE(contract);
  return derive::derive(contract.value(), target, limits);
}

std::string text_of(std::string_view contract, Target target) {
  const Result<Derived> result = derived(contract, target);
  REQUIRE(result);
  return result.value().text;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// "keyword at place" of each.
std::string residual(std::string_view contract, Target target) {
  const Result<Derived> result = derived(contract, target);
  REQUIRE(result);
  std::string out;
  for (const derive::ResidualRule& rule : result.value().residual) {
    CHECK(!rule.sentence.empty());
    out += (out.empty() ? "" : ", ") + rule.keyword + " at " + rule.schema_location;
  }
  return out;
}

std::string narrows(std::string_view contract, Target target) {
  const Result<Derived> result = derived(contract, target);
  REQUIRE(result);
  std::string out;
  for (const derive::Narrowing& one : result.value().narrows) {
    CHECK(!one.sentence.empty());
    out += (out.empty() ? "" : ", ") + one.kind + " at " + one.schema_location;
  }
  return out;
}

constexpr std::string_view tree = R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object",
  "required": ["label"], "additionalProperties": false,
  "properties": {"label": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}})";

}  // namespace

TEST_CASE("derive: every target has a name, found again by it") {
  for (const derive::TargetName& one : derive::target_names) {
    REQUIRE(derive::target_named(one.name) != nullptr);
    CHECK(derive::target_named(one.name)->target == one.target);
    CHECK(derive::name_of(one.target) == one.name);
  }
  CHECK(derive::target_named("yaml") == nullptr);
}

TEST_CASE(
    "derive: every target of every built-in contract is written, twice the same, and its residual is a contract") {
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    for (const derive::TargetName& one : derive::target_names) {
      const Result<Derived> first = derived(built_in.text, one.target);
      const Result<Derived> again = derived(built_in.text, one.target);
      CAPTURE(built_in.name);
      CAPTURE(one.name);
      if (built_in.name == "intake" && !first) {
        // A list of tool calls: what some providers take has an object at its root.
        CHECK(first.error().message.find("object") != std::string::npos);
        continue;
      }
      if (built_in.name == "mindmap" && (one.target == Target::anthropic || one.target == Target::gemini)) {
        CHECK(first.error().message.find("recursive") != std::string::npos);
        continue;
      }
      REQUIRE(first);
      REQUIRE(again);
      const Result<contract::Contract> contract = contract::Contract::read(built_in.text);
      CHECK(derive::derived_json(contract.value(), first.value(), 2) ==
            derive::derived_json(contract.value(), again.value(), 2));
      const Result<contract::Contract> rest = contract::Contract::read(first.value().contract);
      REQUIRE(rest);
      CHECK(rest.value().warnings().empty());
      CHECK(first.value().tokens.likely > 0);
      CHECK(first.value().tokens.safe >= first.value().tokens.likely);
    }
  }
}

TEST_CASE("typescript: literal unions, optional members, tuples, index signatures and circles") {
  CHECK(text_of(R"({"$id": "plumb:a", "type": "object", "additionalProperties": false, "required": ["k"],
    "properties": {"k": {"enum": ["x", 1, null, true]}, "two words": {"type": ["string", "null"]}}})",
                Target::typescript) ==
        "export interface A {\n  k: \"x\" | 1 | null | true;\n  \"two words\"?: string | null;\n}\n");
  CHECK(text_of(R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 1,
    "items": {"type": "boolean"}})",
                Target::typescript) == "export type Contract = [string, number?, ...boolean[]];\n");
  CHECK(text_of(R"({"type": "object", "additionalProperties": {"type": "number"}})", Target::typescript) ==
        "export interface Contract {\n  [key: string]: number;\n}\n");
  const std::string node = text_of(tree, Target::typescript);
  CHECK(has(node, "parts?: Contract[];"));
  CHECK(residual(tree, Target::typescript) == "additionalProperties at /$defs/node/additionalProperties");
}

TEST_CASE("typescript: a comment cannot be ended by a description, and docs hold what types cannot") {
  const std::string text = text_of(R"({"type": "object", "properties": {"a": {"type": "string", "minLength": 3,
    "description": "ends */ here"}}})",
                                   Target::typescript);
  CHECK(has(text, "Ends * / here"));
  CHECK(has(text, "At least 3 characters."));
}

TEST_CASE("gbnf: members in order with their commas, lengths and ranges") {
  const std::string one = R"({"type": "object", "required": ["b"], "additionalProperties": false,
    "properties": {"a": {"type": "boolean"}, "b": {"type": "string", "minLength": 1, "maxLength": 3},
      "c": {"type": "null"}}})";
  const std::string text = text_of(one, Target::gbnf);
  CHECK(has(text, R"(root ::= "{" ws ("\"a\"" ws ":" ws boolean ws "," ws)? "\"b\"" ws ":" ws "\"" char{1,3} "\"" ws )"
                  R"(("," ws "\"c\"" ws ":" ws null ws)? "}")"));
  CHECK(residual(one, Target::gbnf).empty());
  CHECK(narrows(one, Target::gbnf) == "order of members at ");
  CHECK(has(text_of(tree, Target::gbnf), "parts"));
}

TEST_CASE("gbnf: integers within bounds, digit by digit") {
  CHECK(derive::gbnf_integers(0, 9) == "[0-9]");
  CHECK(derive::gbnf_integers(5, 5) == "[5]");
  CHECK(derive::gbnf_integers(1, 100) == "[1-9] | [1-9] [0-9] | [1] [0] [0]");
  CHECK(derive::gbnf_integers(-3, 2) == "\"-\" ([1-3]) | [0-2]");
  CHECK(derive::gbnf_integers(3, 2).empty());
  CHECK(has(derive::gbnf_integers(10, std::nullopt), "[1-9] [0-9]{17}"));
}

TEST_CASE("gbnf: patterns in terms of characters as JSON writes them") {
  CHECK(derive::gbnf_pattern("^[a-z]{2,3}$") == "[a-z]{2,3}");
  CHECK(derive::gbnf_pattern("^a") == "[a] char*");
  CHECK(derive::gbnf_pattern("b|^c$") == "char* [b] char* | [c]");
  CHECK(derive::gbnf_pattern("^\"\\\\\\n$") == "\"\\\\\\\"\" \"\\\\\\\\\" (\"\\\\u000A\" | \"\\\\n\")");
  CHECK(derive::gbnf_pattern("^(?=a)a") == std::nullopt);
  CHECK(derive::gbnf_pattern("\\bword\\b") == std::nullopt);
  CHECK(derive::gbnf_pattern("^a{1,3000}$") == std::nullopt);
  CHECK(derive::gbnf_pattern("^[-^]$") == "[\\x2D\\x5E]");
}

TEST_CASE("openai-strict: members are all required and closed, and both are narrowings with their place") {
  const std::string one =
      R"({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "minLength": 2},
    "b": {"type": "integer", "minimum": 1}}})";
  const std::string text = text_of(one, Target::openai_strict);
  CHECK(has(text, "\"strict\": true"));
  CHECK(has(text, "\"additionalProperties\": false"));
  CHECK(has(text, "\"minimum\": 1"));
  CHECK(!has(text, "minLength"));
  CHECK(has(text, "At least 2 characters."));
  CHECK(residual(one, Target::openai_strict) == "minLength at /properties/a/minLength");
  CHECK(narrows(one, Target::openai_strict) == "absent members at /properties/b, other members at ");
}

TEST_CASE("openai-strict: what the provider would refuse is an error with the place") {
  auto error = [](std::string_view contract) {
    const Result<Derived> result = derived(contract, Target::openai_strict);
    REQUIRE(!result);
    return result.error().where + ": " + result.error().message;
  };
  CHECK(has(error(R"({"type": "array"})"), "wants an object at the top"));
  CHECK(has(error(R"({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]})"),
            "wants an object at the top"));
  CHECK(has(error(R"({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "null"},
    {"type": "string"}]}}})"),
            "/properties/a: openai-strict cannot say which item goes where"));
  std::string deep = R"({"type": "string"})";
  for (int i = 0; i < 12; ++i) {
    deep = R"({"type": "object", "properties": {"a": )" + deep + "}}";
  }
  CHECK(has(error(deep), "more than 10 levels of nesting"));
  std::string many = R"({"type": "object", "properties": {"a": {"enum": [)";
  for (int i = 0; i < 1001; ++i) {
    many += (i == 0 ? "" : ",") + std::to_string(i);
  }
  CHECK(has(error(many + "]}}}"), "/properties/a: more than 1,000 enum values"));
}

TEST_CASE("openai-strict: alternatives at the top never reach the provider, however they are wrapped") {
  for (const char* root : {
           R"({"anyOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
                         {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}}]})",
           R"({"anyOf": [{"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}},
                                    {"type": "object", "properties": {"b": {"type": "string"}}}]}]})",
           R"({"$ref": "#/$defs/x", "$defs": {"x": {"oneOf": [
                 {"type": "object", "properties": {"a": {"const": 1}}},
                 {"type": "object", "properties": {"a": {"const": 2}}}]}}})",
       }) {
    CAPTURE(root);
    const Result<Derived> result = derived(root, Target::openai_strict);
    REQUIRE(!result);
    CHECK(has(result.error().message, "wants an object at the top"));
  }
}

TEST_CASE("openai-strict: a member that would make every value endless is left out, and said so") {
  const std::string chain = R"({"$id": "plumb:c", "type": "object", "required": ["v"], "properties":
    {"v": {"type": "string"}, "next": {"$ref": "#"}}})";
  const std::string text = text_of(chain, Target::openai_strict);
  CHECK(!has(text, "\"next\""));
  CHECK(has(narrows(chain, Target::openai_strict), "members left out at /properties/next"));
  const std::string list = text_of(tree, Target::openai_strict);
  CHECK(has(list, "\"$ref\": \"#/$defs/node\""));
}

TEST_CASE("openai and anthropic: the contract's schemas without our keywords, references in one document") {
  const std::string one = R"({"$id": "plumb:q", "type": "object", "properties": {"a": {"$ref": "#/$defs/s"}},
    "$defs": {"s": {"type": "string", "notBlank": true, "description": "A text."}}, "if": {"required": ["a"]},
    "then": {"minProperties": 1}})";
  const std::string text = text_of(one, Target::openai);
  CHECK(has(text, "\"$ref\": \"#/$defs/s\""));
  CHECK(has(text, "\"description\": \"A text.\""));
  CHECK(has(text, "\"if\""));
  CHECK(!has(text, "notBlank"));
  CHECK(residual(one, Target::openai) == "notBlank at /$defs/s/notBlank");
  CHECK(has(text_of(one, Target::anthropic), "\"input_schema\": {\n    \"type\": \"object\""));
}

TEST_CASE("openai: where a schema must not hold, it is not weakened but taken out") {
  const std::string one = R"({"$id": "plumb:q", "not": {"type": "string", "notBlank": true}, "anyOf":
    [{"type": "number"}, {"type": "string", "maxSentences": 1}]})";
  const Result<Derived> result = derived(one, Target::openai);
  REQUIRE(result);
  CHECK(!has(result.value().text, "\"not\""));
  CHECK(has(result.value().text, "anyOf"));
  // The branches that are weaker in the target are whole in the residual.
  CHECK(has(result.value().contract, "\"maxSentences\": 1"));
  CHECK(has(result.value().contract, "\"type\": \"number\""));
}

TEST_CASE(
    "anthropic: what is written is what the provider takes, and what it does not take is left and told to the model") {
  const std::string one = R"({"$id": "plumb:q", "type": "object", "required": ["a"], "properties": {
    "a": {"type": "array", "minItems": 3, "maxItems": 9, "items": {"$ref": "#/$defs/s"}},
    "b": {"type": ["integer", "null"], "minimum": 1, "multipleOf": 2},
    "c": {"anyOf": [{"type": "string", "pattern": "^(?=a)b"}, {"$ref": "#/$defs/s"}]},
    "d": {"enum": ["x", 1, null]}},
    "$defs": {"s": {"type": "string", "maxLength": 5, "pattern": "^[a-z]+$", "format": "date"}}})";
  const Result<Derived> result = derived(one, Target::anthropic);
  REQUIRE(result);
  const std::string& text = result.value().text;
  CHECK(has(text, "\"strict\": true"));
  CHECK(has(text, "\"minItems\": 1"));
  CHECK(has(text, "At least 3 items"));
  CHECK(!has(text, "maxItems"));
  CHECK(!has(text, "minimum\":"));
  CHECK(!has(text, "\"pattern\": \"^(?="));
  CHECK(has(text, "^[a-z]+$"));
  CHECK(has(text, "\"required\": [\n      \"a\"\n    ]"));
  json::Arena arena;
  const json::Value tool = json::parse(text, arena).value();
  const auto problem = wire::strict_problem(wire::Wire::anthropic, *tool.find("input_schema"));
  CHECK_MESSAGE(!problem, (problem ? problem->message : ""));
  for (const char* keyword : {"minItems", "maxItems", "minimum", "multipleOf", "maxLength"})
    CHECK(has(residual(one, Target::anthropic), keyword));
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    CAPTURE(built_in.name);
    const Result<Derived> own = derived(built_in.text, Target::anthropic);
    json::Arena of_own;
    if (own) {
      const json::Value built = json::parse(own.value().text, of_own).value();
      CHECK_FALSE(wire::strict_problem(wire::Wire::anthropic, *built.find("input_schema")));
    }
  }
  const Result<Derived> itself =
      derived(R"({"type": "object", "properties": {"next": {"$ref": "#"}}})", Target::anthropic);
  REQUIRE_FALSE(itself);
  CHECK(has(itself.error().message, "recursive"));
}

TEST_CASE("anthropic: another type than an object at the top is a narrowing, none an error") {
  CHECK(narrows(R"({"required": ["a"]})", Target::anthropic) ==
        "other types at , other members at , open place at /required");
  CHECK(!derived(R"({"type": "array"})", Target::anthropic));
}

TEST_CASE("derive: branches of oneOf that exclude each other are enforced, others are left") {
  const std::string apart = R"({"oneOf": [{"type": "object", "required": ["k"], "properties": {"k": {"const": 1}}},
    {"type": "object", "required": ["k"], "properties": {"k": {"const": 2}}}, {"type": "string"}]})";
  CHECK(residual(apart, Target::gbnf).empty());
  CHECK(residual(R"({"oneOf": [{"type": "number"}, {"type": "integer"}]})", Target::gbnf) == "oneOf at /oneOf");
}

TEST_CASE("derive: a keyword that only warns is in the residual and nowhere else") {
  const std::string one = R"({"$id": "plumb:w", "type": "array", "items": {"type": "string", "severity": "warning"}})";
  CHECK(residual(one, Target::gbnf) == "type at /items/type");
  const Result<Derived> result = derived(one, Target::gbnf);
  REQUIRE(result);
  const Result<contract::Contract> rest = contract::Contract::read(result.value().contract);
  REQUIRE(rest);
  const contract::Verdict verdict = contract::check_text(rest.value(), "[1]");
  CHECK(verdict.valid);
  CHECK(verdict.findings.size() == 1);
}

TEST_CASE("derive: dynamic references are left to a residual that is the whole contract") {
  const std::string one = R"({"$dynamicAnchor": "n", "type": "object", "properties": {"a": {"$dynamicRef": "#n"}}})";
  const Result<Derived> result = derived(one, Target::gbnf);
  REQUIRE(result);
  CHECK(result.value().contract == one);
  const Result<Derived> schema = derived(one, Target::openai);
  REQUIRE(!schema);
  CHECK(schema.error().where == "/properties/a/$dynamicRef");
}

TEST_CASE("derive: a contract that nothing can keep is an error, not an empty grammar") {
  for (const char* text : {"false", R"({"type": "string", "enum": [1]})",
                           R"({"type": "object", "required": ["a"], "properties": {"a": false}})"}) {
    const Result<Derived> result = derived(text, Target::gbnf);
    REQUIRE(!result);
    CHECK(has(result.error().message, "no value can keep this contract"));
  }
}

TEST_CASE("derive: each bound is an error with its place") {
  derive::Limits limits;
  limits.forms_max = 3;
  Result<Derived> result = derived(R"({"properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "items": {}})",
                                   Target::gbnf, limits);
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::limit);
  CHECK(has(result.error().message, "more than 3 schema objects"));
  CHECK(!result.error().where.empty());
  limits = {};
  limits.output_bytes_max = 40;
  for (const derive::TargetName& one : derive::target_names) {
    result = derived(R"({"type": "object", "properties": {"a": {"type": "string"}}})", one.target, limits);
    CAPTURE(one.name);
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::limit);
  }
  limits = {};
  limits.depth_max = 2;
  result = derived(R"({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "object",
    "properties": {"c": {"type": "object", "properties": {"d": {"type": "array"}}}}}}}}})",
                   Target::typescript, limits);
  REQUIRE(!result);
  CHECK(has(result.error().where, "/properties/a/properties/b"));
}

TEST_CASE("derive: unions that multiply are bounded") {
  std::string text = R"({"allOf": [)";
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    text += (i == 0 ? "" : ",");
    text += R"({"anyOf": [{"required": ["a)" + n + R"("]}, {"required": ["b)" + n + R"("]}, {"required": ["c"]}]})";
  }
  text += R"(], "type": "object"})";
  const Result<Derived> result = derived(text, Target::gbnf);
  REQUIRE(result);
  CHECK(has(residual(text, Target::gbnf), "anyOf at /allOf/11/anyOf"));
}

TEST_CASE("prompt: an outline with what each member must keep, then the rules") {
  const std::string text = text_of(R"j({"$id": "plumb:p", "title": "Two things", "type": "object", "required": ["a"],
    "properties": {"a": {"type": "array", "minItems": 2, "items": {"type": "string", "notBlank": true},
      "errorMessage": {"minItems": "Give at least 2 (has {size})"}}, "b": {"enum": ["x", "y"]}},
    "rules": [{"id": "r", "ask": "Is it true?", "each": "/a/*", "action": "Look again."}]})j",
                                   Target::prompt);
  CHECK(text ==
        "Two things.\n"
        "Answer with one JSON value of this shape and nothing else (`?` marks what may be left out):\n"
        "{\n"
        "  \"a\": [string, ...],  // Give at least 2; each: not blank\n"
        "  \"b\"?: \"x\" or \"y\",\n"
        "}\n"
        "Rules:\n"
        "- Is it true? Look again.\n");
}

TEST_CASE("prompt: members that are not named are told: by the pattern of their names, and the others") {
  const std::string prompt = text_of(R"({"type": "object", "properties": {"Type": {"const": "x"}},
      "patternProperties": {"^Fn::": {"type": "string", "minLength": 2}, "^x-": {}},
      "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}})",
                                     Target::prompt);
  CHECK(has(prompt, "  any name that fits \"^Fn::\": a string and at least 2 characters,\n"));
  CHECK(has(prompt, "  any name that fits \"^x-\": any value,\n"));
  CHECK(has(prompt, "  any other name: {\n    \"a\": integer,\n  },\n"));
  // What is not said, or may be anything, is not worth a line.
  CHECK(!has(text_of(R"({"type": "object", "properties": {"a": {"type": "string"}}})", Target::prompt), "any "));
  CHECK(has(text_of(R"({"type": "object", "additionalProperties": {"type": "string"}})", Target::prompt),
            "{any name: string}"));
}

TEST_CASE("prompt: conditions read like sentences, and nothing is said twice") {
  const std::string prompt = text_of(R"({"type": "object", "required": ["kind", "version"],
    "properties": {"kind": {"enum": ["major", "minor"]},
                   "version": {"type": "string", "description": "The version.", "pattern": "^v"},
                   "steps": {"type": "array"}},
    "if": {"required": ["kind"], "properties": {"kind": {"const": "major"}}},
    "then": {"required": ["steps"], "properties": {"steps": {"minItems": 2, "maxItems": 5}}},
    "else": {"properties": {"version": {"maxLength": 3}}}})",
                                     Target::prompt);
  CHECK(has(prompt, "\"version\": string,  // The version; matches the pattern `^v`\n"));
  CHECK(has(prompt,
            "- Where `kind` is \"major\": `steps` is there and `steps` has at least 2 items, at most 5 items.\n"));
  CHECK(has(prompt, "- Unless `kind` is \"major\": `version` has at most 3 characters.\n"));
  CHECK(
      has(text_of(R"({"type": "object", "dependencies": {"a": ["b", "c"], "d": {"required": ["e"]}}})", Target::prompt),
          "`a` requires `b` and `c` and more is asked where `d` is there"));
}

TEST_CASE("page: Markdown and HTML escape what the contract says") {
  const std::string one =
      R"({"$id": "plumb:p", "title": "A <b> | c", "type": "object", "properties": {"a|b": {"type": "string",
    "description": "<script> & *stars*"}}})";
  const std::string markdown = text_of(one, Target::page);
  CHECK(has(markdown, "# A \\<b> | c"));
  CHECK(has(markdown, "`/a\\|b`"));
  CHECK(has(markdown, "\\*stars\\*"));
  const std::string html = text_of(one, Target::html);
  CHECK(has(html, "<h1>A &lt;b&gt; | c</h1>"));
  CHECK(has(html, "&lt;script&gt; &amp; *stars*"));
  CHECK(!has(html, "<script>"));
}

TEST_CASE("tokens: estimates grow with the text, and the safe one is never below the likely one") {
  CHECK(text::estimate_tokens("").likely == 0);
  const text::TokenEstimate words = text::estimate_tokens("Every question needs four options.");
  CHECK(words.likely >= 5);
  CHECK(words.likely <= 8);
  for (const char* text : {"{\"a\": [1, 2, 3]}", "Ünïcödé", "漢字かな交じり文", "हिन्दी में लिखा", "\n\n\n", "   x"}) {
    const text::TokenEstimate one = text::estimate_tokens(text);
    CHECK(one.safe >= one.likely);
    CHECK(text::estimate_tokens(std::string(text) + text).likely >= one.likely);
  }
}

TEST_CASE("json-schema: our keywords have their prefix, nothing else changes, and it is the same contract again") {
  const std::string one = R"({ "$schema": "plumb:contract", "type": "object",
  "properties": {"notBlank": {"notBlank": true, "x-plumb-severity": "warning"}, "b": {"enum": [{"notBlank": 1}]}},
  "$defs": {"unused": {"quotedFrom": {"in": "context:/a"}}}, "rules": [{"id": "r", "check": {"length": {"max": 2}}}]})";
  const std::string text = text_of(one, Target::json_schema);
  CHECK(text ==
        R"({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "properties": {"notBlank": {"x-plumb-notBlank": true, "x-plumb-severity": "warning"}, "b": {"enum": [{"notBlank": )"
        R"(1}]}},
  "$defs": {"unused": {"x-plumb-quotedFrom": {"in": "context:/a"}}}, "x-plumb-rules": [{"id": "r", "check": )"
        R"({"x-plumb-length": {"max": 2}}}]})");
  CHECK(text_of(text, Target::json_schema) == text);
  CHECK(contract::Contract::read(text));
}

TEST_CASE("json-schema: what is somebody else's keyword stays, and what others would read otherwise is told") {
  const std::string foreign = R"({"type": "object", "length": 5, "role": "main"})";
  CHECK(text_of(foreign, Target::json_schema) == foreign);
  CHECK(!derived(R"({"pointers": {"/a": {"type": "string"}}, "properties": {"b": {"$ref": "#/pointers/~1a"}}})",
                 Target::json_schema));
  CHECK(narrows(R"({"not": {"notBlank": true}})", Target::json_schema) == "ignored keywords at /not");
  CHECK(narrows(R"({"properties": {"a": {"notBlank": true}}})", Target::json_schema).empty());
  CHECK(residual(R"({"properties": {"a": {"type": "string", "notBlank": true}}})", Target::json_schema) ==
        "notBlank at /properties/a/notBlank");
}

TEST_CASE("zod: lengths by code points, circles as getters, and nothing of names that every object has") {
  CHECK(text_of(R"({"$id": "plumb:a", "type": "object", "additionalProperties": false, "required": ["k"],
    "properties": {"k": {"enum": ["x", 1, null, true]}, "two words": {"type": "string", "minLength": 2}}})",
                Target::zod) ==
        "import { z } from \"zod\";\n\nexport const A = z.strictObject({\n  k: z.literal([\"x\", 1, null, true]),\n"
        "  \"two words\": z.string().refine((text) => [...text].length >= 2, \"at least 2 characters\").optional(),\n"
        "});\nexport type A = z.infer<typeof A>;\n");
  CHECK(has(text_of(tree, Target::zod), "  get parts() {\n    return z.array(Contract).optional();\n  },\n"));
  CHECK(has(text_of(R"({"$ref": "#/$defs/l", "$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}}})",
                    Target::zod),
            ": z.ZodType = z.array(z.lazy(() => "));
  const std::string hidden = R"({"type": "object", "properties": {"constructor": {"type": "string"}, "a": {}},
    "required": ["constructor"], "additionalProperties": false})";
  CHECK(residual(hidden, Target::zod) ==
        "type at /properties/constructor/type, required at /required, additionalProperties at /additionalProperties");
}

TEST_CASE("pydantic: strict types, aliases for what is no name, one number or boolean alone for a constant") {
  const std::string text = text_of(R"({"$id": "plumb:a", "type": "object", "additionalProperties": false,
    "required": ["class"], "properties": {"class": {"type": "integer", "minimum": 1}, "n": {"const": true},
    "s": {"enum": ["x", null, 2]}, "t": {"type": "string", "pattern": "^\\d+$", "description": "Ends \"\"\" here."}}})",
                                   Target::pydantic);
  CHECK(has(text,
            "class A(BaseModel):\n    model_config = ConfigDict(extra=\"forbid\")\n\n"
            "    class_: Annotated[StrictInt, Field(ge=1)] = Field(alias=\"class\")\n"
            "    n: Annotated[StrictBool, Field(ge=True)] = Field(default=None)\n"
            "    s: Union[Literal[\"x\", None], Annotated[StrictInt, Field(ge=2, le=2)]] = Field(default=None)\n"
            "    t: Annotated[StrictStr, StringConstraints(pattern=\"^[0-9]+$\")] = Field(default=None, "
            "description=\"Ends \\\"\\\"\\\" here.\")\n"));
  CHECK(residual(R"({"type": "string", "pattern": "^.$"})", Target::pydantic) == "pattern at /pattern");
  CHECK(has(text_of(R"({"type": "array", "items": {"type": "string"}})", Target::pydantic),
            "Contract = TypeAliasType(\"Contract\", \"list[StrictStr]\")"));
}

TEST_CASE("gemini: types by their names there, texts as constants, named members in their order") {
  const std::string one = R"({"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x", "y", null]},
    "b": {"type": ["integer", "string"], "minimum": 1, "minLength": 2}}})";
  CHECK(text_of(one, Target::gemini) == R"({
  "responseMimeType": "application/json",
  "responseSchema": {
    "type": "OBJECT",
    "properties": {
      "a": {
        "type": "STRING",
        "format": "enum",
        "enum": [
          "x",
          "y"
        ],
        "nullable": true
      },
      "b": {
        "description": "At least 2 characters.",
        "anyOf": [
          {
            "type": "STRING"
          },
          {
            "type": "INTEGER",
            "minimum": 1
          }
        ]
      }
    },
    "required": [
      "a"
    ],
    "propertyOrdering": [
      "a",
      "b"
    ]
  }
}
)");
  CHECK(residual(one, Target::gemini) == "minLength at /properties/b/minLength");
  CHECK(narrows(one, Target::gemini) == "other members at , order of members at ");
  CHECK(residual(R"({"const": 5})", Target::gemini) == "const at /const");
  for (const char* refused :
       {R"({"type": "object"})", R"({"type": "array", "prefixItems": [true, {"type": "null"}]})", R"({"const": []})"}) {
    CHECK(!derived(refused, Target::gemini));
  }
  CHECK(!derived(tree, Target::gemini));
}
