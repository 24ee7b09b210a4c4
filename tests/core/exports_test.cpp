#include "core/exports/exports.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/exports/writers.hpp"
#include "core/json/arena.hpp"

using namespace plumb;
using exports::format_named;

namespace {

std::string written(std::string_view format, std::string_view artifact, std::string_view run = "null") {
  json::Arena arena;
  const Result<json::Value> value = json::parse(artifact, arena);
  const Result<json::Value> view = json::parse(run, arena);
  REQUIRE(value);
  REQUIRE(view);
  REQUIRE(format_named(format) != nullptr);
  const Result<std::string> out = exports::write(*format_named(format), value.value(), view.value());
  return out ? out.value() : "error: " + out.error().where + ": " + out.error().message;
}

constexpr std::string_view quiz =
    R"({"questions":[{"question":"2{x} = ~4: #1?","options":["%50%","=2","a\\nb","<b>"],"correct_answer":"=2",)"
    R"("explanation":"line\nline & \"more\""}]})";

}  // namespace

TEST_CASE("exports: each format escapes every character that it gives a meaning, and no other") {
  for (int code = 1; code < 0x80; ++code) {
    const std::string text(1, static_cast<char>(code));
    CAPTURE(code);
    const bool is_gift = text.find_first_of("\\~=#{}:") != std::string::npos;
    CHECK(exports::gift(text) == (is_gift ? "\\" + text : text));
    CHECK(exports::quoted_field(text) == (text == "\"" ? "\"\"\"\"" : "\"" + text + "\""));
    const std::string entity = code == '&'   ? "&amp;"
                               : code == '<' ? "&lt;"
                               : code == '>' ? "&gt;"
                               : code == '"' ? "&quot;"
                                             : "";
    const bool is_break = code == '\n' || code == '\r';
    CHECK(exports::html(text) == (is_break ? "<br>" : entity.empty() ? text : entity));
    const std::string number = is_break || code == '\t' ? "&#" + std::to_string(code) + ";" : "";
    CHECK(exports::xml(text) == (!entity.empty() ? entity : !number.empty() ? number : text));
    CHECK(exports::ascii_xml(text) == exports::xml(text));
  }
  CHECK(exports::html("a\r\nb\r\rc") == "a<br>b<br><br>c");
  CHECK(exports::ascii_xml("ä😀") == "&#228;&#128512;");
}

TEST_CASE("exports: a quiz as GIFT has one right answer, and no option is read as a weight or a format") {
  CHECK(written("gift", quiz) ==
        "[html]2\\{x\\} \\= \\~4\\: \\#1?{\n~[html]%50%\n=[html]\\=2\n~[html]a\\\\nb\n~[html]&lt;b&gt;\n"
        "####[html]line<br>line &amp; &quot;more&quot;\n}\n\n");
}

TEST_CASE("exports: flashcards are quoted in every field") {
  constexpr std::string_view cards = R"({"flashcards":[{"front":"#a\tb","back":"say \"x\"\nend"}]})";
  CHECK(written("anki", cards) == "#separator:tab\n#html:false\n\"#a\tb\"\t\"say \"\"x\"\"\nend\"\n");
  CHECK(written("csv", cards) == "\xEF\xBB\xBF\"front\",\"back\"\r\n\"#a\tb\",\"say \"\"x\"\"\nend\"\r\n");
}

TEST_CASE("exports: a mind map keeps its order and its depth") {
  constexpr std::string_view map =
      R"({"root":{"label":"A & B","children":[{"label":"é","children":[]},{"label":"c","children":[{"label":"d"}]}]}})";
  CHECK(written("freemind", map) ==
        "<map version=\"1.0.1\">\n<node TEXT=\"A &amp; B\">\n<node TEXT=\"&#233;\"/>\n<node TEXT=\"c\">\n"
        "<node TEXT=\"d\"/>\n</node>\n</node>\n</map>\n");
  CHECK(written("opml", map).find("<head><title>A &amp; B</title></head>") != std::string::npos);
}

TEST_CASE("exports: what a file of text cannot hold is an error with its place") {
  CHECK(written("csv", R"({"flashcards":[{"front":"a","back":"b\u0007"}]})") ==
        "error: /flashcards/0/back: contains U+0007, which a file of text cannot hold; remove it and export again");
  CHECK(written("gift", R"({"questions":[{"question":"\ud800"}]})").find("/questions/0/question: contains U+D800") !=
        std::string::npos);
  CHECK(written("opml", R"({"root":{"label":"\uffff"}})").find("U+FFFF") != std::string::npos);
}

TEST_CASE("exports: an artifact of another type is refused with the place that is missing") {
  CHECK(written("gift", R"({"flashcards":[]})").find("error: /questions: this format is for a quiz") == 0);
  CHECK(written("anki", R"({"root":{}})").find("error: /flashcards: ") == 0);
  CHECK(written("freemind", "[]").find("error: /root: ") == 0);
  CHECK(written("opml", R"({"root":{"label":"a","children":[{"children":[]}]}})") ==
        "error: /root/children/0/label: this format needs a text here");
  CHECK(written("moodle-xml", R"({"questions":[{"question":"q","options":["a","b"],"correct_answer":"c"}]})") ==
        "error: /questions/0/correct_answer: is not one of the options");
  CHECK(
      written("gift", R"({"questions":[{"question":"q","options":["a"],"correct_answer":"a"}]})").find("at least 2") !=
      std::string::npos);
}

TEST_CASE("exports: a review sheet has each claim beside its quote, and what nobody verified") {
  CHECK(written("review", quiz).find("error: : a review sheet shows the quotes of the run") == 0);
  const std::string sheet = written("review", quiz,
                                    R"({"decision":"accept_unverified","warnings":["w <1>"],)"
                                    R"("evidence":[{"rule":"answerable","at":"/questions/0","chunk":3,)"
                                    R"("quote":"a < b"}],"unverified":[{"rule":"answer-correct",)"
                                    R"("at":"/questions/0","reason":"no quote"}]})");
  CHECK(sheet.find("<p>Decision: accept_unverified</p>") != std::string::npos);
  CHECK(sheet.find("<li>w &lt;1&gt;</li>") != std::string::npos);
  CHECK(sheet.find("<td>answerable</td><td>Passage 3: \xE2\x80\x9C"
                   "a &lt; b\xE2\x80\x9D</td>") != std::string::npos);
  CHECK(sheet.find("<td>answer-correct</td><td>Not verified: no quote</td>") != std::string::npos);
  CHECK(sheet.find("options: &lt;b&gt;<br>correct_answer: =2") != std::string::npos);
}
