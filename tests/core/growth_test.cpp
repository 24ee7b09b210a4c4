#include "core/json/growth.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

using plumb::json::Growth;
using State = plumb::json::Growth::State;

namespace {

std::string taken(Growth& growth) {
  std::string out = "what was there before";
  growth.take(out);
  return out;
}

// The text that steps build: closed where they leave it open; `growing` is what was closed so, from the outermost on.
class Builder {
 public:
  void take(const std::string& steps) {
    plumb::json::Arena arena;
    const auto parsed = plumb::json::parse(steps, arena);
    REQUIRE_MESSAGE(static_cast<bool>(parsed), steps);
    const plumb::json::Value& all = parsed.value();
    REQUIRE(all.size >= 1);
    for (std::uint32_t i = 1; i < all.size; ++i) {
      const std::string_view step = all.items[i].str();
      if (step == "0") {
        end();
      } else if (step == "1" || step == "2") {
        begin(step == "1");
      } else {
        const std::string value = plumb::json::value_text(all.items[++i]);
        take(step, value);
      }
    }
  }

  std::string text() const {
    std::string out = text_;
    if (in_string_) {
      out += '"';
    }
    if (!out.empty() && out.back() == ':') {
      out += "null";
    }
    for (std::size_t i = open_.size(); i-- > 0;) {
      out += open_[i].object ? '}' : ']';
    }
    return out;
  }
  bool closed() const { return open_.empty() && !in_string_; }
  const std::string& begun() const { return text_; }

 private:
  struct Open {
    bool object = false;
    bool any = false;
  };
  void before() {
    if (!open_.empty() && !open_.back().object) {
      comma();
    }
  }
  void comma() {
    if (open_.back().any) {
      text_ += ',';
    }
    open_.back().any = true;
  }
  void begin(bool object) {
    before();
    text_ += object ? '{' : '[';
    open_.push_back({object, false});
  }
  void end() {
    if (in_string_) {
      text_ += '"';
      in_string_ = false;
      return;
    }
    REQUIRE(!open_.empty());
    text_ += open_.back().object ? '}' : ']';
    open_.pop_back();
  }
  void take(std::string_view step, const std::string& value) {
    if (step == "3") {
      REQUIRE(open_.back().object);
      comma();
      text_ += value + ":";
    } else if (step == "4") {
      before();
      text_ += value;
    } else if (step == "5") {
      before();
      text_ += value.substr(0, value.size() - 1);
      in_string_ = true;
    } else {
      REQUIRE(step == "6");
      REQUIRE(in_string_);
      text_ += value.substr(1, value.size() - 2);
    }
  }

  std::string text_;
  std::vector<Open> open_;
  bool in_string_ = false;
};

std::string compact(std::string_view text) {
  plumb::json::Arena arena;
  const auto parsed = plumb::json::parse(text, arena);
  REQUIRE_MESSAGE(static_cast<bool>(parsed), std::string(text.substr(0, 100)));
  return plumb::json::value_text(parsed.value());
}

const std::vector<std::string> texts = {
    R"({"a": [1, -2.50e+3, true, false, null, "", "x"], "b": {"c": {}, "d": []}})",
    R"("plain")",
    " 12 ",
    "[[[[1]]],[[]]]",
    "{\"\\u0061\\n\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 \xF0\x9F\x98\x80 \xE2\x82\xAC \xC3\xA9\"}",
    R"({"__proto__": {"constructor": "toString"}, "": ""})",
    R"(["\ud800", "\ud800x", "\udc00", "\ud800\ud83d\ude00"])",
};

}  // namespace

