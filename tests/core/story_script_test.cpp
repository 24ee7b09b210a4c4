// Other tools' stories as play carries them out: SugarCube's variables, chance, includes, widgets and what is met as a
// fault and is none.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/story/make.hpp"
#include "core/story/rules.hpp"

using namespace plumb::story;
using plumb::contract::Decision;
using plumb::contract::Severity;

namespace {

Checked check(const std::string& passages, const std::string& format = "SugarCube") {
  plumb::Result<Checked> read =
      check_story(":: StoryData\n{\"ifid\":\"X\",\"format\":\"" + format + "\",\"start\":\"Start\"}\n\n" + passages);
  REQUIRE(read);
  return std::move(read).value();
}

// The rules of errors and warnings, in the order in which they are told.
std::vector<std::string> rules(const Checked& checked) {
  std::vector<std::string> out;
  for (const auto& one : checked.verdict.findings) {
    if (one.severity != Severity::info) {
      out.push_back(one.rule);
    }
  }
  return out;
}

bool proven(const std::string& passages) {
  const Checked checked = check(passages);
  INFO(passages);
  return checked.unread == 0 && checked.verdict.decision == Decision::accept &&
         checked.play.endings_reached == checked.play.endings;
}
bool trapped(const std::string& passages) {
  const std::vector<std::string> found = rules(check(passages));
  return std::find(found.begin(), found.end(), "play_trap") != found.end();
}
bool undecided(const std::string& passages) { return check(passages).verdict.decision == Decision::undecided; }

const std::string end = "\n\n:: End\nOver.\n";

}  // namespace

TEST_CASE("sugarcube: numbers are counted, compared and kept as far as they are compared") {
  const std::string shop =
      ":: StoryInit\n<<set $gold to 3>>\n\n:: Start\n<<if $gold gte 1>>[[Buy]]<<else>>[[End]]<</if>>\n\n"
      ":: Buy\n<<set $gold -= 1>>\n[[Start]]";
  CHECK(proven(shop + end));
  std::string shut = shop;
  shut.replace(shut.find("$gold gte 1"), 11, "$gold gte -1");
  CHECK(proven(shut + end));
  shut.replace(shut.find("$gold -= 1"), 10, "$gold += 1");
  CHECK(trapped(shut + end));
  CHECK(check(shut + end).play.states < 20);
  CHECK(proven(":: Start\n<<set $n to ($n or 0) + 1>><<if $n % 2 is 0>>[[End]]<<else>>[[Start]]<</if>>" + end));
  CHECK(proven(":: Start\n<<set $a to 2, $b to $a * 3>><<if $b is 6 and $a + 1 is 3>>[[End]]<</if>>" + end));
  CHECK(proven(":: Start\n<<set $who to \"the \" + \"smith\">><<if $who is 'the smith'>>[[End]]<</if>>" + end));
  CHECK(trapped(":: Start\n<<set $n to 4>><<unset $n>><<if $n>>[[End]]<</if>>" + end));
  CHECK(proven(":: Start\n<<set $hat.worn to true>><<if $hat.worn>>[[End]]<</if>>" + end));
}

TEST_CASE("sugarcube: a number that goes up and down without end is followed to a bound, and undecided beyond it") {
  const std::string story =
      ":: Start\n<<if $n is 9999>>[[End]]<</if>>\n[[Up]] [[Down]]\n\n:: Up\n<<set $n to ($n or 0) + 1>>"
      "[[Start]]\n\n:: Down\n<<set $n to ($n or 0) - 1>>[[Start]]";
  CHECK(undecided(story + end));
}

TEST_CASE("sugarcube: chance is followed to each of its outcomes") {
  CHECK(proven(":: Start\n<<if random(1, 6) gt 3>>[[End]]<<else>>[[Start]]<</if>>" + end));
  CHECK(trapped(":: Start\n<<if random(1, 6) gt 3>>[[End]]<</if>>" + end));
  CHECK(proven(":: Start\n<<if random(1, 6) lt 9>>[[End]]<</if>>" + end));
  CHECK(proven(":: Start\n<<set $way to either(\"End\", \"Cave\")>>[[Go|$way]]\n\n:: Cave\n[[End]]" + end));
  CHECK(trapped(":: Start\n<<set $way to either(\"End\", \"Cave\")>>[[Go|$way]]\n\n:: Cave\n[[Cave]]" + end));
  CHECK(trapped(":: Start\n<<if Math.random() < 0.5>>[[End]]<</if>>" + end));
}

TEST_CASE("sugarcube: what the reader has seen is remembered") {
  CHECK(proven(":: Start\n<<if visited() gt 2>>[[End]]<<else>>[[Start]]<</if>>" + end));
  CHECK(trapped(":: Start\n<<if visited(\"Hut\")>>[[End]]<</if>>\n[[Wood]]\n\n:: Wood\n[[Start]]\n\n:: Hut\n[[Start]]" +
                end));
  CHECK(proven(
      ":: Start\n[[Map]] [[Hut]]\n\n:: Map\n[[Back|previous()]]\n\n:: Hut\n[[Map]] <<if hasVisited(\"Map\")>>[[End]]"
      "<</if>>" +
      end));
  CHECK(trapped(":: Start\n[[Hut]] [[End]]\n\n:: Hut\n[[Map]]\n\n:: Map\n<<return>>" + end));
}

