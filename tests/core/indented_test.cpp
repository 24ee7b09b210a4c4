// The layout that artifacts are handed over in.

#include "core/json/indented.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

using namespace plumb;

namespace {

// A list of strings of this character, whose line has `code_points` in all.
std::string list_of(std::string_view character, std::size_t code_points) {
  std::string out = "[";
  const std::size_t left = code_points - std::string_view(R"(["", ""])").size();
  for (const std::size_t size : {left / 2, left - left / 2}) {
    out += out.size() > 1 ? ", \"" : "\"";
    for (std::size_t i = 0; i < size; ++i) {
      out += character;
    }
    out += '"';
  }
  return out + "]";
}

bool same_value(std::string_view a, std::string_view b) {
  json::Arena arena;
  const Result<json::Value> left = json::parse(a, arena);
  const Result<json::Value> right = json::parse(b, arena);
  return left && right && json::value_text(left.value()) == json::value_text(right.value());
}

}  // namespace

TEST_CASE("indented: containers that fit stay on a line, and hold what they held") {
  CHECK(json::indented(R"({"a":[1,2],"b":{"c":[],"d":"x"},"e":[{"f":{}},{"g":[[]]}],"h":{}})") == R"({
  "a": [1, 2],
  "b": { "c": [], "d": "x" },
  "e": [
    { "f": {} },
    {
      "g": [[]]
    }
  ],
  "h": {}
})");
  CHECK(json::indented("[]") == "[]");
  CHECK(json::indented(" 1e400 ") == "1e400");
  CHECK(json::indented("[1,") == "[1,");
}

TEST_CASE("indented: a line has at most a hundred code points, whatever bytes these are, and loses none") {
  for (const std::string_view character : {"a", "\xC3\xA9", "\xE5\x85\x89", "\xF0\x9F\x91\x8D"}) {
    for (std::size_t code_points = 20; code_points < 130; ++code_points) {
      const std::string list = list_of(character, code_points);
      const std::string lines = json::indented(list);
      CHECK(same_value(list, lines));
      CHECK((lines == list) == (code_points <= json::indented_columns_max));
      const std::string deeper = json::indented("{\"a\":{\"b\":" + list + "}}");
      CHECK(same_value("{\"a\":{\"b\":" + list + "}}", deeper));
      CHECK((deeper.find(list) != std::string::npos) == (4 + code_points <= json::indented_columns_max));
    }
  }
}

TEST_CASE("indented: numbers, escapes, lone surrogates and the order of members are as they were") {
  const std::string_view text =
      R"({"z":[12345678901234567890123456789,1.10,-0,1E+2],"a":"\u0000\n\"\\\/\ud800\u2028","\t":[true,false,null]})";
  CHECK(same_value(text, json::indented(text)));
}

TEST_CASE("indented: as deep as a text may be") {
  const std::string text = std::string(1000, '[') + "1" + std::string(1000, ']');
  CHECK(same_value(text, json::indented(text)));
}
