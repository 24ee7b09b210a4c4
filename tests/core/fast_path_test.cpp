// Fast acceptance accepts what it can and leaves the rest to the engine; so with plans and without, whole and in pieces
// of any size, a text must give the same verdict, whatever is wrong with it, and tell of each finding with the same
// piece.
#include "core/contract/fast_path.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/accepting.hpp"

using namespace plumb::contract;
using namespace plumb::test;

namespace {

std::string word(Numbers& numbers) {
  static const std::vector<std::string> words = {"cell",
                                                 "light",
                                                 "\\u00e9tude",
                                                 "Chlorophyll",
                                                 "Stra\xC3\x9F"
                                                 "e",
                                                 "water",
                                                 "\xE6\xB0\xB4",
                                                 "sugar\\n",
                                                 " root ",
                                                 "ROOT",
                                                 "\\ud83c\\udf31",
                                                 "2"};
  std::string text;
  for (std::size_t i = 0, count = 1 + numbers.below(6); i < count; ++i) {
    text += (i == 0 ? "" : " ") + words[numbers.below(words.size())];
  }
  return text + " " + std::to_string(numbers.below(1000000));
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string quiz(Numbers& numbers) {
  std::string text = "{\n  \"questions\": [";
  for (std::size_t q = 0; q < 6; ++q) {
    std::vector<std::string> options;
    for (std::size_t i = 0; i < 4; ++i) {
      options.push_back(word(numbers));
    }
    text +=
        std::string(q == 0 ? "" : ",") + "\n    { \"question\": " + quoted(word(numbers)) + ",\n      \"options\": [";
    for (std::size_t i = 0; i < options.size(); ++i) {
      text += (i == 0 ? "" : ", ") + quoted(options[i]);
    }
    text += "],\n      \"correct_answer\": " + quoted(options[numbers.below(4)]) +
            ",\n      \"explanation\": " + quoted(word(numbers)) + " }";
  }
  return text + "\n  ]\n}";
}

std::string flashcards(Numbers& numbers) {
  std::string text = "{\"flashcards\": [";
  for (std::size_t i = 0; i < 20; ++i) {
    text += std::string(i == 0 ? "" : ", ") + "{\"front\": " + quoted(word(numbers)) +
            ", \"back\": " + quoted(word(numbers)) + "}";
  }
  return text + "]}";
}

std::string tree(Numbers& numbers, std::size_t depth) {
  std::string text = "{\"label\": " + quoted(word(numbers)) + ", \"children\": [";
  for (std::size_t i = 0, count = depth == 0 ? 0 : 1 + numbers.below(4); i < count; ++i) {
    text += (i == 0 ? "" : ",\n ") + tree(numbers, depth - 1);
  }
  text += "]}";
  if (numbers.below(4) == 0) {  // the label after the children
    const std::size_t comma = text.find(", \"children\"");
    const std::string label = text.substr(1, comma - 1);
    text = "{" + text.substr(comma + 2, text.size() - comma - 3) + ", " + label + "}";
  }
  return text;
}

std::string mindmap(Numbers& numbers) { return "{\"root\": " + tree(numbers, 4) + "}"; }

constexpr std::string_view general_contract = R"({
  "type": "object",
  "properties": {
    "items": {
      "type": "array", "minItems": 1, "maxItems": 6,
      "items": {
        "type": "object",
        "required": ["id"],
        "properties": {
          "id": {"type": "integer", "minimum": 1, "maximum": 50},
          "kind": {"enum": ["small", "large"]},
          "code": {"type": "string", "pattern": "^[a-z]+ ?[0-9]*$", "maxLength": 12},
          "day": {"type": "string", "format": "date"},
          "flags": {"type": "array", "uniqueItems": true, "items": {"type": ["string", "null"]}},
          "more": {"type": "object", "additionalProperties": {"type": ["number", "boolean", "null", "array"]},
                   "minProperties": 1, "maxProperties": 3},
          "a quite long key of a schema": {"type": "string"}
        },
        "dependentRequired": {"kind": ["code"]}
      }
    },
    "anything": {}
  }
})";

std::string general(Numbers& numbers) {
  std::string text = "{\"items\": [";
  for (std::size_t i = 0, count = 1 + numbers.below(6); i < count; ++i) {
    text += std::string(i == 0 ? "" : ", ") + "{\"id\": " + std::to_string(1 + numbers.below(51));
    if (numbers.below(2) == 0) {
      text += ", \"kind\": \"large\", \"code\": \"ab" + std::to_string(numbers.below(99)) + "\"";
    }
    if (numbers.below(2) == 0) {
      text += ", \"flags\": [\"a\", \"b\", \"" + std::string(numbers.below(4) == 0 ? "a" : "c") + "\"]";
    }
    if (numbers.below(2) == 0) {
      text += ", \"more\": {\"x\": -1.5e3, \"y\": true, \"z\": [0, {\"k\": {}}, \"t\"]}";
    }
    if (numbers.below(3) == 0) {
      text += ", \"a quite long key of a schema\": \"x\", \"unknown\": null";
    }
    text += "}";
  }
  return text + "], \"anything\": [[[1, 2], {\"a\": 1, \"b\": [], \"c\": \"\"}], 12.25, \"x\"]}";
}

}  // namespace

