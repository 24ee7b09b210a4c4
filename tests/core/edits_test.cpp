// Edits: what is made, what is only offered, and that nothing depends on how the bytes are split.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "core/repair/check.hpp"
#include "core/text/steps.hpp"

using namespace plumb;

namespace {

contract::Contract contract_of(std::string_view text) {
  auto read = contract::Contract::read(text);
  REQUIRE_MESSAGE(read, (read ? std::string() : read.error().message));
  return std::move(read).value();
}

struct Outcome {
  std::string text;     // what was judged; "GIVEN UP" where nothing could be made of it
  std::string verdict;  // as JSON
  std::string classes;  // "fence prose? comment-": ? a guess, - only offered
  bool valid = false;
};

Outcome outcome_of(const repair::Check& check, const contract::Verdict& verdict, bool) {
  Outcome out;
  out.verdict = contract::verdict_json(verdict);
  out.valid = verdict.valid;
  bool syntax = false;
  for (const contract::Finding& finding : verdict.findings) {
    syntax = syntax || finding.rule == "syntax";
  }
  out.text = syntax ? "GIVEN UP" : check.text();
  for (const contract::Edit& edit : verdict.edits) {
    out.classes += (out.classes.empty() ? "" : " ") + std::string(contract::edit_class_name(edit.edit_class)) +
                   (edit.certain ? "" : "?") + (edit.applied ? "" : "-");
  }
  return out;
}

Outcome run(std::string_view schema, std::string_view text, contract::EditLevel level = contract::EditLevel::certain,
            std::size_t piece = 0) {
  const contract::Contract contract = contract_of(schema);
  repair::Check check(contract, {}, {.level = level, .keep_text = true});
  if (piece == 0) {
    const contract::Verdict verdict = check.whole(text);
    return outcome_of(check, verdict, true);
  }
  std::vector<contract::Finding> certain;
  for (std::size_t i = 0; i < text.size(); i += piece) {
    check.push(text.substr(i, piece), certain);
  }
  const contract::Verdict verdict = check.end(certain);
  return outcome_of(check, verdict, false);
}

// The same outcome whole, byte by byte, and cut in two anywhere.
Outcome same_however_split(std::string_view schema, std::string_view text,
                           contract::EditLevel level = contract::EditLevel::certain) {
  const Outcome whole = run(schema, text, level);
  const contract::Contract contract = contract_of(schema);
  repair::Check check(contract, {}, {.level = level, .keep_text = true});
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    check.reset();
    std::vector<contract::Finding> certain;
    check.push(text.substr(0, cut), certain);
    check.push(text.substr(cut), certain);
    const contract::Verdict verdict = check.end(certain);
    const Outcome two = outcome_of(check, verdict, false);
    CHECK_MESSAGE(two.verdict == whole.verdict, "cut at " << cut << " of " << text);
    CHECK(two.text == whole.text);
  }
  for (std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{7}}) {
    const Outcome pieces = run(schema, text, level, piece);
    CHECK_MESSAGE(pieces.verdict == whole.verdict, "pieces of " << piece << " of " << text);
    CHECK(pieces.text == whole.text);
  }
  return whole;
}

struct Case {
  const char* text;
  const char* judged;
  const char* classes;
};

void hold(std::string_view schema, const std::vector<Case>& cases,
          contract::EditLevel level = contract::EditLevel::certain) {
  for (const Case& one : cases) {
    CAPTURE(one.text);
    const Outcome out = same_however_split(schema, one.text, level);
    CHECK(out.text == std::string(one.judged));
    CHECK(out.classes == std::string(one.classes));
  }
}

constexpr auto certain = contract::EditLevel::certain;
constexpr auto guess = contract::EditLevel::guess;
const char* const given_up = "GIVEN UP";

}  // namespace

TEST_CASE("edits: strict JSON passes as it is, without edits") {
  for (const char* text :
       {R"({"a": [1, 2.5e3, -0], "b\n": "x // y ```", "c": {"d": null}, "e": [], "f": {}})", "[]",
        "\"a string, with {braces} and [brackets]\"", "12", "true", " null \n", "[\"\\ud83d\\ude00\"]"}) {
    for (const auto level : {certain, guess}) {
      const Outcome out = same_however_split("{}", text, level);
      CHECK(out.text == text);
      CHECK(out.classes.empty());
      CHECK(out.valid);
    }
  }
}

TEST_CASE("edits: code fences, with text around them") {
  hold("{}",
       {
           {"```json\n{\"a\": 1}\n```", "{\"a\": 1}\n", "fence"},
           {"```\n[1, 2]\n```\n", "[1, 2]\n\n", "fence"},
           {"````json\n{\"a\": \"```\"}\n````", "{\"a\": \"```\"}\n", "fence"},
           {"Here is the quiz:\n\n```json\n{\"a\": 1}\n```\nHope this helps!", "{\"a\": 1}\n\n", "prose fence prose"},
           {"```json\n{\"a\": 1}\n", "{\"a\": 1}\n", "fence"},
           {"```json\n{\"a\": 1", given_up, "fence missingEnd?-"},
           {"{\"a\": 1}\n```", "{\"a\": 1}\n", "fence"},
           {"~~~\n{}\n~~~", "{}\n", "fence"},
           {"```json\n{\"a\": \"x\\n```\\ny\"}\n```", "{\"a\": \"x\\n```\\ny\"}\n", "fence"},
           {"```json\n{\"a\": 1}\n{\"a\": 2}\n```", given_up, "fence severalValues?-"},
       });
}

