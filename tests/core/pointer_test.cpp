#include "core/json/pointer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"

using plumb::json::append_token;
using plumb::json::Arena;
using plumb::json::for_each_match;
using plumb::json::parse_pattern;
using plumb::json::parse_pointer;
using plumb::json::PointerBase;
using plumb::json::PointerPattern;
using plumb::json::resolve;
using plumb::json::Slash;
using plumb::json::Value;
using plumb::json::value_text;

namespace {

Value read(std::string_view text, Arena& arena) {
  auto result = plumb::json::parse(text, arena);
  REQUIRE_MESSAGE(static_cast<bool>(result), std::string(text));
  return result.value();
}

PointerPattern pattern(std::string_view text, Slash slash = Slash::here) {
  auto result = parse_pattern(text, slash);
  REQUIRE_MESSAGE(static_cast<bool>(result), std::string(text));
  return result.value();
}

// "pointer=value" of all matches, one after the other.
std::string matches(const Value& start, std::string_view text, std::size_t matches_max = 1000) {
  std::string all;
  std::size_t count = 0;
  const std::size_t told = for_each_match(start, pattern(text), [&](const Value& value, std::string_view pointer) {
    all += std::string(pointer) + "=" + value_text(value) + " ";
    return ++count < matches_max;
  });
  CHECK(told == count);
  return all;
}

}  // namespace

TEST_CASE("pointer: the examples of RFC 6901 resolve as it says") {
  Arena arena;
  const Value root =
      read(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})", arena);
  const auto at = [&](std::string_view pointer) {
    const Value* const value = resolve(root, pointer);
    return value == nullptr ? std::string("nothing") : value_text(*value);
  };
  CHECK(resolve(root, "") == &root);
  CHECK(at("/foo") == R"(["bar","baz"])");
  CHECK(at("/foo/0") == R"("bar")");
  CHECK(at("/") == "0");
  CHECK(at("/a~1b") == "1");
  CHECK(at("/c%d") == "2");
  CHECK(at("/e^f") == "3");
  CHECK(at("/g|h") == "4");
  CHECK(at("/i\\j") == "5");
  CHECK(at("/k\"l") == "6");
  CHECK(at("/ ") == "7");
  CHECK(at("/m~0n") == "8");
  for (const char* const pointer :
       {"/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/-1", "/foo/+1", "/foo/1.0", "/foo/", "/foo/0/x",
        "/foo/18446744073709551616", "/bar", "//", "foo", "/m~n", "/m~2n", "/m~", "#/foo", "/ /x"}) {
    CAPTURE(pointer);
    CHECK(at(pointer) == "nothing");
  }
}

TEST_CASE("pointer: every name of up to three awkward characters goes in and comes out") {
  const std::string_view characters = "~/*01a";
  std::vector<std::string> names = {""};
  for (std::size_t begin = 0, length = 0; length < 3; ++length) {
    const std::size_t end = names.size();
    for (; begin < end; ++begin) {
      for (const char c : characters) {
        names.push_back(names[begin] + c);
      }
    }
  }
  CHECK(names.size() == 1 + 6 + 36 + 216);
  for (const std::string& name : names) {
    CAPTURE(name);
    std::string pointer = "/before";
    append_token(pointer, name);
    append_token(pointer, std::uint64_t{7});
    const auto tokens = parse_pointer(pointer);
    REQUIRE(tokens);
    CHECK(tokens.value() == std::vector<std::string>{"before", name, "7"});

    std::string json = "{\"before\":{";
    plumb::json::append_string(json, name);
    json += ":[0,1,2,3,4,5,6,\"here\"]}}";
    Arena arena;
    const Value root = read(json, arena);
    const Value* const value = resolve(root, pointer);
    REQUIRE(value != nullptr);
    CHECK(value->str() == "here");
    // As a pattern the same pointer reaches the same place, but for a member named *.
    CHECK(matches(root, pointer) == pointer + "=\"here\" ");
    PointerPattern literal;
    literal.base = PointerBase::root;
    literal.tokens.push_back({name, 0, false, false});
    const PointerPattern again = pattern(literal.text(), Slash::root);
    REQUIRE(again.tokens.size() == 1);
    CHECK(again.tokens[0].text == name);
    CHECK(!again.tokens[0].star);
  }
}

TEST_CASE("pointer: what is no pointer is refused with the reason") {
  CHECK(parse_pointer("").value().empty());
  CHECK(parse_pointer("/").value() == std::vector<std::string>{""});
  CHECK(parse_pointer("a").error().message == "The pointer \"a\" must be empty or begin with '/'");
  CHECK(parse_pointer("/~").error().message == "The pointer \"/~\" has a '~' that is not ~0 (for '~') or ~1 (for '/')");
  CHECK(!parse_pointer("/~2"));
  CHECK(!parse_pointer("/a~/b"));
}