TEST_CASE("fast path: damaged artifacts give the same verdict and tell it with the same piece as without plans") {
  struct Kind {
    Both both;
    std::string (*make)(Numbers&);
  };
  const std::vector<Kind> kinds = {{Both(built_in_contract("quiz")->text), quiz},
                                   {Both(built_in_contract("flashcards")->text), flashcards},
                                   {Both(built_in_contract("mindmap")->text), mindmap},
                                   {Both(general_contract), general}};
  for (const Kind& kind : kinds) {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
      Numbers numbers(seed);
      std::string text = kind.make(numbers);
      agree(kind.both, text, seed);
      for (std::size_t faults = 1 + numbers.below(3); faults > 0 && !text.empty(); --faults) {
        damage(text, numbers);
      }
      agree(kind.both, text, seed);
    }
  }
}

TEST_CASE("fast path: the built-in contracts have plans for what there is much of") {
  for (const std::string_view name : {"quiz", "flashcards", "mindmap"}) {
    const Contract contract = contract_of(built_in_contract(name)->text);
    const Program& program = contract.program();
    std::size_t items = 0;
    for (const Node& node : program.nodes) {
      if (node.array && node.array->items != nullptr) {
        items += program.fast_paths.plans[node.array->items->fast_path].usable ? 1 : 0;
      }
    }
    std::size_t collecting = 0;
    for (const FastStart& start : program.fast_paths.starts) {
      collecting += program.fast_paths.plans[start.plan].usable ? 1 : 0;
    }
    CHECK(items > 0);
    CHECK((collecting > 0) == (name != "quiz"));
  }
}

TEST_CASE("fast path: what is too deep is a finding of the engine, at the same byte") {
  const Both both(R"({"type": "object"})");
  std::string text = R"({"a": )";
  for (int i = 0; i < 40; ++i) {
    text += "[ ";
  }
  for (int i = 0; i < 40; ++i) {
    text += "]";
  }
  text += "}";
  for (const std::uint32_t depth_max : {3U, 40U, 41U, 42U}) {
    agree(both, text, 0, depth_max);
  }
}

TEST_CASE("fast path: what was collected in vain is taken back") {
  const Both both(built_in_contract("flashcards")->text);
  std::string cards;
  for (int i = 0; i < 30; ++i) {
    // Each card is given up at its end, after its front has been collected: the engine collects it again.
    cards += std::string(i == 0 ? "" : ", ") + R"({"front": "term )" + std::to_string(i) + R"(", "back": " "})";
  }
  const std::string text = R"({"flashcards": [)" + cards + "]}";
  agree(both, text);
  CHECK(whole(both.contract, text).find("Duplicate") == std::string::npos);
}

TEST_CASE("fast path: a contract whose key holds a quote does not take it for the end of a key") {
  const Both both(R"({"properties": {"a\"b": {"type": "string"}, "c\\": {"type": "null"}}, "type": "object"})");
  agree(both, R"([{"a"b": "one more text, so that it is long enough to be fast_accepted"}])");
}

TEST_CASE("fast path: beyond its own bounds it gives up, and the engine judges") {
  const Both both(R"({"type": "array", "items": {
      "type": "object", "properties": {"tags": {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
                                       "codes": {"type": "array", "distinct": {"fold": ["lowercase"]},
                                                 "items": {"type": "string"}}, "n": {"type": "number"}}}})");
  const auto list = [](int count, const std::string& last) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) {
      text += "\"T" + std::to_string(i) + "\", ";
    }
    return text + "\"" + last + "\"]";
  };
  std::string deep;
  for (int i = 0; i < 230; ++i) {  // more levels than a walk goes down
    deep += i % 2 == 0 ? "[" : R"({"x": )";
  }
  std::string closing;
  for (int i = 230; i-- > 0;) {
    closing += i % 2 == 0 ? "]" : "}";
  }
  std::string keys;
  for (int i = 0; i < 20; ++i) {  // more keys that no slot names than a walk remembers
    keys += "\"k" + std::to_string(i) + "\": 1, ";
  }
  const std::vector<std::string> items = {
      R"({"deep": )" + deep + "1" + closing + "}",
      R"({"deep": )" + deep + "1 2" + closing + "}",
      "{" + keys + R"("n": 1})",
      "{" + keys + R"("k3": 1})",
      R"({"tags": )" + list(30, "t3") + "}",  // more texts than are compared each with each
      R"({"tags": )" + list(30, "T3") + "}",  // one of them twice
      R"({"codes": )" + list(30, "u") + "}",
      R"({"codes": )" + list(30, "t3") + "}",      // twice but for case
      R"({"n": )" + std::string(1200, '1') + "}",  // more digits than a walk reads
      R"({"n": 1e5})",
      R"({"n": 12)",
      R"({"x": ")" + std::string(9000, 'x') + R"(", "n": 1})",  // more bytes than are held
      R"({"x": ")" + std::string(9000, 'x') + R"(", "n": "1"})",
      R"({"x": [)" + list(1500, "t") + ", " + list(1500, "u") + R"(], "n": 1})",
  };
  for (const std::string& item : items) {
    const std::string text = R"([{"n": 1}, )" + item + R"(, {"n": 2, "tags": ["a", "b"]}])";
    agree(both, text);
  }
}

