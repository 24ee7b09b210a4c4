#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/story/idle.hpp"
#include "core/story/looks.hpp"
#include "core/story/make.hpp"
#include "core/story/picture.hpp"
#include "core/story/reader_words.hpp"
#include "core/story/reading.hpp"
#include "core/story/ship.hpp"
#include "core/story/ship_parts.hpp"
#include "core/story/twee.hpp"
#include "tests/story/seeded_outline.hpp"
#include "tests/story/small_outlines.hpp"
#include "tests/story/story_laws.hpp"

using namespace plumb::story;
using plumb_test::small_outline;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// What of a book Twee holds.
std::string told(const Book& book) {
  Book out = book;
  out.codewords.clear();
  out.entities.clear();
  out.language = "";
  for (BookPassage& passage : out.passages) {
    passage.entities.clear();
  }
  return book_json(out);
}

std::vector<std::string> rules_of(const Checked& checked) {
  std::vector<std::string> out;
  for (const auto& one : checked.verdict.findings) {
    if (one.severity != plumb::contract::Severity::info) {
      out.push_back(one.rule);
    }
  }
  return out;
}

Checked check(std::string_view text) {
  plumb::Result<Checked> read = check_story(text);
  REQUIRE(read);
  return std::move(read).value();
}

std::string twee(const std::string& passages) {
  return ":: StoryData\n{\"ifid\":\"X\",\"format\":\"SugarCube\",\"start\":\"Start\"}\n\n" + passages;
}

Condition condition(std::string_view text) {
  Condition out;
  REQUIRE(read_condition(text, out));
  return out;
}

}  // namespace

TEST_CASE("exports: Twee, story.json and HTML of seeded stories read back to the same book, the same bytes each time") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Made made = make_story(plumb_test::seeded_outline(seed));
    REQUIRE(made.book);
    CHECK(made.verdict.valid);
    const ShipOptions drafts{true};
    for (const ShipFormat format : {ShipFormat::twee, ShipFormat::json, ShipFormat::html, ShipFormat::gamebook}) {
      CHECK(ship(*made.book, format, drafts).value() ==
            ship(*make_story(plumb_test::seeded_outline(seed)).book, format, drafts).value());
    }
    const Book exported = without_idle(*made.book);
    const plumb::Result<Book> json = read_book(ship(*made.book, ShipFormat::json, drafts).value());
    REQUIRE(json);
    CHECK(book_json(json.value()) == book_json(exported));
    const plumb::Result<Book> html = read_html_book(ship(*made.book, ShipFormat::html, drafts).value());
    REQUIRE(html);
    CHECK(book_json(html.value()) == book_json(exported));
    const plumb::Result<TweeReading> read = read_twee(ship(*made.book, ShipFormat::twee, drafts).value());
    REQUIRE(read);
    CHECK(read.value().findings.empty());
    CHECK(read.value().book.unread.empty());
    CHECK(told(read.value().book) == told(exported));
  }
}

TEST_CASE("laws: seeded stories keep them all (./dev soak story has ten thousand)") {
  for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
    CAPTURE(seed);
    CHECK(plumb_test::broken_law(seed) == "");
  }
}

TEST_CASE("exports: random readings of the Twee file end where play's walk of the book ends") {
  std::uint64_t random = 7;
  std::size_t ended = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Made made = make_story(plumb_test::seeded_outline(seed));
    const Book book = without_idle(*made.book);
    const plumb::Result<TweeReading> read = read_twee(ship(*made.book, ShipFormat::twee, {true}).value());
    REQUIRE(read);
    for (int i = 0; i < 10; ++i) {
      ReaderPlace a = begin_reading(book), b = begin_reading(read.value().book);
      for (int step = 0; step < 400; ++step) {
        REQUIRE(a.passage == b.passage);
        CHECK(a.held == b.held);
        const auto ways = open_ways(book, a);
        REQUIRE(ways == open_ways(read.value().book, b));
        if (book.find(a.passage)->ending) {
          ++ended;
          break;
        }
        REQUIRE_FALSE(ways.empty());
        random = random * 6364136223846793005U + 1442695040888963407U;
        const auto [way, route] = ways[(random >> 33U) % ways.size()];
        a = take_way(book, a, way, route);
        b = take_way(read.value().book, b, way, route);
      }
    }
  }
  CHECK(ended == 200);
}

