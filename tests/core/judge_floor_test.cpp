#include "core/judge/floor.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/judge/judge.hpp"

using namespace plumb;
using judge::Floor;
using judge::Item;
using judge::Passage;

namespace {

constexpr std::string_view source =
    "The overall reaction uses six molecules of carbon dioxide and six molecules of water. The **xylem** is the tissue "
    "that carries water and minerals from the roots to the leaves. The **phloem** is the tissue that carries sugar. "
    "The "
    "Russian botanist Konstantin Mereschkowski proposed this origin in 1905, and the American biologist Lynn Margulis "
    "published strong arguments for it in 1967.\n\nA leaf has about 1,450 stomata.";

Floor floor_of(std::string_view text) {
  const std::vector<Passage> passages{{0, text}};
  return Floor(passages);
}

std::string question(std::string_view asked, const std::vector<std::string>& options, std::string_view answer,
                     std::string_view explanation = "") {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("question", asked).key("options").begin_array();
  for (const std::string& one : options) {
    json.string(one);
  }
  json.end_array().member("correct_answer", answer).member("explanation", explanation).end_object();
  return out;
}

// What the source gives in place of the answer.
std::string contradiction(const std::string& item) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(item, arena);
  REQUIRE(read);
  return std::string(floor_of(source).contradicting(judge::item_of(read.value())));
}

bool holds(const std::string& item, std::string_view quote) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(item, arena);
  REQUIRE(read);
  return floor_of(source).holds_answer(judge::item_of(read.value()), quote);
}

}  // namespace

TEST_CASE("judge floor: a number, a date or a name that the source lacks is found, in digits and in words") {
  const Floor floor = floor_of(source);
  CHECK(floor.lacking("Who discovered it in 1802?") == "1802");
  CHECK(floor.lacking("The source says that Charles Darwin proposed it") == "Charles, Darwin");
  CHECK(floor.lacking("It uses 6 molecules, and was proposed by Konstantin Mereschkowski in 1905").empty());
  CHECK(floor.lacking("It uses twelve molecules") == "twelve");
  CHECK(floor.lacking("A leaf has 1450 stomata and 2 sides").empty());
  CHECK(floor.lacking("A leaf has 450 stomata") == "450");
  CHECK(floor.lacking("Which Tissue Carries Water").empty());  // capitals tell no names here
}

TEST_CASE("judge floor: the option that the source gives as the answer contradicts another one") {
  const std::vector<std::string> carried{"Water and minerals", "Sugar", "Oxygen", "Pollen"};
  CHECK(contradiction(question("What does the xylem carry?", carried, "Sugar")) == "Water and minerals");
  CHECK(contradiction(question("What does the xylem carry?", carried, "Water and minerals")).empty());
  CHECK(contradiction(question("What does the xylem not carry?", carried, "Sugar")).empty());
  const std::vector<std::string> years{"1905", "1967", "1802", "2001"};
  CHECK(contradiction(question("When did Mereschkowski propose this origin?", years, "1967")) == "1905");
  CHECK(contradiction(question("When did Mereschkowski propose this origin?", years, "1905")).empty());
  // Said in other words, and nothing else fits: words alone cannot tell.
  CHECK(contradiction(question("What is the task of the xylem?", {"Moving liquids", "Holding leaves", "a", "b"},
                               "Moving liquids"))
            .empty());
}

TEST_CASE("judge floor: an option beside the answer in one sentence contradicts nothing") {
  constexpr std::string_view german =
      "Der Winkel zur Senkrechten gibt die Richtung zur Sonne an, die Dauer des Schw\u00e4nzelns die Entfernung.";
  constexpr std::string_view english = "The angle gives the direction of the sun and the duration the distance.";
  const auto other = [](std::string_view text, std::string_view asked, const std::vector<std::string>& options) {
    json::Arena arena;
    const std::string written = question(asked, options, options.front());
    const Result<json::Value> read = json::parse(written, arena);
    REQUIRE(read);
    return std::string(floor_of(text).contradicting(judge::item_of(read.value())));
  };
  const std::string sun = "Die Richtung zur Sonne";
  const std::string_view duration = "Was gibt die Dauer des Schw\u00e4nzelns an?";
  CHECK(other(german, duration, {"Die Entfernung der Futterquelle", sun, "Das Alter"}).empty());
  // Also where the answer is in other words: what is asked is in another part of the sentence.
  CHECK(other(german, duration, {"Wie weit es bis zum Futter ist", sun}).empty());
  CHECK(other(german, "Was gibt der Winkel zur Senkrechten an?", {"Das Alter der Biene", sun}) == sun);
  CHECK(other(english, "What does the duration give?", {"Distance of the food", "Direction of the sun"}).empty());
  CHECK(other(english, "What does the angle give?", {"Age of the bee", "Direction of the sun"}) ==
        "Direction of the sun");
}