TEST_CASE(
    "fast path: every beginning of an artifact has the same verdict whole and in pieces, its findings' numbers too") {
  const Contract quiz = Contract::read(built_in_contract("quiz")->text).value();
  const std::string text =
      R"({"questions": [{"question": " ", "options": ["a", "b", "a"], "correct_answer": 7}], "x": -1})";
  for (const std::string& of : {text, "[" + text + "]", std::string("[[1"), std::string("false"), std::string("-1")}) {
    for (std::size_t size = 0; size <= of.size(); ++size) {
      const std::string_view begun = std::string_view(of).substr(0, size);
      const std::string expected = verdict_json(check_text(quiz, begun));
      for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, of.size()}) {
        Check check(quiz, {});
        std::vector<Finding> certain;
        for (std::size_t at = 0; at < begun.size(); at += piece) {
          check.push(begun.substr(at, piece), certain);
        }
        CHECK_MESSAGE(verdict_json(check.end(certain)) == expected, begun << " in pieces of " << piece);
      }
    }
  }
}

TEST_CASE("fast path: a string that goes on in the next piece is broken by the byte that the engine would say") {
  const Both both(R"({"type": "array", "items": {"type": "object", "properties": {
      "short": {"type": "string", "maxLength": 8}, "trimmed": {"type": "string", "length": {"max": 6,
      "fold": ["trim"]}},
      "kind": {"enum": ["tree", "trees", "tr\u00fce"]}, "code": {"type": "string", "pattern": "^(ab)+[0-9]{2}$"},
      "never": {"type": "string", "pattern": "a^"}, "at": {"type": "string", "format": "date"},
      "filled": {"type": "string", "notBlank": true}, "none": false,
      "few": {"type": "array", "maxItems": 2, "items": {"type": ["string", "integer"]}}},
      "additionalProperties": {"type": "boolean"}, "maxProperties": 3}})");
  for (const std::string_view value : {
           R"("short": "12345678")",
           R"("short": "123456789")",
           R"("short": "\u0031\u0032\n4567\"8")",
           R"("short": "\u0031\u0032\n4567\"89")",
           "\"short\": \"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\"",
           "\"short\": \"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\"",
           R"("trimmed": "  123456        ")",
           R"("trimmed": "  123456       7")",
           R"("kind": "trees")",
           R"("kind": "treee")",
           R"("kind": "tr\u00fce")",
           R"("kind": "")",
           R"("code": "abab12")",
           R"("code": "abac12")",
           R"("code": "\u0061b12")",
           R"("never": "")",
           R"("at": "2024-02-30")",
           R"("filled": "   \u0020\t ")",
           R"("filled": "\ud83c\udf31")",
           R"("filled": "\ud83c")",
           R"("filled": "\ud83c\u0041")",
           R"("filled": "\ud83cx")",
           R"("filled": "\udf31")",
           R"("filled": "\uD83Cz\q")",
           R"("filled": "a\q")",
           R"("filled": "\u00g0")",
           "\"filled\": \"\xED\xA0\x80\"",
           "\"filled\": \"a\xC3\"",
           "\"filled\": \"a\nb\"",
           R"("none": 1)",
           R"("other": true)",
           R"("other": 1)",
           R"("other": "x")",
           R"("few": ["a", 1])",
           R"("few": ["a", 1, 2])",
           R"("few": [1.5])",
           R"("few": [01])",
           R"("few": [-])",
           R"("few": [1e2])",
           R"("few": [tru])",
           R"("a": true, "b": true, "c": true)",
           R"("a": true, "b": true, "c": true, "d": true)",
           R"("a": true, "a": true)",
           R"("short": "a", "short": "b")",
           R"("a" true)",
           R"("a": true,)",
           R"("a": true])",
       }) {
    agree(both, "[ {\"filled\": \"first\"}, { " + std::string(value) + R"( }, {"filled": "last"} ])");
  }
}
