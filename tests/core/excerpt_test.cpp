#include "core/json/excerpt.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"

using plumb::json::excerpt_json;

TEST_CASE("excerpt: what is cut of a JSON text is a JSON text, wherever it is cut") {
  CHECK(excerpt_json("\"short\"", 7) == "\"short\"");
  CHECK(excerpt_json("\"longer\"", 7) == "\"longe\xe2\x80\xa6\"");
  CHECK(excerpt_json("[1,2,3,4]", 5) == "\"[1,2\xe2\x80\xa6\"");
  CHECK(excerpt_json("12345678", 4) == "\"123\xe2\x80\xa6\"");
  for (const std::string& text :
       {std::string("\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\""), std::string("\"a\\u0001b\\ud83d\\ude00c\\\\d\\ne\""),
        std::string("\"\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4\xf0\x9f\x98\x80\xf0\x9f\x98\x80\""),
        std::string("{\"a\":[\"\\\"\",\"\\u20ac\",1e400]}")}) {
    for (std::size_t max = 1; max < 40; ++max) {
      plumb::json::Arena arena;
      const std::string cut = excerpt_json(text, max);
      CHECK_MESSAGE(static_cast<bool>(plumb::json::parse(cut, arena)), cut);
    }
  }
}