TEST_CASE("play: a gate that its readers cannot hold is a trap, with the shortest way into it") {
  const std::string sound = small_outline({{"a"}}, {{"start", "", "", ""},
                                                    {"l", "a/o1", "a", ""},
                                                    {"r", "a/o2", "a", ""},
                                                    {"meet", "", "", ""},
                                                    {"end", "", "", ""}});
  CHECK(make_story(sound).play.traps.empty());
  CHECK(make_story(sound).play.complete);
  const Made made = make_story(small_outline({{"a"}}, {{"start", "", "", ""},
                                                       {"l", "a/o1", "a", ""},
                                                       {"r", "a/o2", "a", ""},
                                                       {"meet", "", "", ""},
                                                       {"end", "", "", ",\"gate\":[\"a/o1\"]"}}));
  CHECK_FALSE(made.verdict.valid);
  REQUIRE(made.play.traps.size() == 1);
  std::string way;
  for (const PlayStep& step : made.play.traps[0].way) {
    way += step.passage + " ";
  }
  CHECK(way == "start r ");
  CHECK(made.play.traps[0].held == Texts{"a__o2_committed"});
  const auto trap = std::find_if(made.verdict.findings.begin(), made.verdict.findings.end(),
                                 [](const auto& one) { return one.rule == "play_trap"; });
  REQUIRE(trap != made.verdict.findings.end());
  CHECK(trap->item == "passage::r");
  CHECK(trap->span.column > 1);
  CHECK(has(trap->message, ", holding a/o2. The shortest way there: start, \"To r\" to r. "));
  CHECK(has(trap->message, ". What is shut then: at 'meet' the way to 'end' asks for a/o1"));
}

TEST_CASE("play: in a trap only what is shut whenever it is come to is told, of foreign stories by their variables") {
  const Checked checked = check(
      twee(":: Start\n[[in]]\n[[end]]\n\n:: in\n[[round]]\n<<if $key and not $rust>>[[out->end]]<</if>>\n\n"
           ":: round\n<<set $lamp to true>>\n<<if $lamp>>[[in]]<</if>>\n\n:: key\n<<set $key to true>>\n<<set $rust "
           "to true>>\n[[end]]\n\n:: end\nEnd.\n"));
  REQUIRE(checked.play.traps.size() == 1);
  const auto trap = std::find_if(checked.verdict.findings.begin(), checked.verdict.findings.end(),
                                 [](const auto& one) { return one.rule == "play_trap"; });
  REQUIRE(trap != checked.verdict.findings.end());
  CHECK(has(trap->message, "What is shut then: at 'in' the way to 'end' asks for key and no rust"));
  CHECK_FALSE(has(trap->message, "the way to 'in'"));
}

TEST_CASE("play: beyond a bound nothing is said to be sound") {
  const Made made = make_story(plumb_test::seeded_outline(1));
  const PlayOutcome few = play_book(*made.book, {3, 64});
  CHECK_FALSE(few.complete);
  REQUIRE(few.undecided.size() == 1);
  CHECK(has(few.why_not, "more than 3 states"));
  Book wide;
  wide.start = "s";
  wide.passages.push_back({});
  wide.passages[0].id = "s";
  for (int i = 0; i < 65; ++i) {
    Route route;
    route.to = "s";
    route.when = {{{"w" + std::to_string(i)}, {}}};
    wide.passages[0].ways.push_back({{route}, 0});
  }
  CHECK(has(play_book(wide).why_not, "65 codewords"));
}

TEST_CASE("play: a circle from which no ending can be reached is a trap, though there is always a way on") {
  const Checked checked =
      check(twee(":: Start\nA.\n[[b]]\n[[end]]\n\n:: b\nB.\n[[c]]\n\n:: c\nC.\n[[b]]\n\n:: end\nEnd.\n"));
  REQUIRE(checked.play.traps.size() == 1);
  CHECK(checked.play.traps[0].way.back().passage == "b");
  CHECK(rules_of(checked) == std::vector<std::string>{"play_trap"});
}

