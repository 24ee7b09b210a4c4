#include "core/text/template.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/json/arena.hpp"

using namespace plumb;
using text::Template;

namespace {

std::string rendered(std::string_view text, std::string_view values) {
  const Result<Template> read = Template::read(text);
  REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  json::Arena arena;
  const Result<json::Value> object = json::parse(values, arena);
  REQUIRE(object);
  return read.value().render(object.value());
}

}  // namespace

TEST_CASE("template: variables are put in as they are, and what is not there is nothing") {
  CHECK(rendered("Hello {{name}}!", R"({"name":"A & <B>"})") == "Hello A & <B>!");
  CHECK(rendered("{{a}}{{b}}{{c}}{{d}}", R"({"a":1.50,"b":true,"c":null})") == "1.50true");
  CHECK(rendered("{{ a.b }} {{a.x}} {{a.b.c}}", R"({"a":{"b":[1, "x"]}})") == "[1,\"x\"]  ");
}

TEST_CASE("template: sections come once for what is there, and once for each item") {
  CHECK(rendered("{{#list}}<{{.}}>{{/list}}", R"({"list":["a","b"]})") == "<a><b>");
  CHECK(rendered("{{#list}}{{n}}:{{unit}} {{/list}}", R"({"unit":"m","list":[{"n":1},{"n":2,"unit":"s"}]})") ==
        "1:m 2:s ");
  CHECK(rendered("{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x":""})") == "no");
  CHECK(rendered("{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x":[]})") == "no");
  CHECK(rendered("{{#x}}yes{{/x}}{{^x}}no{{/x}}", R"({"x":0})") == "yes");
  CHECK(rendered("{{#x}}{{x}}{{/x}}", R"({"x":"text"})") == "text");
  CHECK(rendered("{{#a}}{{#b}}{{c}}{{/b}}{{/a}}", R"({"a":{"b":{"c":"deep"}}})") == "deep");
}

TEST_CASE("template: a line with only a section's mark leaves nothing behind") {
  CHECK(rendered("a\n{{#x}}\nb\n{{/x}}\nc\n", R"({"x":true})") == "a\nb\nc\n");
  CHECK(rendered("a\n  {{#x}}  \nb\n  {{/x}}", R"({"x":true})") == "a\nb\n");
  CHECK(rendered("a\r\n{{! a note }}\r\nb", "{}") == "a\r\nb");
  CHECK(rendered("a {{! a note }} b", "{}") == "a  b");
  CHECK(rendered("{{#x}} b {{/x}} c\n", R"({"x":true})") == " b  c\n");
}

TEST_CASE("template: what a value holds is never read as a template") {
  CHECK(rendered("{{a}}", R"({"a":"{{b}} {{#c}}","b":"no"})") == "{{b}} {{#c}}");
}

TEST_CASE("template: what is wrong is told with line and column") {
  struct Bad {
    std::string_view text;
    std::size_t line;
    std::size_t column;
    std::string_view message;
  };
  const Bad all[] = {
      {"a\n b {{x", 2, 4, "this {{ is not closed"},
      {"{{#a}}\n{{/b}}", 2, 1, "there is no open section 'b' to close here"},
      {"x {{#a}}", 1, 3, "the section 'a' is not closed"},
      {"{{a b}}", 1, 1, "'a b' is not a variable name: use letters, digits, - and _, with points between"},
      {"{{}}", 1, 1, "'' is not a variable name: use letters, digits, - and _, with points between"},
      {"{{a..b}}", 1, 1, "'a..b' is not a variable name: use letters, digits, - and _, with points between"},
  };
  for (const Bad& bad : all) {
    CAPTURE(bad.text);
    const Result<Template> read = Template::read(bad.text);
    REQUIRE(!read);
    CHECK(read.error().message == bad.message);
    CHECK(read.error().line == bad.line);
    CHECK(read.error().column == bad.column);
  }
  std::string deep;
  for (int i = 0; i < 33; ++i) {
    deep += "{{#a}}";
  }
  const Result<Template> read = Template::read(deep);
  REQUIRE(!read);
  CHECK(read.error().message == "sections are nested more than 32 levels deep");
}

TEST_CASE("template: the names it will look up are known, with their places") {
  const Result<Template> read = Template::read("{{a}}\n{{#b}}{{c.d}}{{.}}{{/b}}");
  REQUIRE(read);
  const auto& names = read.value().names();
  REQUIRE(names.size() == 3);
  CHECK(names[0].name == "a");
  CHECK(names[1].within.empty());
  CHECK(names[2].name == "c.d");
  CHECK(!names[2].within.empty());
  CHECK(names[2].line == 2);
  CHECK(names[2].column == 7);
}