TEST_CASE("edits: text before and behind") {
  hold("{}", {
                 {"The answer is {\"a\": 1}.", given_up, "prose prose?-"},
                 {"Sure! Here it is: {\"a\": 1}\n\nLet me know if it helps.", "{\"a\": 1}\n\n", "prose prose"},
                 {"Use {name} here: {\"a\": 1}", given_up, "prose?-"},
                 {"As in [1], it is:\n{\"a\": 1}", given_up, "prose?-"},
                 {"\"a\": [1,2]}", given_up, ""},
                 {"1[2]", given_up, ""},
                 {"x{\"a\": 1}", given_up, "prose?-"},
                 {"{\"a\": 1}}", given_up, "prose?-"},
                 {"{\"a\": 1} {\"a\": 2}", given_up, "severalValues?-"},
                 {"nothing to see here", given_up, ""},
                 {"", given_up, ""},
                 {"[{\"a\":1}] and [{\"a\":2}]", given_up, "severalValues?-"},
             });
  hold("{}",
       {
           {"The answer is {\"a\": 1}.", "{\"a\": 1}", "prose prose?"},
           {"Use {name} here: {\"a\": 1}", "{\"a\": 1}", "prose?"},
           {"{\"a\": 1} {\"a\": 2}", "{\"a\": 1} ", "severalValues?"},
       },
       guess);
}

TEST_CASE("edits: commas") {
  hold("{}",
       {
           {"{\"a\": true,}", "{\"a\": true}", "trailingComma"},
           {"{\"a\": {},\n}", "{\"a\": {}\n}", "trailingComma"},
           {"{\"a\": 1,}", given_up, "trailingComma?-"},
           {"[\"a\",\"b\",]", given_up, "trailingComma?-"},
           {"[\n  \"a\",\n  \"b.\",\n]", "[\n  \"a\",\n  \"b.\"\n]", "trailingComma"},
           {"[\n  \"a\",\n  \"b\",\n]", given_up, "trailingComma?-"},
           {"[\n  \"a\",\n  \"b\",\n  \n]", given_up, "trailingComma?-"},
           {"[{} {}]", "[{}, {}]", "missingComma"},
           {"{\"a\": {}\n\"b\": true \"c\": []}", "{\"a\": {},\n\"b\": true, \"c\": []}", "missingComma missingComma"},
           {"{\"a\": \"x\"\n \"b\": \"y\"}", "{\"a\": \"x\",\n \"b\": \"y\"}", "missingComma"},
           {"{\"a\": \"x\" \"b\": \"y\"}", given_up, "missingComma?-"},
           {"{\"a\":\"x,\"\n\"b\":1}", given_up, "missingComma?-"},
           {"{\"a\":{}\",b\":1}", given_up, "missingComma?-"},
           {"[1 2]", given_up, "missingComma?-"},
           {"[1,,2]", given_up, "extraComma?-"},
           {"[,1]", given_up, ""},
       });
  hold("{}", {{"[1 2,]", "[1, 2]", "missingComma? trailingComma?"}}, guess);
  hold(R"({"items": {"type": "string"}})", {{"[\"a\",\"b!\",]", "[\"a\",\"b!\"]", "trailingComma"}});
}

TEST_CASE("edits: quotes") {
  hold("{}",
       {
           {"{'a': 'x', 'b': ['y']}", "{\"a\": \"x\", \"b\": [\"y\"]}",
            "singleQuotes singleQuotes singleQuotes singleQuotes"},
           {"{'a': 'it\\'s'}", "{\"a\": \"it's\"}", "singleQuotes singleQuotes"},
           {"{'a': 'say \"hi\"'}", given_up, "singleQuotes singleQuotes?-"},
           {"{'a': 'it's'}", given_up, "singleQuotes singleQuotes?- missingComma?-"},
           {"{\xE2\x80\x9C"
            "a\xE2\x80\x9D: \xE2\x80\x9Cx\xE2\x80\x9D}",
            "{\"a\": \"x\"}", "typographicQuotes typographicQuotes"},
           {"{\"a\": \"he said \"hi\" there\"}", given_up, "innerQuote?- innerQuote?-"},
           {"{a: 1, b_2: {c: true}}", "{\"a\": 1, \"b_2\": {\"c\": true}}", "unquotedKey unquotedKey unquotedKey"},
           {"{\"a\": 1, b: 2}", given_up, "unquotedKey?-"},
       });
  hold("{}",
       {
           {"{\"a\": \"he said \"hi\" there\"}", "{\"a\": \"he said \\\"hi\\\" there\"}", "innerQuote? innerQuote?"},
           {"[\"a \"b\", then c\", \"d\"]", "[\"a \\\"b\\\", then c\", \"d\"]", "innerQuote? innerQuote?"},
       },
       guess);
}

