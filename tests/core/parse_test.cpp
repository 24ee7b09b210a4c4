#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"

using plumb::ErrorCode;
using plumb::json::Arena;
using plumb::json::Kind;
using plumb::json::Member;
using plumb::json::parse;
using plumb::json::ParseLimits;
using plumb::json::Value;

namespace {

plumb::Error error_of(std::string_view text, ParseLimits limits = {}) {
  Arena arena;
  const auto result = parse(text, arena, limits);
  REQUIRE_MESSAGE(!result, std::string(text.substr(0, 100)));
  return result.error();
}

std::string_view part(std::string_view text, std::uint64_t from, std::uint64_t to) {
  return text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
}

// Every value is where its range says.
void check_ranges(const Value& value, std::string_view text) {
  const std::string_view range = part(text, value.from, value.to);
  switch (value.kind) {
    case Kind::null:
      CHECK(range == "null");
      break;
    case Kind::boolean:
      CHECK(range == (value.boolean ? "true" : "false"));
      break;
    case Kind::number:
      CHECK(range == value.str());
      break;
    case Kind::string:
      CHECK(range.front() == '"');
      CHECK(range.back() == '"');
      break;
    case Kind::array:
      CHECK(range.front() == '[');
      CHECK(range.back() == ']');
      for (const Value& item : value.array()) {
        check_ranges(item, text);
      }
      break;
    case Kind::object:
      CHECK(range.front() == '{');
      CHECK(range.back() == '}');
      for (const Member& member : value.object()) {
        const std::string_view key = part(text, member.key_from, member.key_to);
        CHECK(key.front() == '"');
        CHECK(key.back() == '"');
        check_ranges(member.value, text);
      }
      break;
  }
}

}  // namespace

TEST_CASE("parse: keeps the order of members, the text of numbers and the place of everything") {
  Arena arena;
  const std::string_view text =
      " {\"z\": [1.50, -0, 1e400, {\"n\": null}], \"a\" : {\"t\": true, \"f\":false}, \"\\u00e9\": \"x\\ty\", \"e\": "
      "[]}\n";
  const auto result = parse(text, arena);
  REQUIRE(result);
  const Value& root = result.value();
  check_ranges(root, text);
  REQUIRE(root.object().size() == 4);
  CHECK(root.object()[0].key == "z");
  CHECK(root.object()[1].key == "a");
  CHECK(root.object()[2].key == "é");
  CHECK(root.object()[2].value.str() == "x\ty");
  const Value& list = *root.find("z");
  REQUIRE(list.array().size() == 4);
  CHECK(list.array()[0].str() == "1.50");
  CHECK(list.array()[1].str() == "-0");
  CHECK(list.array()[2].str() == "1e400");
  CHECK(list.array()[3].find("n")->is(Kind::null));
  CHECK(root.find("a")->find("t")->boolean);
  CHECK(!root.find("a")->find("f")->boolean);
  CHECK(root.find("e")->array().empty());
  CHECK(root.from == 1);
  CHECK(root.to == text.size() - 1);
}

TEST_CASE("parse: the tree does not refer to the text it was read from") {
  Arena arena;
  std::string text = R"({"key":["value",12345]})";
  const auto result = parse(text, arena);
  text.assign(text.size(), '#');
  REQUIRE(result);
  CHECK(result.value().object()[0].key == "key");
  CHECK(result.value().find("key")->array()[0].str() == "value");
  CHECK(result.value().find("key")->array()[1].str() == "12345");
}

TEST_CASE("parse: scalars alone are texts") {
  Arena arena;
  CHECK(parse("null", arena).value().is(Kind::null));
  CHECK(parse(" true ", arena).value().boolean);
  CHECK(parse("-1.5e3", arena).value().str() == "-1.5e3");
  CHECK(parse("\"\"", arena).value().is(Kind::string));
  CHECK(parse("\"\"", arena).value().str().empty());
}