TEST_CASE("what a text adds to its value, step by step") {
  Growth growth(10, 1000);
  CHECK(taken(growth) == "[0]");
  growth.read(R"({"a": 1, "b": ["x)");
  CHECK(taken(growth) == R"([0,1,3,"a",4,1,3,"b",2,5,"x"])");
  growth.read(R"(y\)");
  CHECK(taken(growth) == R"([0,6,"y"])");
  growth.read(R"(n\u20ac)");
  CHECK(taken(growth) == "[0,6,\"\\n\xE2\x82\xAC\"]");
  CHECK(growth.state() == State::growing);
  growth.read(R"(", "whole \"one\"", 12)");
  CHECK(taken(growth) == R"([0,0,4,"whole \"one\""])");
  growth.read("3]}");
  CHECK(taken(growth) == "[0,4,123,0,0]");
  CHECK(growth.state() == State::complete);
  growth.read(" \n");
  growth.end();
  CHECK(taken(growth) == "[0]");
  CHECK(growth.state() == State::complete);
}

TEST_CASE(
    "every prefix in two pieces and byte by byte builds a beginning of the value, and the whole builds the value") {
  for (const std::string& text : texts) {
    CAPTURE(text);
    const std::string whole = compact(text);
    Growth bytes(64, 1000);
    Builder by_byte;
    std::string before;
    for (std::size_t to = 0; to <= text.size(); ++to) {
      Growth growth(64, 1000);
      Builder built;
      growth.read(std::string_view(text).substr(0, to));
      built.take(taken(growth));
      if (to > 0) {
        bytes.read(std::string_view(text).substr(to - 1, 1));
        by_byte.take(taken(bytes));
      }
      CHECK(built.begun() == by_byte.begun());
      if (!built.begun().empty()) {
        (void)compact(built.text());  // it is JSON as far as it goes
      }
      CHECK(built.begun().substr(0, before.size()) == before);
      before = built.begun();
      growth.read(std::string_view(text).substr(to));
      growth.end();
      built.take(taken(growth));
      CHECK(built.begun() == whole);
      CHECK(built.closed());
      CHECK(growth.state() == State::complete);
    }
  }
}

TEST_CASE("a text that is no JSON stops where it broke, and nothing comes after") {
  struct Case {
    std::string text;
    std::string built;
    State state;
  };
  const std::vector<Case> cases = {
      {"", "", State::broken},
      {"[1, 2", "[1]", State::broken},  // 2 may go on
      {"[1, \"ab", "[1,\"ab\"]", State::broken},
      {"[1, 02, 3]", "[1]", State::broken},
      {"[1] 2", "[1]", State::broken},
      {"{\"a\" 1}", "{\"a\":null}", State::broken},
      {"[\"a\xFFz\"]", "[\"a\"]", State::broken},
      {"[\"a\x01z\"]", "[\"a\"]", State::broken},
      {"[tru, 1]", "[]", State::broken},
      {"[[[1]]]", "[[]]", State::limit},
      {"[\"0123456789\", \"01234567\", 5]", "[\"0123456789\",\"012345\"]", State::limit},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    for (std::size_t at = 0; at <= one.text.size(); ++at) {
      Growth growth(2, 22);
      Builder built;
      growth.read(std::string_view(one.text).substr(0, at));
      built.take(taken(growth));
      growth.read(std::string_view(one.text).substr(at));
      growth.end();
      growth.read("more");
      built.take(taken(growth));
      CHECK(built.text() == one.built);
      CHECK(growth.state() == one.state);
      CHECK(growth.bytes() == one.text.size() + 4);
    }
  }
  Growth lost(10, 100);
  lost.read("[1]");
  lost.end(true);
  CHECK(lost.state() == State::broken);
}

TEST_CASE("what is told is linear in what is read, however it is cut") {
  std::string text = "[";
  for (int i = 0; i < 2000; ++i) {
    text += R"({"k":["",1,[],{}],"\u0001":"a\n\u0001b"},)";
  }
  text += "0]";
  for (const std::size_t size : {1U, 3U, 20U, 1000U, 1000000U}) {
    Growth growth(64, 1U << 20U);
    std::size_t told = 0;
    std::size_t calls = 0;
    for (std::size_t at = 0; at < text.size(); at += size) {
      growth.read(std::string_view(text).substr(at, size));
      told += taken(growth).size();
      ++calls;
    }
    CHECK(told <= 4 * text.size() + 12 * calls);
  }
}