TEST_CASE("edits: comments and Python literals") {
  hold("{}", {
                 {"{\n  // all of it\n  \"a\": true /* no */\n}", given_up, "comment comment?-"},
                 {"{\n  // all of it\n  \"a\": [] // none\n}", "{\n  \n  \"a\": [] \n}", "comment comment"},
                 {"// first\n[]", "\n[]", "comment"},
                 {"/* first */ []", " []", "comment"},
                 {"[1, // \"one\"\n 2]", given_up, "comment?-"},
                 {"[1, # one\n 2]", given_up, "comment?-"},
                 {"{\"u\": \"http://x/#y\"}", "{\"u\": \"http://x/#y\"}", ""},
                 {"[True, False, None, \"None\"]", "[true, false, null, \"None\"]",
                  "pythonLiteral pythonLiteral pythonLiteral"},
                 {"[NaN]", given_up, ""},
                 {"[Infinity]", given_up, ""},
                 {"(1, 2)", given_up, ""},
             });
}

TEST_CASE("edits: text or a literal that touches the value, or stands alone behind it, is no text around it") {
  hold("{}", {
                 {"{\"a\":2}true", given_up, "severalValues?-"},
                 {"{\"a\":2} null\n", given_up, "severalValues?-"},
                 {"{\"a\":2}tail", given_up, "prose?-"},
                 {"{\"a\":2}\nThat is all.", "{\"a\":2}\n", "prose"},
                 {"true {\"a\":2}", given_up, "prose?-"},
                 {"{\"a\":2}-1", given_up, "severalValues?-"},
             });
}

TEST_CASE("edits: thinking goes, with all that stands in it") {
  hold("{}", {
                 {"<think>{\"a\": 1}? No.</think>{\"a\": 2}", "{\"a\": 2}", "thinking"},
                 {"<think>\n```json\n{}\n```\n</think>\n\nHere it is:\n```json\n{\"a\": 2}\n```", "\n\n{\"a\": 2}\n",
                  "thinking prose fence"},
                 {"\n<thinking>a</think> b</thinking>[1]", "\n[1]", "thinking"},
                 {"<think>{\"a\": 1}", given_up, ""},
                 {"<thin>{\"a\": 1}", "{\"a\": 1}", "prose"},
             });
}

TEST_CASE("edits: line breaks and tabs in strings, escapes of other languages") {
  hold("{}", {
                 {"{\"a\": \"x\ty\"}", "{\"a\": \"x\\ty\"}", "controlInString"},
                 {"{\"a\": \"\tx\"}", given_up, "controlInString?-"},
                 {"{\"a\": \"x\t\"}", given_up, "controlInString?-"},
                 {"{\"a\": \"x\ny\"}", given_up, "controlInString?-"},
                 {"[\"it\\'s\"]", "[\"it's\"]", "badEscape"},
                 {"[\"5\\' long\"]", given_up, "badEscape?-"},
             });
  hold("{}",
       {
           {"{\"a\": \"x\r\n\ty\"}", "{\"a\": \"x\\r\\n\\ty\"}", "controlInString? controlInString? controlInString"},
           // Rather the quote before the line break was lost.
           {"{\"a\": \"x,\n \"b\": \"y\"}", given_up, "controlInString?"},
       },
       guess);
}

TEST_CASE("edits: odd spaces, colons and zeros that are missing") {
  hold("{}", {
                 {"{\"a\":\xC2\xA0 1,\xE3\x80\x80\"b\"\xC2\xA0: [\xE2\x80\xAF] }\xC2\xA0", "{\"a\":  1, \"b\" : [ ] } ",
                  "oddSpace oddSpace oddSpace oddSpace oddSpace"},
                 {"[\"\xC2\xA0\"]", "[\"\xC2\xA0\"]", ""},
                 {"{\"a\" {\"b\"\n true}}", "{\"a\" :{\"b\"\n :true}}", "missingColon missingColon"},
                 {"{\"a\"1}", given_up, "missingColon?-"},
                 {"{\"a:\" 1}", given_up, ""},
                 {"{\"a\"\":b\"}", given_up, ""},
                 {"{\"a\" \"b\": 1}", given_up, ""},
                 {"[.5]", given_up, "missingZero?-"},
             });
  hold("{}", {{"[.5, -1]", "[0.5, -1]", "missingZero?"}}, guess);
}

TEST_CASE("edits: brackets that are missing at the end are offered, and never put") {
  for (const auto level : {certain, guess}) {
    hold("{}",
         {
             {"{\"a\": [1, {}", given_up, "missingEnd?-"},
             {"{\"a\": \"x\"", given_up, "missingEnd?-"},
             {"{\"a\": ", given_up, ""},
             {"{\"a\": \"x", given_up, ""},
             {"[1,", given_up, ""},
         },
         level);
  }
}