TEST_CASE("play: a reader who can commit to both answers is told of") {
  const Made made = make_story(small_outline({{"a", "flavor"}}, {{"start", "", "", ""},
                                                                 {"l", "a/o1", "a", ""},
                                                                 {"r", "a/o2", "", ""},
                                                                 {"meet", "", "", ""},
                                                                 {"r2", "a/o2", "a", ""},
                                                                 {"end", "", "", ""}}));
  CHECK(std::any_of(made.verdict.findings.begin(), made.verdict.findings.end(),
                    [](const auto& one) { return one.rule == "play_both_answers"; }));
}

TEST_CASE("ship: missing prose is refused in the seed's words, and drafts say that they are") {
  const Made made = make_story(
      "{\"title\":\"T\",\"dilemmas\":[{\"id\":\"a\",\"question\":\"?\",\"answers\":[{\"id\":\"x\",\"description\":"
      "\"X\",\"default\":true},{\"id\":\"y\",\"description\":\"Y\"}]}],"
      "\"beats\":[{\"id\":\"one\",\"summary\":\"One.\",\"prose\":\"P\"},{\"id\":\"two\",\"summary\":\"Two.\",\"paths\":"
      "[\"a/x\"],\"commits\":[\"a\"]},{\"id\":\"three\",\"summary\":\"Three.\",\"paths\":[\"a/"
      "y\"],\"commits\":[\"a\"]}]}");
  REQUIRE(made.book);
  const plumb::Result<std::string> refused = ship(*made.book, ShipFormat::html);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "2 passage(s) missing prose. Run FILL stage first. Examples: [three, two]");
  CHECK(has(ship(*made.book, ShipFormat::twee, {true}).value(),
            ":: two [ending draft]\n<<set $a__x_committed to true>>\\\n(draft) Two."));
  CHECK(has(ship(*made.book, ShipFormat::gamebook, {true}).value(), "Draft: the author&#39;s summary"));
}

TEST_CASE("ship: the HTML asks for nothing from outside, and no text of a story ends its data") {
  const Made made = make_story(plumb_test::seeded_outline(5));
  const std::string html = ship(*made.book, ShipFormat::html, {true}).value();
  CHECK(has(html, "default-src 'none'; script-src 'sha256-"));
  CHECK_FALSE(has(html, "http://"));
  CHECK_FALSE(has(html, "https://"));
  std::size_t ends = 0;
  for (std::size_t at = html.find("</script"); at != std::string::npos; at = html.find("</script", at + 1)) {
    ++ends;
  }
  CHECK(ends == 3);  // the book, what the reader is told beside it, and the reader
}

TEST_CASE("ship: an IFID is a UUID of the title, and an author's own is kept") {
  const Made a =
      make_story(small_outline({{"a"}}, {{"s", "", "", ""}, {"l", "a/o1", "a", ""}, {"r", "a/o2", "a", ""}}));
  const Made b = make_story(small_outline({{"a"}}, {{"s", "", "", ""}, {"l", "a/o1", "a", ""}, {"r", "a/o2", "a", ""}},
                                          ",\"ifid\":\"11111111-2222-4333-8444-555555555555\""));
  CHECK(a.book->ifid.size() == 36);
  CHECK(a.book->ifid[14] == '5');
  CHECK(b.book->ifid == "11111111-2222-4333-8444-555555555555");
}

TEST_CASE("ship: a gamebook's sections are shuffled, each once, and begin with the start") {
  const Made made = make_story(plumb_test::seeded_outline(9));
  const Book book = without_idle(*made.book);
  const std::string printed = ship(*made.book, ShipFormat::gamebook, {true}).value();
  std::size_t count = 0;
  for (std::size_t at = 0; (at = printed.find("<section id=\"s", at)) != std::string::npos; ++at) {
    ++count;
    CHECK(has(printed.substr(at, 30), "id=\"s" + std::to_string(count) + "\""));
  }
  CHECK(count >= book.passages.size());
  const std::size_t first = printed.find("<section id=\"s1\""), second = printed.find("<section id=\"s2\"");
  CHECK(has(printed.substr(first, second - first), html_text(paragraphs_of(book.find(book.start)->text).front())));
}

