#include "core/json/writer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"

using plumb::json::Arena;
using plumb::json::excerpt;
using plumb::json::parse;
using plumb::json::value_text;
using plumb::json::Writer;

namespace {

std::string quoted(std::string_view utf8) {
  std::string out;
  plumb::json::append_string(out, utf8);
  return out;
}

}  // namespace

TEST_CASE("append_string: quote, backslash and controls are escaped, nothing else is") {
  CHECK(quoted("") == R"("")");
  CHECK(quoted("plain / text") == R"("plain / text")");
  CHECK(quoted("a\"b\\c") == R"("a\"b\\c")");
  CHECK(quoted("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(quoted(std::string_view("\0\x01\x1f\x7f", 4)) == "\"\\u0000\\u0001\\u001F\x7f\"");
  CHECK(quoted("é€😀\u2028") == "\"é€😀\u2028\"");
}

TEST_CASE("append_string: a surrogate by itself is written as an escape, bad bytes as U+FFFD") {
  CHECK(quoted("a\xED\xA0\x80z") == R"("a\uD800z")");
  CHECK(quoted("\xED\xBF\xBF") == R"("\uDFFF")");
  CHECK(quoted("\xED\x9F\xBF") == "\"\xED\x9F\xBF\"");  // U+D7FF is a character
  CHECK(quoted("\x80") == "\"\uFFFD\"");
  CHECK(quoted("\xC0\xAF") == "\"\uFFFD\uFFFD\"");
  CHECK(quoted("\xE2\x82") == "\"\uFFFD\"");
  CHECK(quoted("\xE2\x82z") == "\"\uFFFDz\"");
  CHECK(quoted("\xF0\x9F\x98") == "\"\uFFFD\"");
  CHECK(quoted("\xF4\x90\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");
  CHECK(quoted("\xED\xA0") == "\"\uFFFD\uFFFD\"");
  CHECK(quoted("\xF8\x88\x80\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\"");
  CHECK(quoted("\xE0\x9F\xBF") == "\"\uFFFD\uFFFD\uFFFD\"");
}

TEST_CASE("append_string: a quote is escaped at every place of texts of every length") {
  for (std::size_t size = 1; size <= 80; ++size) {
    const std::string plain(size, 'x');
    REQUIRE(quoted(plain) == '"' + plain + '"');
    for (std::size_t at = 0; at < size; ++at) {
      std::string text = plain;
      text[at] = '"';
      REQUIRE(quoted(text) == '"' + plain.substr(0, at) + "\\\"" + plain.substr(at + 1) + '"');
      text[at] = '\n';
      REQUIRE(quoted(text) == '"' + plain.substr(0, at) + "\\n" + plain.substr(at + 1) + '"');
      text.replace(at, 1, "\u00E9");
      REQUIRE(quoted(text) == '"' + text + '"');
    }
  }
}

TEST_CASE("append_string: every string of up to three bytes gives JSON that reads back") {
  // All leads with all classes of following bytes: the classes are what UTF-8 distinguishes.
  const std::string_view classes("\x00\x1f\x20\"\\az\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xe0\xed\xf0\xf4\xff", 21);
  std::size_t wrong = 0;
  for (int lead = 0; lead < 256; ++lead) {
    for (const char second : classes) {
      for (const char third : classes) {
        const std::string bytes = {static_cast<char>(lead), second, third};
        Arena arena;
        const std::string json = quoted(bytes);
        const auto read = parse(json, arena);
        // What was read is written the same again.
        wrong += read && quoted(read.value().str()) == json ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("Writer: commas stand where they belong") {
  std::string out;
  Writer json(out);
  json.begin_object();
  json.key("empty").begin_array().end_array();
  json.key("list").begin_array().uint(1).integer(-2).string("three").boolean(true).null();
  json.begin_object().member("a", "b").member_uint("n", 5).end_object().begin_object().end_object().end_array();
  json.member_boolean("last", false);
  CHECK(!json.complete());
  json.end_object();
  CHECK(json.complete());
  CHECK(out == R"({"empty":[],"list":[1,-2,"three",true,null,{"a":"b","n":5},{}],"last":false})");
}

TEST_CASE("Writer: a scalar alone is a text, and appending leaves what was there") {
  std::string out = "data: ";
  Writer(out).uint(std::numeric_limits<std::uint64_t>::max());
  CHECK(out == "data: 18446744073709551615");
}

TEST_CASE("Writer: with an indent every member and item has its own line") {
  std::string out;
  Writer json(out, 2);
  json.begin_object().key("a").begin_array().uint(1).uint(2).end_array().key("b").begin_object().end_object();
  json.key("c").begin_array().end_array().end_object();
  CHECK(out == "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

TEST_CASE("Writer: deep nesting has no bound of its own") {
  std::string out;
  Writer json(out);
  for (int i = 0; i < 500; ++i) {
    json.begin_array();
  }
  for (int i = 0; i < 500; ++i) {
    json.end_array();
  }
  CHECK(json.complete());
  CHECK(out == std::string(500, '[') + std::string(500, ']'));
}

TEST_CASE("append_value: a tree is written as it was read, without white space") {
  Arena arena;
  const std::string text = R"( { "b" : [ 1.0 , -0, 1E+2, 12345678901234567890123, true , null ], )"
                           R"("a\u0041" : "x\ny\u00e9" , "" : {} , "e":[] } )";
  const auto read = parse(text, arena);
  REQUIRE(read);
  CHECK(value_text(read.value()) ==
        R"({"b":[1.0,-0,1E+2,12345678901234567890123,true,null],"aA":"x\nyé","":{},"e":[]})");
  std::string out;
  Writer json(out);
  json.begin_array().value(read.value()).raw("{}").end_array();
  CHECK(out == "[" + value_text(read.value()) + ",{}]");
}

TEST_CASE("excerpt: cuts between code points and never gives more than asked for") {
  CHECK(excerpt("short", 5) == "short");
  CHECK(excerpt("longer", 5) == "long…");
  CHECK(excerpt("", 0).empty());
  CHECK(excerpt("x", 0).empty());
  CHECK(excerpt("xy", 1) == "…");
  CHECK(excerpt("äöü", 3) == "äöü");
  CHECK(excerpt("äöüß", 3) == "äö…");
  CHECK(excerpt("😀😀😀", 2) == "😀…");
  CHECK(excerpt("\xED\xA0\x80zz", 3) == "\xED\xA0\x80zz");
  CHECK(excerpt("\xFF\xFF\xFF", 2) == "\xFF…");
  CHECK(excerpt("a\xF0\x9F", 3) == "a\xF0\x9F");
}