TEST_CASE("edits: JSON in a string, and a call of a tool, where the contract wants what is in them") {
  constexpr std::string_view schema =
      R"({"type": "object", "required": ["n"], "properties": {"n": {"type": "array", "items": {"type": "integer"}}}})";
  hold(schema, {
                   {R"("{\"n\": [1]}")", R"({"n": [1]})", "doubleEncoded"},
                   {R"({"n": "[1, 2]"})", R"({"n": [1, 2]})", "doubleEncoded"},
                   {R"({"n": "[1, 2"})", R"({"n": "[1, 2"})", ""},
                   {R"({"name": "submit", "arguments": {"n": [1]}})", R"({"n": [1]})", "envelope"},
                   {R"({"arguments": {"n": [1]}, "name": "submit"})", R"({"n": [1]})", "envelope"},
                   {R"({"name": "submit", "arguments": {"n": [1]}, "more": 1})",
                    R"({"name": "submit", "arguments": {"n": [1]}, "more": 1})", ""},
               });
  const Outcome any = same_however_split("{}", R"("{\"n\": [1]}")");
  CHECK(any.classes.empty());
  CHECK(any.valid);
}

TEST_CASE("edits: what is cut off is never completed") {
  for (const auto level : {certain, guess}) {
    for (const char* text : {"{\"a\": \"x", "{\"a\": [1, 2", "{\"a\": tru", "[\"\\u00", "[\"\\ud83d", "{'a': 'x", "{a",
                             "{a:", "[1,", "[1, 2", "{\"quiz\": {\"a\": 1}", "[True", "[\"a\\", "{\"a\": 1 // x"}) {
      CAPTURE(text);
      const Outcome out = same_however_split("{}", text, level);
      CHECK(out.text == given_up);
      CHECK(!out.valid);
    }
  }
}

TEST_CASE("edits: for the contract's sake") {
  const char* const schema = R"({"type": "object", "required": ["n", "tags"], "properties": {
    "n": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "object"}},
    "level": {"enum": ["easy", "very hard"]}, "names": {"type": "array", "items": {"type": "string"}}}})";
  hold(schema,
       {
           {R"({"n": "5", "tags": []})", R"({"n": 5, "tags": []})", "numberInString"},
           {R"({"n": "5 ", "tags": []})", R"({"n": "5 ", "tags": []})", ""},
           {R"({"n": 1, "tags": {"x": [1]}})", R"({"n": 1, "tags": [{"x": [1]}]})", "listOfOne"},
           {R"({"n": 1, "tags": [], "level": " Easy"})", R"({"n": 1, "tags": [], "level": "easy"})", "enumSpelling"},
           {R"({"n": 1, "tags": [], "level": "VeryHard"})", R"({"n": 1, "tags": [], "level": "very hard"})",
            "enumSpelling"},
           {R"({"n": 1, "tags": [], "level": "hard"})", R"({"n": 1, "tags": [], "level": "hard"})", ""},
           {R"({"n": 1, "tags": [], "names": "x"})", R"({"n": 1, "tags": [], "names": "x"})", "listOfOne?-"},
           {R"({"answer": {"n": 1, "tags": []}})", R"({"n": 1, "tags": []})", "envelope"},
           {R"({"type": "object", "properties": {"n": "1", "tags": []}, "required": ["n"]})", R"({"n": 1, "tags": []})",
            "envelope numberInString"},
           {R"({"answer": {"n": 1}})", R"({"answer": {"n": 1}})", ""},
           {R"({"answer": {"n": 1, "tags": []}, "m": 1})", R"({"answer": {"n": 1, "tags": []}, "m": 1})", ""},
           {R"({"extra": {"n": 1}, "n": 1, "tags": []})", R"({"extra": {"n": 1}, "n": 1, "tags": []})", ""},
       });
  hold(schema, {{R"({"n": 1, "tags": [], "names": "x"})", R"({"n": 1, "tags": [], "names": ["x"]})", "listOfOne?"}},
       guess);
  hold(R"({"type": "array", "items": {"type": "object"}})",
       {
           {R"({"a": 1})", R"([{"a": 1}])", "listOfOne"},
           {R"({"items": [{"a": 1}]})", R"([{"a": 1}])", "envelope"},
       });
}