TEST_CASE("judge floor: a quote holds an answer by its words without endings, or by its numbers") {
  const std::string xylem =
      question("What does the xylem carry?", {"Water and minerals", "Sugar"}, "Water and minerals");
  CHECK(holds(xylem, "carries water and minerals"));
  CHECK(holds(xylem, "the tissue that carries water"));
  CHECK_FALSE(holds(xylem, "The xylem is the tissue"));
  const std::string six = question("How many molecules of water?", {"6", "7"}, "6");
  CHECK(holds(six, "six molecules of water"));
  CHECK_FALSE(holds(six, "molecules of water"));
  CHECK_FALSE(holds(question("x", {"a", "b"}, "a", "because a"), "The xylem is a tissue"));
  CHECK(holds(question("Which vitamin is in lemons?", {"C", "D"}, "C"), "Lemons have vitamin C"));
}

TEST_CASE("judge floor: in another language than the source only numbers and names count") {
  const Floor floor = floor_of("Die Behörde ist ein Amt des Landes und wurde 1952 in der Stadt Kassel gegründet.");
  CHECK(floor.is_foreign("In which year was the authority founded, and where is it?"));
  CHECK(floor.lacking("The authority was founded in the year 1952 by Germany").empty());
  CHECK(floor.lacking("The authority was founded in the year 1953") == "1953");
  CHECK_FALSE(judge::says_something("x a because a"));
  CHECK(judge::says_something("Sugar"));
}

TEST_CASE("floor: signs with a digit or a capital name something, and a heading says what stands below it") {
  for (const std::string_view sign : {"C4", "O2", "pH", "ATP", "six"}) {
    CAPTURE(std::string(sign));
    CHECK(judge::says_something(sign));
  }
  for (const std::string_view nothing : {"a", "B", "of the", "x"}) {
    CAPTURE(std::string(nothing));
    CHECK_FALSE(judge::says_something(nothing));
  }
  json::Arena arena;
  const auto node = json::parse(
      R"({"label":"Overview","children":[{"label":"Xylem","children":[{"label":"Roots","children":[]}]}]})", arena);
  REQUIRE(node);
  const Item item = judge::item_of(node.value());
  CHECK(item.said == "Overview");
  CHECK(item.below == "Xylem");
}

TEST_CASE("judge floor: while the answer of a question is open, nobody has proved that nothing in it is invented") {
  const std::string artifact =
      R"({"questions":[)" +
      question("What is the phloem?", {"A kind of mountain", "A river", "A bird", "A ship"}, "A kind of mountain") +
      "]}";
  json::Arena arena;
  const Result<json::Value> read = json::parse(artifact, arena);
  REQUIRE(read);
  std::vector<judge::Question> asked(3);
  std::vector<judge::Claim> claims(3);
  for (std::size_t i = 0; i < 3; ++i) {
    asked[i].rule = std::vector<std::string>{"answerable", "no-invention", "answer-correct"}[i];
    asked[i].at = "/questions/0";
    claims[i].rule = asked[i].rule;
    claims[i].at = asked[i].at;
    claims[i].outcome = contract::Outcome::holds;
    claims[i].quote = "The phloem is the tissue";
  }
  const std::vector<Passage> passages{{0, source}};
  const judge::ProofRules rules{true, true};
  const judge::Judgement open = judge::settle(asked, claims, passages, read.value(), artifact, rules);
  REQUIRE(open.proofs.size() == 1);
  CHECK(open.proofs[0].rule == "answerable");
  REQUIRE(open.undecided.size() == 2);
  CHECK(open.undecided[1].rule == "no-invention");
  CHECK(open.undecided[1].reason == "the judge has not proved the answer, which may be invented");
  CHECK(open.again == std::vector<std::size_t>{2});  // with the answer, the rest is proved too
  const judge::Judgement before = judge::settle(asked, claims, passages, read.value(), artifact, {true, false});
  CHECK(before.proofs.size() == 3);
}