TEST_CASE("ship: variables are different for different names, and texts come back letter for letter") {
  std::set<std::string> names;
  for (const std::string name : {"a_b", "a-b", "aX2Db", "a.b", "A_b", "1a", "_a", "ä"}) {
    CHECK(names.insert(variable_of(name)).second);
  }
  for (const std::string text :
       {"<<if $a>>", "[[x]]", "''b''", "a // b", "/* c */", "\"\"\"", ":: x", " lead", "trail ", "tab\there", "$a _b",
        "!h", "a\n* b\n\n# c", "~~ ^^ @@ -- == {{{", "&#36; &amp;"}) {
    CHECK(plain_text(twee_text(text)) == text);
    CHECK_FALSE(has(twee_text(text), "<<"));
    CHECK_FALSE(has(twee_text(text), "[["));
  }
}

TEST_CASE("twee: links in every form are read, and broken ones, orphans and dead ends are told with their lines") {
  const Checked checked =
      check(twee(":: Start\n[[one]] [[Two->two]] [[three<-Three]] [[Four|four]] <<link \"Five\" \"five\">><</link>> "
                 "[[Gone->nowhere]]\n\n"
                 ":: one [ending]\n1\n\n:: two\n2\n\n:: three [ending]\n3\n\n:: four [ending]\n4\n\n:: five "
                 "[ending]\n5\n\n:: lost\nx [[one]]\n"));
  CHECK(rules_of(checked) == std::vector<std::string>{"broken_link", "play_trap", "dead_end", "orphan"});
  CHECK(checked.verdict.findings[0].span.line == 5);
  CHECK(checked.verdict.findings[0].provided == "nowhere");
  CHECK(checked.verdict.findings[3].span.line == 22);
}

TEST_CASE("twee: what is set and asked for is played; what cannot be read is counted and left undecided") {
  const std::string open =
      ":: Start\n[[Take->key]] [[Go->door]]\n\n:: key\n<<set $key to true>>\n[[Go->door]]\n\n:: door\n<<if "
      "$key>>[[In->end]]<</if>>\n\n:: end\nEnd.\n";
  const Checked trapped = check(twee(open));
  CHECK(rules_of(trapped) == std::vector<std::string>{"play_trap"});
  REQUIRE(trapped.play.traps.size() == 1);
  CHECK(trapped.play.traps[0].way.size() == 2);
  std::string fixed = open;
  fixed.replace(fixed.find("<</if>>"), 7, "<<else>>[[Back->Start]]<</if>>");
  CHECK(rules_of(check(twee(fixed))).empty());
  std::string gold = open;
  gold.replace(gold.find("<<if $key>>"), 11, "<<if $door.size() gt 1>>");
  const Checked unread = check(twee(gold));
  CHECK(rules_of(unread).empty());
  CHECK(unread.unread == 1);
  CHECK(unread.verdict.decision == plumb::contract::Decision::undecided);
  CHECK(has(unread.verdict.undecided.back().reason,
            "1 place was not read: line 12, column 1. What was read reaches 3 of 4 passages and 0 of 1 endings"));
}

TEST_CASE("twee: Harlowe's links are judged and its conditions left undecided") {
  const Checked checked = check(
      ":: StoryData\n{\"ifid\":\"X\",\"format\":\"Harlowe\"}\n\n:: Start\n(if: $a)[ [[x]] ] [[y->z]]\n\n:: x\nEnd.\n");
  CHECK(checked.format == "Harlowe");
  CHECK(rules_of(checked) == std::vector<std::string>{"broken_link"});
  CHECK(checked.unread > 0);
}

TEST_CASE("twee: a link inside of a hook, and passages that only code names, are no findings") {
  CHECK(
      rules_of(
          check(
              ":: StoryData\n{\"ifid\":\"X\",\"format\":\"Harlowe\"}\n\n:: Start\n(after: 6s)[(transition:\"dissolve\")"
              "[[[Get up]]]]\n(if: $a)[[[Go on->x]]]\n\n:: Get up\nEnd.\n\n:: x\nEnd.\n"))
          .empty());
  CHECK(rules_of(check(
            ":: StoryData\n{\"ifid\":\"X\",\"format\":\"Chapbook\"}\n\n:: Start\n{reveal link: 'Take it', passage: "
            "'Key'}\n\n:: Key\n[[On]]\n\n:: On\nEnd.\n\n:: Lost\nNobody.\n")) == std::vector<std::string>{"orphan"});
}