TEST_CASE("edits: a boolean in a string") {
  hold(R"({"properties": {"b": {"type": "boolean"}, "o": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    "r": {"$ref": "#/$defs/flag"}, "e": {"enum": [true, null]}, "n": {"type": ["boolean", "number"]},
    "s": {"type": ["boolean", "string"]}, "u": {"oneOf": [{"type": "boolean"}, {"const": "auto"}]}, "a": {},
    "l": {"type": ["boolean", "array"]}, "i": {"type": "array", "items": {"type": "boolean"}}},
    "$defs": {"flag": {"type": "boolean"}}})",
       {
           {R"({"b": "true"})", R"({"b": true})", "booleanInString"},
           {R"({"b":"False" , "o": "True"})", R"({"b":false , "o": true})", "booleanInString booleanInString"},
           {R"({"r": "false", "e": "true"})", R"({"r": false, "e": true})", "booleanInString booleanInString"},
           {R"({"n": "true", "i": ["true", false, "false"]})", R"({"n": true, "i": [true, false, false]})",
            "booleanInString booleanInString booleanInString"},
           {R"({"n": "1.5"})", R"({"n": 1.5})", "numberInString"},
           {R"({"s": "true", "u": "true", "a": "true"})", R"({"s": "true", "u": "true", "a": "true"})", ""},
           {R"({"b": "TRUE", "o": " true"})", R"({"b": "TRUE", "o": " true"})", ""},
           {R"({"b": "tru", "o": ""})", R"({"b": "tru", "o": ""})", ""},
           {R"({"b": "tr\u0075e"})", R"({"b": "tr\u0075e"})", ""},
           {R"({"l": "true"})", R"({"l": "true"})", "booleanInString?-"},
           {"{\"b\": \"true", given_up, ""},
       });
  hold(R"({"type": "boolean"})", {{R"("true")", "true", "booleanInString"}});
}

TEST_CASE("edits: null for a member that may be left out") {
  hold(R"({"required": ["id"], "properties": {"id": {"type": "integer"}, "a": {"type": "string"},
    "b": {"type": "array", "items": {"type": "string"}}, "e": {"enum": ["x", "y"]}, "n": {"type": ["string", "null"]},
    "o": {"oneOf": [{"type": "string"}, {"type": "integer"}]}, "p": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "l": {"type": "array"}, "k": {"properties": {"a": {"type": "string"}}}}})",
       {
           {R"({"a": null})", "{}", "nullMember"},
           {R"({ "a" : null })", "{  }", "nullMember"},
           {R"({"a": null, "id": 1})", R"({"id": 1})", "nullMember"},
           {R"({"id": 1, "a": null})", R"({"id": 1})", "nullMember"},
           {"{\n  \"id\": 1,\n  \"a\": null,\n  \"n\": null\n}", "{\n  \"id\": 1,\n  \"n\": null\n}", "nullMember"},
           {R"({"a": null, "b": null, "e": null, "o": null, "id": 1})", R"({"id": 1})",
            "nullMember nullMember nullMember nullMember"},
           {R"({"id": 1, "a": null, "b": null, "n": "x", "o": null})", R"({"id": 1, "n": "x"})",
            "nullMember nullMember nullMember"},
           {R"({"id": 1, "k": {"a": None}})", R"({"id": 1, "k": {}})", "nullMember"},
           {R"({"a": null,})", "{}", "nullMember"},
           {R"({"id": "1", "a": null,})", R"({"id": 1})", "numberInString nullMember trailingComma"},
           {R"({"id": null, "n": null, "p": null, "x": null})", R"({"id": null, "n": null, "p": null, "x": null})", ""},
           {R"({"a": "x", "a": null})", R"({"a": "x", "a": null})", "nullMember?-"},
           {R"({"id": 1, "l": null})", R"({"id": 1, "l": null})", "nullMember?- listOfOne?-"},
           {R"({"id": 1, "a": null)", given_up, "missingEnd?-"},
           {R"({"id": 1, "a": nul)", given_up, ""},
           {R"({"\u0061": null})", R"({"\u0061": null})", ""},
       });
}

TEST_CASE("edits: a member that something may ask for is not left out for being null") {
  for (const char* const asks :
       {R"("required": ["a"])", R"("allOf": [{"required": ["a"]}])", R"("anyOf": [{"required": ["a"]}, {}])",
        R"("oneOf": [{"$ref": "#/$defs/a"}, {"required": ["b"]}])", R"("if": {"required": ["a"]}, "then": {})",
        R"("if": {"required": ["b"]}, "then": {}, "else": {"required": ["a"]})", R"("not": {"required": ["a"]})",
        R"("dependentRequired": {"b": ["a"]})", R"("dependentSchemas": {"b": {"required": ["a"]}})",
        R"("minProperties": 1)", R"("rules": [{"id": "r", "check": {"required": ["a"]}}])"}) {
    CAPTURE(asks);
    const std::string schema =
        R"({"properties": {"a": {"type": "string"}}, "$defs": {"a": {"required": ["a"]}}, )" + std::string(asks) + "}";
    const Outcome out = same_however_split(schema, R"({"a": null})");
    CHECK(out.classes.empty());
    CHECK(out.text == R"({"a": null})");
  }
}

TEST_CASE("edits: a lone surrogate, and an escape cut in the middle, stay findings") {
  hold("{}", {
                 {"```json\n{\"a\": \"\\ud83d\"}\n```", "{\"a\": \"\\ud83d\"}\n", "fence"},
                 {"```json\n{\"a\": \"\\ud8", given_up, "fence"},
             });
}