TEST_CASE("parse: what RFC 8259 refuses is refused") {
  for (const char* const text : {"",
                                 " ",
                                 "{",
                                 "[",
                                 "]",
                                 "}",
                                 "[1,]",
                                 "{\"a\":1,}",
                                 "{a:1}",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "[1 2]",
                                 "{\"a\":1 \"b\":2}",
                                 "01",
                                 "+1",
                                 "1.",
                                 ".5",
                                 "-",
                                 "1e",
                                 "1e+",
                                 "0x1",
                                 "NaN",
                                 "Infinity",
                                 "tru",
                                 "nul",
                                 "True",
                                 "'a'",
                                 "\"a",
                                 "\"\\x\"",
                                 "\"\\u12g4\"",
                                 "\"\t\"",
                                 "\"\n\"",
                                 "1 1",
                                 "[1]]",
                                 "[1}",
                                 "{\"a\":1]",
                                 "// c\n1",
                                 "\xEF\xBB\xBF"
                                 "1",
                                 "\"\xFF\"",
                                 "\"\xC0\xAF\"",
                                 "\"\xED\xA0\x80\"",
                                 "\"\xF4\x90\x80\x80\"",
                                 "\"\xE2\x82\"",
                                 "[,1]",
                                 "[1,,2]",
                                 "\v1"}) {
    CAPTURE(text);
    const plumb::Error error = error_of(text);
    CHECK(error.code == ErrorCode::invalid_argument);
    CHECK(!error.message.empty());
    CHECK(error.line >= 1);
    CHECK(error.column >= 1);
  }
}

TEST_CASE("parse: an error has its line and its column in UTF-16 units") {
  const plumb::Error error = error_of("{\n  \"a\": 1,\r\n  \"😀é\": x\n}");
  CHECK(error.line == 3);
  CHECK(error.column == 10);
  const plumb::Error end = error_of("[1,\n2");
  CHECK(end.line == 2);
  CHECK(end.column == 2);
}

TEST_CASE("parse: a key that stands twice is refused at the second, in objects of any size") {
  const plumb::Error error = error_of("{\"a\": 1,\n \"b\": {\"a\": 2},\n \"\\u0061\": 3, oops");
  CHECK(error.code == ErrorCode::invalid_argument);
  CHECK(error.message == "The key \"a\" appears twice in this object");
  CHECK(error.line == 3);
  CHECK(error.column == 2);
  for (const int count : {1, 15, 16, 17, 18, 40, 1000}) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) {
      text += "\"" + std::to_string(i) + "\":{\"0\":0},";
    }
    CAPTURE(count);
    for (const int repeated : {0, count / 2, count - 1}) {
      CHECK(error_of(text + "\n\"" + std::to_string(repeated) + "\":0}").line == 2);
    }
    Arena arena;
    CHECK(static_cast<bool>(parse(text + "\"x\":0}", arena)));
  }
}

TEST_CASE("parse: depth and size are bounded, and the limits themselves are allowed") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  Arena arena;
  CHECK(static_cast<bool>(parse(nested(1024), arena)));
  CHECK(error_of(nested(1025)).code == ErrorCode::limit);
  CHECK(error_of(std::string(1'000'000, '[')).code == ErrorCode::limit);
  ParseLimits limits;
  limits.depth_max = 2;
  limits.bytes_max = 6;
  CHECK(static_cast<bool>(parse("[[12]]", arena, limits)));
  CHECK(error_of("[[[]]]", limits).code == ErrorCode::limit);
  CHECK(error_of("[1, 2 ]", limits).code == ErrorCode::limit);
}

TEST_CASE("parse: texts longer than a piece are read as one") {
  std::string text = "[";
  for (int i = 0; i < 60'000; ++i) {
    text +=
        (i == 0 ? "\"" : ",\"") + std::string("é\\n text ") + std::to_string(i) + "\", " + std::to_string(i) + ".25";
  }
  text += "]";
  REQUIRE(text.size() > (std::size_t{1} << 20));
  Arena arena;
  const auto result = parse(text, arena);
  REQUIRE(result);
  REQUIRE(result.value().array().size() == 120'000);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < 60'000; ++i) {
    const Value& string = result.value().array()[2 * i];
    const Value& number = result.value().array()[2 * i + 1];
    wrong += string.str() == "é\n text " + std::to_string(i) && number.str() == std::to_string(i) + ".25" &&
                     part(text, number.from, number.to) == number.str()
                 ? 0
                 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("parse: after an error the arena is as it was") {
  Arena arena;
  const auto first = parse(R"(["kept"])", arena);
  REQUIRE(first);
  for (int i = 0; i < 1000; ++i) {
    CHECK(!parse("[\"" + std::string(5000, 'x') + "\",", arena));
  }
  CHECK(arena.capacity() < 100'000);
  CHECK(first.value().array()[0].str() == "kept");
}

TEST_CASE("parse: a lone surrogate is kept as its own three bytes") {
  Arena arena;
  CHECK(parse(R"("\ud800x")", arena).value().str() == "\xED\xA0\x80x");
  CHECK(parse(R"("\udc00\ud800")", arena).value().str() == "\xED\xB0\x80\xED\xA0\x80");
  CHECK(parse(R"("\ud83d\ude00")", arena).value().str() == "😀");
}