TEST_CASE("twee: a file that is cut off, a passage that stands twice and no start are told") {
  CHECK(rules_of(check(twee(":: Start\n[[a->b\n"))) == std::vector<std::string>{"unclosed"});
  const std::vector<std::string> open = rules_of(check(twee(":: Start\n<<if $a>>[[b]]\n\n:: b\nx\n")));
  CHECK(std::count(open.begin(), open.end(), "unclosed") == 1);
  CHECK(rules_of(check(twee(":: Start\nx\n\n:: Start\ny\n"))) == std::vector<std::string>{"duplicate_passage"});
  CHECK(rules_of(check(twee(":: Begin\nx\n")))[0] == "no_start");
  CHECK_FALSE(check_story("nothing of a story"));
}

TEST_CASE("twee: a story that only goes round is told to have no ending, once") {
  const Checked checked = check(twee(":: Start\n[[Hall]]\n\n:: Hall\n[[Start]]\n[[Yard]]\n\n:: Yard\n[[Hall]]\n"));
  CHECK(rules_of(checked) == std::vector<std::string>{"play_trap"});
  CHECK(has(checked.verdict.findings.front().message, "the story has no ending"));
}

TEST_CASE("twee: what stands verbatim holds no links, and what menus lead to is reached") {
  const std::string menu =
      ":: StoryMenu\n[[About]]\n\n:: Css [stylesheet]\nb { content: \"[[Lost]]\"; }\n\n:: About\nWe.\n\n:: Lost\nx\n\n";
  CHECK(rules_of(check(twee(menu + ":: Start\n\"\"\"[[a]]\"\"\" <nowiki>[[b]]</nowiki> <html>[[c]]</html> {{{[[d]]}}} "
                                   "/* [[e]] */ \"\"\"[[End]]\n\n:: End\n\"\"\"x\"\"\"\n"))) ==
        std::vector<std::string>{"orphan"});
}

TEST_CASE("twee: that nobody does something is undecided where a way out may lead anywhere") {
  const std::string story =
      ":: Start\n<<if $lamp>>[[Deep]]<</if>>\n[[Lamp]]\n\n:: Lamp\n<<set $lamp to true>>\n[[End]]\n\n:: Deep\nx\n\n:: "
      "End\nx";
  CHECK(rules_of(check(twee(story))) == std::vector<std::string>{"play_gate_never_open", "play_ending_unreached"});
  std::string back = story;
  back.replace(back.find("[[End]]"), 7, "[[End]] <<back>>");
  const Checked checked = check(twee(back));
  CHECK(rules_of(checked).empty());
  CHECK(checked.verdict.decision == plumb::contract::Decision::undecided);
  REQUIRE(checked.verdict.undecided.size() == 3);
  CHECK(has(checked.verdict.undecided[1].reason, "unless a way out of 'Lamp' that could not be read"));
}

TEST_CASE("story.json: what is no story of ours is refused with its place, and runs into nothing") {
  const auto read = [](std::string_view ways) {
    return read_book(R"({"format":"plumb-story-1","start":"a","passages":[{"id":"a","ways":)" + std::string(ways) +
                     R"(,"entities":7}],"entities":[{"overlays":[{"details":[1]}]}]})");
  };
  const plumb::Result<Book> empty = read("[[]]");
  REQUIRE_FALSE(empty);
  CHECK(empty.error().message == "a way of the passage 'a' leads nowhere: it has no route");
  CHECK(empty.error().column == 69);
  CHECK_FALSE(read("[5]"));
  for (const std::string_view odd : {"5", "{}", "[[5]]", "[[{\"to\":[]}]]"}) {
    const plumb::Result<Book> book = read(odd);
    REQUIRE(book);
    play_book(book.value());
    for (const ShipFormat format : {ShipFormat::twee, ShipFormat::html, ShipFormat::json, ShipFormat::gamebook}) {
      CHECK(ship(book.value(), format, {true}));
    }
  }
}