TEST_CASE("pattern: the base is the instance, the root or the context") {
  const PointerPattern up = pattern("1/options/*");
  CHECK(up.base == PointerBase::instance);
  CHECK(up.levels_up == 1);
  REQUIRE(up.tokens.size() == 2);
  CHECK(up.tokens[0].text == "options");
  CHECK(up.tokens[1].star);
  CHECK(up.has_star());

  const PointerPattern itself = pattern("0", Slash::root);
  CHECK(itself.base == PointerBase::instance);
  CHECK(itself.levels_up == 0);
  CHECK(itself.tokens.empty());
  CHECK(!itself.has_star());
  CHECK(pattern("12/label").levels_up == 12);
  CHECK(pattern("1024").levels_up == 1024);

  CHECK(pattern("/questions/*", Slash::here).base == PointerBase::instance);
  CHECK(pattern("/questions/*", Slash::here).levels_up == 0);
  CHECK(pattern("/questions/*", Slash::root).base == PointerBase::root);
  CHECK(pattern("", Slash::here).base == PointerBase::instance);
  CHECK(pattern("", Slash::root).base == PointerBase::root);
  CHECK(pattern("", Slash::root).tokens.empty());

  const PointerPattern context = pattern("context:/findings/*/evidence/*/source_id");
  CHECK(context.base == PointerBase::context);
  CHECK(context.tokens.size() == 5);
  CHECK(pattern("context:").tokens.empty());
  CHECK(pattern("/0/10").tokens[1].index == 10);
  CHECK(!pattern("/01").tokens[0].is_index);
}

TEST_CASE("pattern: its text reads as the same pattern") {
  for (const auto& [text, written] :
       std::vector<std::pair<std::string, std::string>>{{"1/options/*", "1/options/*"},
                                                        {"0", "0"},
                                                        {"0/label", "0/label"},
                                                        {"/a/~2/*/~0~1", "0/a/~2/*/~0~1"},
                                                        {"context:/a~1b", "context:/a~1b"},
                                                        {"context:", "context:"},
                                                        {"/a~2b", "0/a*b"},
                                                        {"/a*b", "0/a*b"},
                                                        {"/", "0/"}}) {
    CHECK(pattern(text).text() == written);
    CHECK(pattern(written).text() == written);
  }
  CHECK(pattern("/a/*", Slash::root).text() == "/a/*");
}

TEST_CASE("pattern: what cannot be read is refused with the reason") {
  const auto reason = [](const std::string& text) {
    const auto result = parse_pattern(text, Slash::here);
    REQUIRE_MESSAGE(!result, text);
    CHECK(result.error().code == plumb::ErrorCode::invalid_argument);
    return result.error().message;
  };
  CHECK(reason("options/*") ==
        "The pointer \"options/*\" must begin with '/', with a number of levels up ('1/name') or "
        "with 'context:/'");
  CHECK(reason("01/a") == "The pointer \"01/a\" has a number of levels with a leading zero");
  CHECK(reason("1025/a") == "The pointer \"1025/a\" goes up more than 1024 levels");
  CHECK(reason("99999999999999999999999") == "The pointer \"99999999999999999999999\" goes up more than 1024 levels");
  CHECK(reason("0#") == "The pointer \"0#\" asks for a name with '#', only values can be reached");
  CHECK(reason("0+1/a") == "The pointer \"0+1/a\" moves the index after the number of levels, which is not supported");
  CHECK(reason("1a") == "The pointer \"1a\" must go on with '/' after the number of levels");
  CHECK(reason("context:a") == "The pointer \"context:a\" must go on with '/' after 'context:'");
  CHECK(reason("/a~3") == "The pointer \"/a~3\" has a '~' that is not ~0 (for '~'), ~1 (for '/') or ~2 (for '*')");
  CHECK(reason("-1/a").find("must begin with") != std::string::npos);
  CHECK(reason("*").find("must begin with") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 256; ++i) {
    deep += "/a";
  }
  CHECK(static_cast<bool>(parse_pattern(deep, Slash::here)));
  CHECK(reason(deep + "/a").find("more than 256 steps") != std::string::npos);
}

TEST_CASE("for_each_match: a star is every item and every member, in the order of the text") {
  Arena arena;
  const Value root = read(R"({"questions":[{"o":["a","b"]},{"o":[]},"x",{"p":1},{"o":{"z":"c","*":"d","y/":"e"}}],)"
                          R"("*":{"o":5},"t":{"0":"zero"}})",
                          arena);
  CHECK(
      matches(root, "/questions/*/o/*") ==
      R"(/questions/0/o/0="a" /questions/0/o/1="b" /questions/4/o/z="c" /questions/4/o/*="d" /questions/4/o/y~1="e" )");
  CHECK(matches(root, "/questions/*/o/~2") == R"(/questions/4/o/*="d" )");
  CHECK(matches(root, "/*/o") == R"(/*/o=5 )");
  CHECK(matches(root, "/~2/o") == R"(/*/o=5 )");
  CHECK(matches(root, "/t/0") == R"(/t/0="zero" )");
  CHECK(matches(root, "/questions/2/*").empty());
  CHECK(matches(root, "/nothing/*").empty());
  CHECK(matches(root, "/questions/*/o/*", 2) == R"(/questions/0/o/0="a" /questions/0/o/1="b" )");
  CHECK(matches(root, "") == "=" + value_text(root) + " ");
}