TEST_CASE("edits: a backslash that begins no escape is doubled") {
  hold("{}", {
                 {R"(["$\mathrm{x}$"])", R"(["$\\mathrm{x}$"])", "badEscape"},
                 {R"(["\(x\) and \[y\]"])", R"(["\\(x\\) and \\[y\\]"])", "badEscape badEscape badEscape badEscape"},
                 {R"(["C:\Windows\System32"])", R"(["C:\\Windows\\System32"])", "badEscape badEscape"},
                 {R"(["^\d+\.\w$"])", R"(["^\\d+\\.\\w$"])", "badEscape badEscape badEscape"},
                 {R"(["\x41\0"])", R"(["\\x41\\0"])", "badEscape badEscape"},
                 {R"(["\underline{x}", "C:\users"])", R"(["\\underline{x}", "C:\\users"])", "badEscape badEscape"},
                 {R"({"\alpha": "\é"})", R"({"\\alpha": "\\é"})", "badEscape badEscape"},
                 {R"(["\\mathrm", "\/", "\"", "\\"])", R"(["\\mathrm", "\/", "\"", "\\"])", ""},
                 // A damaged escape is none that stands for itself, and a backslash at the end of a line joins lines.
                 {R"(["caf\u0e9", "x"])", given_up, ""},
                 {R"(["\u00g9"])", given_up, ""},
                 {"[\"a\\\nb\"]", given_up, ""},
                 {R"(["a\)", given_up, ""},
                 {R"({'a': 'C:\Windows'})", R"({"a": "C:\\Windows"})", "singleQuotes singleQuotes"},
                 {R"({'a': '\x41'})", given_up, "singleQuotes singleQuotes"},
             });
}

TEST_CASE("edits: an escape that was hardly meant is a warning, and offered as a guess") {
  struct Warned {
    const char* text;
    const char* judged;  // with guesses
    std::size_t warnings;
  };
  for (const Warned& one :
       {Warned{R"(["$3 \times 4$"])", R"(["$3 \\times 4$"])", 1},
        Warned{R"(["\theta is $x$"])", R"(["\\theta is $x$"])", 1},
        Warned{R"(["\nu and \\(x"])", R"(["\\nu and \\(x"])", 1},
        Warned{R"(["\bar x", "\frac{1}{2}", "\right]"])", R"(["\\bar x", "\\frac{1}{2}", "\\right]"])", 3},
        Warned{R"({"a": {"b": ["x", "\rho"]}})", R"({"a": {"b": ["x", "\\rho"]}})", 1},
        Warned{R"(["3 \times 4"])", R"(["3 \times 4"])", 0},
        Warned{R"(["$1\tand $2\nfor\r\nall"])", R"(["$1\tand $2\nfor\r\nall"])", 0},
        Warned{R"(["$x$\ntimestamp"])", R"(["$x$\ntimestamp"])", 0},
        Warned{R"(["$x$", "\theta"])", R"(["$x$", "\theta"])", 0},
        Warned{R"(["\b\f\n\r\t\/\\\"\u0000", "\r", "\f"])", R"(["\b\f\n\r\t\/\\\"\u0000", "\r", "\f"])", 0}}) {
    CAPTURE(one.text);
    const contract::Contract contract = contract_of("{}");
    std::vector<std::vector<contract::Finding>> all;
    for (const auto level : {contract::EditLevel::none, certain}) {
      const Outcome out = same_however_split("{}", one.text, level);
      CHECK(out.valid);
      CHECK(out.text == one.text);
      repair::Check check(contract, {}, {.level = level, .keep_text = true});
      const contract::Verdict verdict = check.whole(one.text);
      CHECK(verdict.findings.size() == one.warnings);
      CHECK((verdict.decision == contract::Decision::accept_with_warnings) == (one.warnings > 0));
      CHECK(verdict.clean == (one.warnings == 0));
      for (const contract::Finding& finding : verdict.findings) {
        CHECK(finding.rule == "suspectEscape");
        CHECK(finding.severity == contract::Severity::warning);
        CHECK(std::string_view(one.text).substr(static_cast<std::size_t>(finding.span.from), 2) == finding.provided);
        CHECK(finding.span.column_to == finding.span.column + 2);
      }
      all.push_back(verdict.findings);
    }
    REQUIRE(all[0].size() == all[1].size());
    for (std::size_t i = 0; i < all[0].size(); ++i) {
      CHECK(all[0][i].at == all[1][i].at);
      CHECK(all[0][i].message == all[1][i].message);
    }
    const Outcome guessed = same_however_split("{}", one.text, guess);
    CHECK(guessed.text == one.judged);
    CHECK(guessed.valid);
  }
}

TEST_CASE(
    "edits: a verdict lists a hundred warnings of escapes and counts the others, and one kept is not given again") {
  const contract::Contract contract = contract_of("{}");
  std::string text = "[\"x\"";
  for (int i = 0; i < 150; ++i) {
    text += ",\"\\beta\"";
  }
  text += "]";
  repair::Check check(contract, {}, {});
  const contract::Verdict known = check.whole("[]");
  check.reset();
  const auto verdict = check.whole_unless(known, text);
  REQUIRE(verdict.has_value());
  CHECK(verdict->findings.size() == 100);
  CHECK(verdict->more == std::vector<std::pair<std::string, std::uint64_t>>{{"suspectEscape", 50}});
  CHECK(verdict->valid);
  check.reset();
  CHECK_FALSE(check.whole_unless(known, "[\"\\n\"]").has_value());
  check.reset();
  std::vector<contract::Finding> found;
  check.push(text, found);
  CHECK(check.end_unless(known, found).has_value());
  CHECK(found.size() == 100);
}