TEST_CASE("twee: conditions over variables and values") {
  CHECK(condition("$a and not $b") == Condition{{{"a"}, {"b"}}});
  CHECK(condition("$a is false or ($b && !$c)") == Condition{{{"a is false"}, {}}, {{"b"}, {"c"}}});
  CHECK(condition("not ($a or $b)") == Condition{{{}, {"a", "b"}}});
  CHECK(condition("$a isnot true") == Condition{{{}, {"a is true"}}});
  CHECK(condition("$a is 'x' and $n gte 5 and ndef $b") == Condition{{{"a is \"x\"", "n gte 5"}, {"b def"}}});
  Condition none;
  for (const std::string text : {"$a gt $b", "$a is 'x", "", "$a and", "($a", "$a.b", "visited()", "$a $b"}) {
    CHECK_FALSE(read_condition(text, none));
  }
}

TEST_CASE("overlays: the most codewords win, of equals the later") {
  const BookEntity entity{
      "e", "character", "E", {{{"a"}, {{"x", "1"}}}, {{"b"}, {{"x", "2"}}}, {{"a", "b"}, {{"x", "3"}}}, {{"c"}, {}}}};
  CHECK(overlay_for(entity, {}) == nullptr);
  CHECK(overlay_for(entity, {"a"}) == entity.overlays.data());
  CHECK(overlay_for(entity, {"a", "b"}) == &entity.overlays[2]);
  CHECK(overlay_for(entity, {"b", "c"}) == &entity.overlays[3]);
}

TEST_CASE("overlays: each is a sentence after the paragraph that names its entity, and Twee reads back") {
  const Made made = make_story(plumb_test::seeded_outline(9));
  Book book = *made.book;
  const std::string word = book.codewords.front().name;
  const std::string other = book.codewords.back().name;
  BookPassage& start = book.passages.front();
  start.text = "It rains.\n\nThere is the <<Pilot>>, \"waiting\".\n\nNobody else.";
  start.entities = {"pilot", "plain"};
  book.entities = {{"pilot",
                    "character",
                    "The <<Pilot>>",
                    {{{word}, {{"manner", "dry"}}},
                     {{other, word}, {{"manner", "wet"}, {"hat", "lost"}}},
                     {{other}, {{"manner", "Cold is what he is."}}}}},
                   {"plain", "object", "A rope", {}}};
  const std::string twee = ship_twee(book);
  const std::string both = "$" + variable_of(other) + " and $" + variable_of(word);
  const std::string pilot = "The &#60;&#60;Pilot&#62;&#62;, ";
  CHECK(has(twee, "\"waiting\".<<if " + both + ">>\n\n" + pilot + "wet; lost.<<elseif $" + variable_of(other) +
                      ">>\n\nCold is what he is.<<elseif $" + variable_of(word) + ">>\n\n" + pilot +
                      "dry.<</if>>\n\nNobody else.\n"));
  CHECK_FALSE(has(twee, "A rope"));
  const plumb::Result<TweeReading> read = read_twee(twee);
  REQUIRE(read);
  CHECK(read.value().book.unread.empty());
  REQUIRE(read.value().book.find(start.id) != nullptr);
  CHECK(read.value().book.find(start.id)->text == start.text);
}

TEST_CASE("overlays: a passage that does not name the entity shows none, but where no passage names it") {
  Book book;
  book.passages.resize(2);
  book.passages[0].text = "A ferry.\n\nThe PILOT nods.";
  book.passages[1].text = "Pilots are a kind of people.";
  book.passages[0].entities = book.passages[1].entities = {"e"};
  book.entities = {{"e", "character", "the pilot", {{{"w"}, {{"a", "b"}}}}}};
  std::vector<std::vector<Look>> looks = looks_of(book);
  REQUIRE(looks[0].size() == 1);
  CHECK(looks[0][0].after == 1);
  CHECK(looks[1].empty());
  CHECK(look_sentence(book.entities[0], book.entities[0].overlays[0]) == "The pilot, b.");
  book.entities[0].name = "Ada Crewe";
  looks = looks_of(book);
  REQUIRE(looks[1].size() == 1);
  CHECK(looks[0][0].after == 1);
  book.passages[0].text = "Ada?\n\nYes.";
  looks = looks_of(book);
  CHECK(looks[0][0].after == 0);
  CHECK(looks[1].empty());
}

