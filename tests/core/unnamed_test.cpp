#include "core/derive/unnamed.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/json/arena.hpp"

using namespace plumb;

namespace {

std::string taken_over(std::string_view contract, std::string_view before, std::string_view now) {
  const contract::Contract read = contract::Contract::read(std::string(contract)).value();
  json::Arena arena;
  return derive::Unnamed(read).taken_over(json::parse(before, arena).value(), json::parse(now, arena).value());
}

constexpr std::string_view named = R"({"type":"object","properties":{"a":{"type":"string"},
  "in":{"type":"object","properties":{"b":{"type":"integer"}}},
  "list":{"type":"array","items":{"type":"object","properties":{"c":{"type":"integer"}}}}}})";

}  // namespace

TEST_CASE("unnamed: members that no schema names are taken over, those that it names are not") {
  CHECK(taken_over(named, R"({"a":"x","id":7,"in":{"b":1}})", R"({"a":"y"})") == R"({"a":"y","id":7})");
  CHECK(taken_over(named, R"({"a":"x","in":{"b":1,"by":"Ada"}})", R"({"a":"y","in":{"b":2}})") ==
        R"({"a":"y","in":{"b":2,"by":"Ada"}})");
  CHECK(taken_over(named, R"({"a":"x","id":7})", R"({"a":"y","id":8})") == R"({"a":"y","id":8})");
}

TEST_CASE("unnamed: items of a list are paired by what has not changed, else by their place") {
  const std::string_view before = R"({"list":[{"c":1,"id":"one"},{"c":2,"id":"two"}]})";
  CHECK(taken_over(named, before, R"({"list":[{"c":2},{"c":1}]})") ==
        R"({"list":[{"c":2,"id":"two"},{"c":1,"id":"one"}]})");
  CHECK(taken_over(named, before, R"({"list":[{"c":1},{"c":9}]})") ==
        R"({"list":[{"c":1,"id":"one"},{"c":9,"id":"two"}]})");
  CHECK(taken_over(named, before, R"({"list":[{"c":9}]})") == R"({"list":[{"c":9}]})");
}

TEST_CASE("unnamed: what a model can write by itself is left to it") {
  for (const std::string_view open :
       {R"({"properties":{"a":{}},"additionalProperties":{"type":"integer"}})", R"({"type":"object"})", "true",
        R"({"properties":{"a":{}},"patternProperties":{"^i":{}}})"}) {
    CHECK(taken_over(open, R"({"a":1,"id":7})", R"({"a":2})") == R"({"a":2})");
  }
  CHECK(taken_over(named, R"("text")", R"({"a":"y"})") == R"({"a":"y"})");
}

TEST_CASE("unnamed: the branches of a contract name together") {
  const std::string_view either = R"({"oneOf":[
      {"type":"object","properties":{"k":{"const":1},"a":{"type":"string"}}},
      {"type":"object","properties":{"k":{"const":2},"b":{"type":"string"}}}]})";
  CHECK(taken_over(either, R"({"k":1,"a":"x","id":7})", R"({"k":2,"b":"y"})") == R"({"k":2,"b":"y","id":7})");
}