TEST_CASE("edits: guesses at escaped quotes, commas, brackets and dots") {
  const std::vector<Case> cases = {
      {R"({\"a\":1})", R"({"a":1})", "escapedQuotes?"},
      {R"({\"a\": \"x\", \"b\": [\"y\"]})", R"({"a": "x", "b": ["y"]})",
       "escapedQuotes? escapedQuotes? escapedQuotes? escapedQuotes?"},
      {R"([\"say \\\"hi\\\", C:\\\\x, \\u00e9\n\"])", R"(["say \"hi\", C:\\x, \u00e9\n"])", "escapedQuotes?"},
      {"[1,,2]", "[1,2]", "extraComma?"},
      {"[1, ,2,,]", "[1 ,2]", "extraComma? extraComma? trailingComma?"},
      {R"({"a":1,,"b":2})", R"({"a":1,"b":2})", "extraComma?"},
      {R"({"a": [{"b": 1}}})", R"({"a": [{"b": 1}]})", "wrongBracket?"},
      {R"({"a": [{"b": 1}})", given_up, ""},
      {R"([{"a":1}})", R"([{"a":1}])", "wrongBracket?"},
      {R"({"a": [{"b": 1}}, "c": 2})", R"({"a": [{"b": 1}], "c": 2})", "wrongBracket?"},
      {R"({"a": [1, 2}})", R"({"a": [1, 2]})", "wrongBracket?"},
      {R"([{"a": 1], {"b": 2}])", R"([{"a": 1}, {"b": 2}])", "wrongBracket?"},
      {R"({"a": ["x", "y"}})", R"({"a": ["x", "y"]})", "wrongBracket?"},
      {R"(["a {"b"} c"])", R"(["a {\"b\"} c"])", "innerQuote? innerQuote?"},
      {R"(["x",, "y", ...])", R"(["x", "y"])", "extraComma? ellipsis?"},
      {R"([1, 2, ...])", "[1, 2]", "ellipsis?"},
      {R"([1, ..., 9])", "[1, 9]", "ellipsis?"},
      {"[1, 2 \xE2\x80\xA6]", "[1, 2 ]", "ellipsis?"},
      {R"([..., 9])", "[ 9]", "ellipsis?"},
      {R"({"a": 1, ...})", R"({"a": 1})", "ellipsis?"},
      {R"({...})", "{}", "ellipsis?"},
      {R"(["..."])", R"(["..."])", ""},
  };
  hold("{}", cases, guess);
  for (const Case& one : cases) {
    CAPTURE(one.text);
    const Outcome out = same_however_split("{}", one.text);
    CHECK(out.text == (one.classes[0] == '\0' ? one.judged : given_up));
  }
  for (const char* text : {R"({\"a\")", R"({\"a\": \")", R"([1, ,)", R"([1, ...)", R"({"a": [1, 2})", R"(["x" +)"}) {
    CAPTURE(text);
    CHECK(same_however_split("{}", text, guess).text == given_up);
  }
}

TEST_CASE("edits: strings with a plus between them are joined or refused, and never taken as written") {
  const std::vector<Case> cases = {
      {R"({"a": "x" + "y"})", R"({"a": "xy"})", "joinedStrings?"},
      {"[\"one \" +\n  \"two \" +\n  \"three\", \"four\"]", R"(["one two three", "four"])",
       "joinedStrings? joinedStrings?"},
      {R"(["x" + name, "y"])", given_up, ""},
      {R"(["x" + 1])", given_up, ""},
      {R"(['x' + 'y'])", given_up, "singleQuotes?"},
      {R"("x" + "y")", given_up, ""},
  };
  hold("{}", cases, guess);
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(same_however_split("{}", one.text).text == given_up);
  }
}

TEST_CASE("edits: JSON in a string in a fence, and in a fence in a string") {
  hold(R"({"type": "object", "required": ["n"], "properties": {"n": {"type": "array"}}})",
       {
           {"```json\n\"{\\\"n\\\": [1]}\"\n```", "{\"n\": [1]}\n", "fence doubleEncoded"},
           {R"("```json\n{\"n\": [1]}\n```")", "{\"n\": [1]}\n", "doubleEncoded"},
           {R"({"n": "```\n[1]```"})", R"({"n": [1]})", "doubleEncoded"},
           {R"({"n": "```\nnone\n```"})", R"({"n": "```\nnone\n```"})", "listOfOne?-"},
       });
}

TEST_CASE("edits: an answer in an answer is part of it") {
  hold("{}",
       {
           {R"({"answer": "{\"a\": 1}"})", R"({"answer": "{\"a\": 1}"})", ""},
           {"```json\n{\"answer\": \"```json\\n{}\\n```\"}\n```", "{\"answer\": \"```json\\n{}\\n```\"}\n", "fence"},
           {"````\n```json\n{}\n```\n````", given_up, "fence"},
       });
}