TEST_CASE("emphasis: a text between asterisks, inside of a paragraph, and nothing else of Markdown") {
  const auto shown = [](std::string_view text) {
    std::string out;
    for (const Piece& one : pieces_of(text)) {
      out += one.emphasis ? "[" + std::string(one.text) + "]" : std::string(one.text);
    }
    return out;
  };
  CHECK(shown("*so* it (*is*), \"*now*\"") == "[so] it ([is]), \"[now]\"");
  for (const std::string text : {"2*3*4", "* a *", "**bold**", "*a", "a * b * c", "*a\nb*", "_x_ `y`", "**", "é*a*"}) {
    CHECK(shown(text) == text);
  }
  CHECK(shown("*a* *b*") == "[a] [b]");
}

TEST_CASE("gamebook: how an entity looks is printed, and each case has its section, to which the ways lead") {
  const Made made = make_story(small_outline({{"a", "flavor"}}, {{"start", "", "", ""},
                                                                 {"l", "a/o1", "a", ""},
                                                                 {"r", "a/o2", "a", ""},
                                                                 {"meet", "", "", ""},
                                                                 {"end", "", "", ""}}));
  REQUIRE(made.book);
  Book book = *made.book;
  book.entities = {
      {"e", "character", "Ada", {{{"a__o1_committed"}, {{"x", "wet"}}}, {{"a__o2_committed"}, {{"x", "dry"}}}}}};
  for (BookPassage& one : book.passages) {
    if (one.id == "l" || one.id == "meet") {
      one.text = "Here is Ada.\n\nShe waits.";
      one.entities = {"e"};
    }
  }
  const std::string printed = ship(book, ShipFormat::gamebook, {true}).value();
  const auto count = [&](std::string_view text) {
    std::size_t out = 0;
    for (std::size_t at = 0; (at = printed.find(text, at)) != std::string::npos; ++at) {
      ++out;
    }
    return out;
  };
  CHECK(count("<p>Here is Ada.</p>\n<p>Ada, wet.</p>\n<p>She waits.</p>") == 2);  // at l, and of two at meet
  CHECK(count("<p>Here is Ada.</p>\n<p>Ada, dry.</p>\n<p>She waits.</p>") == 1);
  CHECK(count("f you wrote down") == 0);  // l and r each know their reader
  CHECK(count("<p class=\"word\">") == 0);
  CHECK_FALSE(has(printed, "O1"));
}

TEST_CASE("check: a published story's HTML and a project's graph.json are refused by name, with what to do") {
  const auto refused = [](std::string_view text) {
    const plumb::Result<Checked> read = check_story(text);
    REQUIRE_FALSE(read);
    return read.error().message;
  };
  CHECK(
      has(refused("<!DOCTYPE html><html><body><tw-storydata name=\"A\" startnode=\"1\"></tw-storydata></body></html>"),
          "is a story that Twine has published; give its Twee"));
  CHECK(has(refused("{\"version\": \"5.0\", \"nodes\": {}, \"edges\": []}"), "is a graph of an older kind of project"));
  CHECK(has(refused("title: A\ndilemmas:\n  - id: a\n"), "is an outline in YAML"));
}

TEST_CASE("check: a story is known by what it is, in whatever order its members stand") {
  CHECK(form_of("{\"codewords\": [], \"entities\": [" + std::string(400, ' ') + "], \"format\": \"plumb-story-1\"}") ==
        StoryForm::book);
  CHECK(form_of("{\"title\": \"About \\\"plumb-story-1\\\"\", \"dilemmas\": []}") == StoryForm::outline);
  CHECK(form_of("{\"format\": \"plumb-story-1\", \"passages\": [") == StoryForm::book);
  CHECK(form_of("\n<!DOCTYPE html>\n<html></html>") == StoryForm::html);
  CHECK(form_of(":: Start\nx") == StoryForm::twee);
  for (const std::string_view text : {":: Start\nThe\ndilemmas: none\n", "{\"dilemmas\":[]}", "beats:\n"}) {
    CHECK_FALSE(is_yaml_outline(text));
  }
}