TEST_CASE("sugarcube: includes, widgets, headers and footers are part of the passage") {
  CHECK(proven(":: Start\n<<include \"Menu\">>\n\n:: Menu\n[[End]]" + end));
  CHECK(proven(
      ":: PassageFooter\n<<if passage() isnot \"End\">>[[End]]<</if>>\n\n:: Start\n[[Wood]]\n\n:: Wood\n[[Wood]]" +
      end));
  CHECK(proven(
      ":: PassageHeader\n<<set $n to ($n or 0) + 1>>\n\n:: Start\n<<if $n gt 3>>[[End]]<<else>>[[Start]]<</if>>" +
      end));
  const std::string widget =
      ":: Widgets [widget]\n<<widget \"door\">><<if _args[0] is \"open\">>[[End]]<</if>><</widget>>\n\n";
  CHECK(proven(widget + ":: Start\n<<door \"open\">>" + end));
  CHECK(trapped(widget + ":: Start\n<<door \"shut\">>" + end));
  CHECK(undecided(":: Start\n<<window \"open\">> [[End]]" + end));
}

TEST_CASE("sugarcube: a page changes while its reader stays") {
  CHECK(proven(":: Start\n<<linkreplace \"Look\">>[[End]]<</linkreplace>>" + end));
  CHECK(proven(":: Start\n<<timed 2s>>[[End]]<</timed>>" + end));
  CHECK(proven(
      ":: Start\n<<link \"Take it\">><<set $key to true>><</link>> [[Door]]\n\n:: Door\n<<if $key>>[[End]]<<else>>"
      "[[Start]]<</if>>" +
      end));
  CHECK(proven(":: Start\n<<link \"Go\" \"End\">><<set $key to true>><</link>>" + end));
  CHECK(trapped(
      ":: Start\n<<link \"Go\" \"Door\">><<set $key to false>><</link>>\n\n:: Door\n<<if $key>>[[End]]<</if>>" + end));
}

TEST_CASE("sugarcube: switches, and ways that are named by expressions") {
  CHECK(proven(":: Start\n<<set $n to 2>><<switch $n>><<case 1>>x<<case 2 3>>[[End]]<<default>>x<</switch>>" + end));
  CHECK(trapped(":: Start\n<<set $n to 4>><<switch $n>><<case 1>>x<<case 2 3>>[[End]]<<default>>x<</switch>>" + end));
  CHECK(proven(":: Start\n<<set $to to \"En\" + \"d\">><<link \"x\" $to>><</link>>" + end));
  const Checked broken = check(":: Start\n<<set $to to \"Nowhere\">>[[x|$to]] [[End]]" + end);
  CHECK(rules(broken) == std::vector<std::string>{"broken_link"});
  CHECK(broken.verdict.findings[0].provided == "Nowhere");
  CHECK(proven(":: Start\n[[Go|\"End\"]] [[mail|mailto:a@b.c]]" + end));
}

TEST_CASE("sugarcube: what is no fault is not told as one") {
  CHECK(proven(":: Start\n<<if $a>>x<<endif>> [[End]]" + end));
  CHECK(proven(":: Start\n[[Go]]\n\n:: Go\n<<timed 2s>>You die.<</timed>>\n"));
  CHECK(proven(":: Start\n[[Go|End]]\n\n:: End\nYou died. [[Play again|Start]]\n"));
  CHECK(undecided(":: Start\n[[Go|Cave]]\n\n:: Cave\n[[Up|Start]]\n"));
  CHECK(proven(
      ":: Code [script]\njQuery(document).on('click', '#x', function () { this.remove(); });\n\n:: Start\n[[End]]" +
      end));
  CHECK(undecided(":: Code [script]\nState.variables.x = 1;\n\n:: Start\n[[End]]" + end));
  CHECK(proven(":: Start\n[[End]] {{{[[x]]}}}\n\n:: Art [Twine.image]\ndata:image/png;base64,AA" + end));
}

TEST_CASE("check: errors come first, each once, by place, and a wrong name is told with the near one") {
  const Checked checked = check(":: Start\n[[Kitchn]] [[Kitchn]]\n\n:: Kitchen\nx\n\n:: Lost\nx\n\n:: Start\nx\n");
  CHECK(rules(checked) ==
        std::vector<std::string>{"play_trap", "broken_link", "broken_link", "duplicate_passage", "orphan", "orphan"});
  CHECK(std::any_of(checked.verdict.findings.begin(), checked.verdict.findings.end(),
                    [](const auto& one) { return one.message.find("did you mean 'Kitchen'?") != std::string::npos; }));
  CHECK(rules(check(":: Start\n[[text|]]\n")) == std::vector<std::string>{"broken_link"});
}

TEST_CASE("rules: each is explained once") {
  for (const StoryRule& one : story_rules()) {
    CHECK(story_rule(one.id) == &one);
    CHECK(std::string_view(one.meaning).ends_with('.'));
    CHECK(std::string_view(one.fix).ends_with('.'));
  }
  CHECK(story_rule("no such rule") == nullptr);
}