TEST_CASE("edits: spans of findings are of the original, by line and column") {
  const contract::Contract contract = contract_of(R"({"properties": {"b": {"minItems": 2}}})");
  repair::Check check(contract, {}, {.level = certain, .keep_text = true});
  const std::string text = "Sure:\n```json\n{\n  'é': 'x', // why\n  'b': [1]\n}\n```";
  const contract::Verdict verdict = check.whole(text);
  REQUIRE(verdict.findings.size() == 1);
  const contract::Span& span = verdict.findings[0].span;
  CHECK(text.substr(static_cast<std::size_t>(span.from), static_cast<std::size_t>(span.to - span.from)) == "[1]");
  CHECK(span.line == 5);
  CHECK(span.column == 8);
  CHECK(span.column_to == 11);
  CHECK(span.utf16_from == span.from - 1);
  CHECK(verdict.findings[0].decided_at == span.to);
}

TEST_CASE("edits: too many of them end in a signal, and the rest is judged as it stands") {
  const contract::Contract contract = contract_of("true");
  repair::EditOptions options = {.level = certain, .keep_text = true};
  options.edits_max = 3;
  repair::Check check(contract, {}, options);
  const contract::Verdict verdict = check.whole("['a', 'b', 'c', 'd']");
  CHECK(verdict.edits.size() == 3);
  CHECK(!verdict.valid);
  REQUIRE(verdict.signals.size() == 1);
  CHECK(verdict.signals[0].kind == "edits");
  CHECK(verdict.signals[0].at_byte == 17);
  CHECK(!check.mended());
}

TEST_CASE("edits: a level for a class goes before the contract's, and that before the general one") {
  const contract::Contract contract = contract_of(R"({"properties": {"a": {"edits": {"innerQuote": "guess"}}}})");
  const auto valid = [&](const repair::EditOptions& options, std::string_view text) {
    repair::Check check(contract, {}, options);
    return check.whole(text).valid;
  };
  repair::EditOptions options = {.level = certain};
  CHECK(valid(options, R"({"a": "x "y" z"})"));
  CHECK(!valid(options, R"({"b": "x "y" z"})"));
  options.classes[contract::EditClass::inner_quote] = contract::EditLevel::none;
  CHECK(!valid(options, R"({"a": "x "y" z"})"));
  options.classes[contract::EditClass::inner_quote] = guess;
  CHECK(valid(options, R"({"b": "x "y" z"})"));
  options = {.level = contract::EditLevel::none};
  CHECK(!valid(options, R"({"a": "x "y" z"})"));
}

TEST_CASE("edits: who goes on with the edited text has findings of that, and what no edit helps as ever") {
  const contract::Contract contract =
      contract_of(R"({"type": "object", "properties": {"a": {"pattern": "^(x|y)*z$"}, "b": {"minimum": 5}}})");
  for (const std::string_view text :
       {R"({"a": "xyz", "b": 7})", R"({"a": "xyz", "b": 1})", R"({'a': 'xyz', "b": "7",})",
        "Here it is:\n```json\n{\"a\": \"xy\", \"b\": 1,}\n```", "{\"a\": ", "no JSON at all", R"(["a"])",
        R"({"b": "many"})"}) {
    CAPTURE(text);
    repair::Check plain(contract, {}, {.level = certain, .keep_text = true});
    const contract::Verdict told = plain.whole(text);
    repair::Check check(contract, {}, {.level = certain, .keep_text = true});
    for (int round = 0; round < 2; ++round) {  // used again it tells the same
      contract::Verdict verdict = check.whole_mended(text);
      CHECK(check.mended() == plain.mended());
      CHECK(check.text() == plain.text());
      CHECK(verdict.edits.size() == told.edits.size());
      if (check.mended()) {
        contract::Verdict again = contract::check_text(contract, check.text());
        again.edits = told.edits;
        CHECK(contract::verdict_json(verdict) == contract::verdict_json(again));
      } else {
        CHECK(contract::verdict_json(verdict) == contract::verdict_json(told));
      }
      check.reset();
    }
  }
}

TEST_CASE("edits: a text that is mended is judged twice at most") {
  const contract::Contract contract = contract_of(R"({"items": {"pattern": "(a|b|ab)*c"}})");
  std::string good = "[\"";
  for (int i = 0; i < 400; ++i) {
    good += "abababababababab";
  }
  good += "c\"";
  const std::string bad = good + ",]";
  good += "]";
  const auto steps_of = [&](std::string_view text) {
    text::Steps steps(0);
    contract::CheckOptions options;
    options.steps = &steps;
    contract::check_text(contract, text, options);
    return steps.used();
  };
  REQUIRE(steps_of(good) > 1'000);
  text::Steps steps(0);
  contract::CheckOptions options;
  options.steps = &steps;
  repair::Check check(contract, options, {.level = guess, .keep_text = true});
  CHECK(check.whole_mended(bad).valid);
  CHECK(check.mended());
  CHECK(steps.used() == steps_of(bad) + steps_of(good));
}