TEST_CASE("twee: ten thousand passages of talk are read, and no talk is taken for code") {
  std::string text = ":: Start\n[[p0]]\n\n", talk;
  for (int i = 0; i < 50; ++i) {
    talk += "\"No,\" 'x' ";
  }
  for (int i = 0; i < 10'000; ++i) {
    text += ":: p" + std::to_string(i) + "\n" + talk + "\n[[p" + std::to_string(i + 1) + "]]\n\n";
  }
  CHECK(rules_of(check(twee(text + ":: p10000\nEnd.\n\n:: Named\nx\n\n:: Code\n<<run go('Named')>>\n"))) ==
        std::vector<std::string>{"orphan"});
}

TEST_CASE("ship: a text runs in its own direction, in the HTML and on paper") {
  const Made made = make_story(plumb_test::seeded_outline(5));
  CHECK(has(ship(*made.book, ShipFormat::html, {true}).value(), "unicode-bidi: plaintext;"));
  CHECK(has(ship(*made.book, ShipFormat::gamebook, {true}).value(), "<bdi>"));
}

TEST_CASE("ship: a theme and a file of words are bounded, and what is wrong with them is said") {
  const Made made = make_story(plumb_test::seeded_outline(5));
  const auto html = [&](const std::string& theme, const std::string& words) {
    return ship(*made.book, ShipFormat::html, {true, theme, words});
  };
  const plumb::Result<std::string> both =
      html("body {\r\n  color: red;\r\n}\n", R"({"begin": "<Inizia>", "again": "Da capo"})");
  REQUIRE(both);
  CHECK(has(both.value(), "<style>body {\n  color: red;\n}\n</style>"));
  CHECK(has(both.value(), ">&lt;Inizia&gt;</button>"));
  CHECK(has(both.value(), ">Da capo</button>"));
  CHECK(has(both.value(), ">Keep reading</button>"));
  CHECK(has(html("a</style>", "").error().message, "may not contain '</'"));
  CHECK(has(html(std::string(70'000, ' '), "").error().message, "at most 65,536 bytes; this one has 70000"));
  CHECK(has(html("", "[]").error().message, "is an object"));
  CHECK(
      has(html("", R"({"beginn": "x"})").error().message, "there is no word 'beginn'. The words are: begin, resume, "));
  CHECK(has(html("", R"({"passage": "x"})").error().message, "must contain '%', as in 'Passage %'"));
  CHECK(has(html("", R"({"begin": 1})").error().message, "the word 'begin' must be a text"));
  CHECK(reader_words("de-AT").value()[Word::begin] == "Beginnen");
  CHECK(reader_words("fr").value().with(Word::passage, "3") == "Passage 3");
  CHECK(reader_words("it").value()[Word::begin] == "Begin");
  CHECK(neutral_word("en", 0) == "OAK");
  CHECK(neutral_word("en", 48) == "OAK2");
}

TEST_CASE("pictures and inspect are made of every story, and escape what its texts hold") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Made made = make_story(plumb_test::seeded_outline(seed));
    CHECK(has(story_dot(made.graph), "digraph story {\n  // graph " + made.graph.hash() + "\n"));
    CHECK(has(story_mermaid(made.graph, "run r1, entry 63"), "%% run r1, entry 63, graph " + made.graph.hash() + "\n"));
    CHECK(has(story_svg(made.graph), "<desc>graph " + made.graph.hash() + "</desc>"));
    CHECK(has(inspect_json(made, "r1", 63), "\"run\": \"r1\",\n  \"entry\": 63,"));
    CHECK_FALSE(has(story_svg(made.graph), "<script"));
    CHECK_FALSE(has(story_mermaid(made.graph), "<b>"));
    CHECK(has(inspect_json(made), "\"left_out\""));
  }
}
