#include "core/json/value.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/equality.hpp"

using plumb::json::Arena;
using plumb::json::equal;
using plumb::json::hash;
using plumb::json::Kind;
using plumb::json::kind_name;
using plumb::json::Member;
using plumb::json::Value;

namespace {

Value read(std::string_view text, Arena& arena) {
  auto result = plumb::json::parse(text, arena);
  REQUIRE_MESSAGE(static_cast<bool>(result), std::string(text));
  return result.value();
}

}  // namespace

TEST_CASE("equal: values are equal exactly within the groups of equal spellings, and hashes agree") {
  const std::vector<std::vector<std::string>> groups = {
      {"null"},
      {"true"},
      {"false"},
      {"0", "-0", "0.0", "-0e5", "0E-99999999999"},
      {"1", "1.0", "10e-1", "0.1E1", "1000000000000000000000e-21"},
      {"-1", "-1.00"},
      {"12345678901234567890", "12345678901234567890.0", "1234567890123456789e1"},
      {"12345678901234567891"},
      {"1e400", "10e399"},
      {"1e99999999"},
      {"1e99999998"},
      {R"("")"},
      {R"("1")", R"("\u0031")"},
      {R"("null")"},
      {R"("\u00e9")", R"("é")"},
      {R"("e\u0301")"},
      {R"("\ud83d\ude00")", R"("😀")"},
      {"[]"},
      {"[null]"},
      {"[[]]"},
      {"[1,2]", "[1.0,2.0]"},
      {"[2,1]"},
      {"[[1],2]"},
      {"[1,[2]]"},
      {"{}"},
      {R"({"a":1,"b":2})", R"({"b":2.0,"a":10e-1})"},
      {R"({"a":2,"b":1})"},
      {R"({"a":1})"},
      {R"({"a":1,"c":2})"},
      {R"({"a":{"b":[1,{"c":null}]}})", R"({ "a" : {"b":[1.0,{"\u0063":null}] } })"},
      {R"({"a":{"b":[1,{"c":false}]}})"},
      {R"({"":0})"},
      {R"({"a":null})"},
  };
  struct Entry {
    Value value;
    std::size_t group = 0;
    std::string text;
  };
  Arena arena;
  std::vector<Entry> entries;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::string& text : groups[group]) {
      entries.push_back({read(text, arena), group, text});
    }
  }
  for (const Entry& a : entries) {
    for (const Entry& b : entries) {
      CAPTURE(a.text);
      CAPTURE(b.text);
      CHECK(equal(a.value, b.value) == (a.group == b.group));
      CHECK((hash(a.value, 11) == hash(b.value, 11)) == (a.group == b.group));
    }
    CHECK(hash(a.value, 11) != hash(a.value, 12));
  }
}

TEST_CASE("equal: objects of many members are equal in any order") {
  for (const int count : {11, 12, 13, 14, 2000}) {
    std::string up = "{";
    std::string down = "{";
    std::string other = "{";
    for (int i = 0; i < count; ++i) {
      const char* const comma = i == 0 ? "" : ",";
      up += comma + ("\"k" + std::to_string(i)) + "\":" + std::to_string(i);
      down += comma + ("\"k" + std::to_string(count - 1 - i)) + "\":" + std::to_string(count - 1 - i) + ".0";
      other += comma + ("\"k" + std::to_string(i)) + "\":" + std::to_string(i == count / 2 ? -1 : i);
    }
    Arena arena;
    const Value a = read(up + "}", arena);
    const Value b = read(down + "}", arena);
    const Value c = read(other + "}", arena);
    const Value longer = read(up + ",\"z\":0}", arena);
    CAPTURE(count);
    CHECK(equal(a, b));
    CHECK(hash(a, 5) == hash(b, 5));
    CHECK(!equal(a, c));
    CHECK(!equal(b, c));
    CHECK(!equal(a, longer));
    CHECK(!equal(longer, a));
  }
}

TEST_CASE("equal: an object with a key twice counts as its first members do") {
  const auto number = [](const char* digit) {
    Value value;
    value.kind = Kind::number;
    value.text = digit;
    value.size = 1;
    return value;
  };
  const auto object = [](const std::vector<Member>& members) {
    Value value;
    value.kind = Kind::object;
    value.members = members.data();
    value.size = static_cast<std::uint32_t>(members.size());
    return value;
  };
  for (const std::size_t repeats : {1U, 3U, 20U}) {
    std::vector<Member> plain_members = {{"a", 0, 0, number("1")}, {"b", 0, 0, number("2")}};
    std::vector<Member> twice_members = {{"a", 0, 0, number("1")}};
    for (std::size_t i = 0; i < repeats; ++i) {
      twice_members.push_back({"a", 0, 0, number("7")});
    }
    std::vector<Member> longer_members = twice_members;
    longer_members.push_back({"b", 0, 0, number("2")});
    const Value plain = object(plain_members);
    const Value twice = object(twice_members);
    const Value longer = object(longer_members);
    CAPTURE(repeats);
    CHECK(!equal(plain, twice));
    CHECK(!equal(twice, plain));
    CHECK(equal(plain, longer));
    CHECK(equal(longer, plain));
    CHECK(hash(plain, 1) == hash(longer, 1));
    CHECK(longer.find("a")->str() == "1");
  }
}

TEST_CASE("find: the member with that key, and nothing in what is no object") {
  Arena arena;
  const Value value = read(R"({"": 0, "a": 1, "aa": 2, "A": 3})", arena);
  CHECK(value.find("")->str() == "0");
  CHECK(value.find("aa")->str() == "2");
  CHECK(value.find("A")->str() == "3");
  CHECK(value.find("b") == nullptr);
  CHECK(read("[1]", arena).find("0") == nullptr);
  CHECK(read("\"a\"", arena).find("a") == nullptr);
}

TEST_CASE("kind_name: every kind has the name that JSON Schema gives it") {
  CHECK(kind_name(Kind::null) == "null");
  CHECK(kind_name(Kind::boolean) == "boolean");
  CHECK(kind_name(Kind::number) == "number");
  CHECK(kind_name(Kind::string) == "string");
  CHECK(kind_name(Kind::array) == "array");
  CHECK(kind_name(Kind::object) == "object");
}

TEST_CASE("hash_scalar: a scalar without a tree has the hash of its value") {
  using plumb::json::hash_scalar;
  Arena arena;
  CHECK(hash_scalar(Kind::null, "null", 9) == hash(read("null", arena), 9));
  CHECK(hash_scalar(Kind::boolean, "true", 9) == hash(read("true", arena), 9));
  CHECK(hash_scalar(Kind::boolean, "false", 9) == hash(read("false", arena), 9));
  CHECK(hash_scalar(Kind::number, "10e-1", 9) == hash(read("1", arena), 9));
  CHECK(hash_scalar(Kind::string, "é", 9) == hash(read(R"("\u00e9")", arena), 9));
}

TEST_CASE("hash_text: texts of every length up to 70 differ from their neighbours in length and in each byte") {
  using plumb::json::hash_text;
  for (std::size_t size = 0; size <= 70; ++size) {
    const std::string text(size, 'a');
    const std::uint64_t whole = hash_text(text, 1);
    CHECK(whole != hash_text(text + 'a', 1));
    CHECK(whole != hash_text(text + '\0', 1));
    CHECK(whole != hash_text(text, 2));
    for (std::size_t i = 0; i < size; ++i) {
      std::string changed = text;
      changed[i] = 'b';
      CHECK(whole != hash_text(changed, 1));
    }
  }
}
