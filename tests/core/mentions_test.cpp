#include "core/text/mentions.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace plumb::text;

namespace {

std::string mention(std::string_view text, std::string_view term) {
  const MentionResult result = find_mention(text, term);
  switch (result.outcome) {
    case Judgement::holds:
      return std::string(piece(text, result.where));
    case Judgement::broken:
      return "(no)";
    case Judgement::undecided:
      break;
  }
  return "(undecided)";
}

}  // namespace

TEST_CASE("mentions: one word, whole, in any case, with plural and possessive") {
  CHECK(mention("What was Tesla's revenue?", "Tesla") == "Tesla's");
  CHECK(mention("TESLA sold it", "tesla") == "TESLA");
  CHECK(mention("Teslas are cars", "Tesla") == "Teslas");
  CHECK(mention("The company grew", "companies") == "company");
  CHECK(mention("All companies grew", "company") == "companies");
  CHECK(mention("two boxes", "box") == "boxes");
  CHECK(mention("the process", "processes") == "process");
  CHECK(mention("new buses", "bus") == "buses");
  CHECK(mention("the houses", "house") == "houses");
  CHECK(mention("movies", "movie") == "movies");
  CHECK(mention("EVs sold", "EV") == "EVs");
  CHECK(mention("the car", "cars") == "car");
  CHECK(mention("heroes", "hero") == "heroes");
  CHECK(mention("the firm\xE2\x80\x99s head", "firm") == "firm\xE2\x80\x99s");
  CHECK(mention("Teslarati wrote", "Tesla") == "(no)");
  CHECK(mention("untested", "test") == "(no)");
  CHECK(mention("the price", "cost") == "(no)");
  CHECK(mention("class", "clas") == "(no)");
  CHECK(mention("in 2023.", "2023") == "2023");
  CHECK(mention("in 20234", "2023") == "(no)");
  CHECK(mention("1000", "1,000") == "(no)");
  CHECK(mention("", "x") == "(no)");
}

TEST_CASE("mentions: several words in order, near each other, in one sentence") {
  CHECK(mention("the revenue that Tesla made", "revenue of Tesla") == "revenue that Tesla");
  CHECK(mention("solid-state batteries", "solid state battery") == "solid-state batteries");
  CHECK(mention("Tesla's revenue", "revenue of Tesla") == "(no)");
  CHECK(mention("net income of the parent firm", "net income") == "net income");
  CHECK(mention("net a b c income", "net income") == "net a b c income");
  CHECK(mention("net a b c d income", "net income") == "(no)");
  CHECK(mention("It was net. Income fell.", "net income") == "(no)");
  CHECK(mention("net loss and net income", "net income") == "net income");
  CHECK(mention("net one net two net three income", "net income") == "net three income");
  CHECK(mention("annual rules, no report", "annual report") == "annual rules, no report");
  CHECK(mention("annual", "annual report") == "(no)");
  CHECK(mention("a b a b c", "a b c") == "b c");  // a is a function word
  CHECK(mention("United States of America", "the United States") == "United States");
  CHECK(mention("market share in Germany in 2024", "Germany 2024") == "Germany in 2024");
}

TEST_CASE("mentions: a word in capitals that else is a function word must stand in capitals") {
  CHECK(mention("tell us about it", "US") == "(no)");
  CHECK(mention("sold in the US", "US") == "US");
  CHECK(mention("it is so", "IT") == "(no)");
  CHECK(mention("WHO guidance", "WHO") == "WHO");
  CHECK(mention("nasa and NASA", "NASA") == "nasa");
  CHECK(mention("who is it", "who is it") == "who is it");
}

TEST_CASE("mentions: terms with signs, other scripts and blank terms") {
  CHECK(mention("written in C++ and C#", "C++") == "C++");
  CHECK(mention("written in C", "C++") == "(no)");
  CHECK(mention("written in C++ and C#", "c#") == "C#");
  CHECK(mention("it costs $5", "$") == "$");
  CHECK(mention("a \xE2\x86\x92 b", "\xE2\x86\x92") == "\xE2\x86\x92");
  CHECK(mention("\xE5\x9C\xA8\xE6\x9D\xB1\xE4\xBA\xAC\xE9\x83\xBD", "\xE6\x9D\xB1\xE4\xBA\xAC") ==
        "\xE6\x9D\xB1\xE4\xBA\xAC");
  CHECK(mention("\xE6\x9D\xB1 \xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xAC") == "\xE6\x9D\xB1 \xE4\xBA\xAC");
  CHECK(mention("\xE4\xBA\xAC\xE6\x9D\xB1", "\xE6\x9D\xB1\xE4\xBA\xAC") == "(no)");
  CHECK(
      mention("\xD0\x9C\xD0\x9E\xD0\xA1\xD0\x9A\xD0\x92\xD0\x90", "\xD0\x9C\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0") ==
      "\xD0\x9C\xD0\x9E\xD0\xA1\xD0\x9A\xD0\x92\xD0\x90");
  CHECK(mention("\xC3\x9C"
                "bung",
                "\xC3\xBC"
                "bung") ==
        "\xC3\x9C"
        "bung");
  CHECK(mention("anything", "") == "(undecided)");
  CHECK(mention("anything", "  \n") == "(undecided)");
}

TEST_CASE("mentions: endings are taken off both forms alike") {
  for (const auto& [one, many] : {std::pair<const char*, const char*>{"city", "cities"},
                                  {"day", "days"},
                                  {"tie", "ties"},
                                  {"axe", "axes"},
                                  {"size", "sizes"},
                                  {"church", "churches"},
                                  {"dish", "dishes"},
                                  {"virus", "viruses"},
                                  {"status", "statuses"},
                                  {"cookie", "cookies"},
                                  {"page", "pages"},
                                  {"source", "sources"},
                                  {"criterion", "criterions"},
                                  {"gas", "gases"},
                                  {"toe", "toes"},
                                  {"shoe", "shoes"},
                                  {"class", "classes"},
                                  {"base", "bases"},
                                  {"buzz", "buzzes"}}) {
    const std::string word = one;
    CAPTURE(word);
    CHECK(same_word(one, many));
  }
  for (const auto& [a, b] : {std::pair<const char*, const char*>{"car", "care"},
                             {"plan", "plane"},
                             {"test", "tested"},
                             {"new", "newer"},
                             {"as", "a"},
                             {"us", "u"},
                             {"is", "i"},
                             {"gas", "ga"},
                             {"his", "hi"}}) {
    const std::string word = a;
    CAPTURE(word);
    CHECK_FALSE(same_word(a, b));
  }
}
