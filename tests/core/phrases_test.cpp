#include "core/text/phrases.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace plumb::text;

namespace {

std::string found(std::string_view text, PhraseList list) {
  std::string out;
  for (const PhraseHit& hit : find_phrases(text, list)) {
    out += out.empty() ? "" : "; ";
    out += std::string(hit.phrase) + "@" + std::string(piece(text, hit.where));
  }
  return out;
}

}  // namespace

TEST_CASE("phrases: the lists have names, and a name that is none finds nothing") {
  for (const std::string_view name : {"vague", "exploratory", "search-operators", "keyword-soup"}) {
    const std::optional<PhraseList> list = phrase_list_named(name);
    REQUIRE(list);
    CHECK(phrase_list_name(*list) == name);
  }
  CHECK_FALSE(phrase_list_named("Vague"));
  CHECK_FALSE(phrase_list_named("search_operators"));
  CHECK(find_phrases("learn more about it", "nothing").empty());
  CHECK(find_phrases("learn more about it", "vague").size() == 1);
}

TEST_CASE("phrases: whole words in any case, over white space and hyphens, not over punctuation") {
  CHECK(found("Learn More about Tesla", PhraseList::vague) == "learn more@Learn More");
  CHECK(found("More about Tesla", PhraseList::vague) == "more about@More about");
  CHECK(found("tell   me\nabout it", PhraseList::vague) == "tell me about@tell   me\nabout");
  CHECK(found("learn, about", PhraseList::vague).empty());
  CHECK(found("relearn about", PhraseList::vague).empty());
  CHECK(found("learn aboutness", PhraseList::vague).empty());
  CHECK(found("EXPLORE the market", PhraseList::exploratory) == "explore@EXPLORE");
  CHECK(found("a deep-dive into X", PhraseList::exploratory) == "deep dive@deep-dive");
  CHECK(found("What\xE2\x80\x99s out there?", PhraseList::exploratory) ==
        "what's out there@What\xE2\x80\x99s out there");
  CHECK(found("pens, ink, etc.", PhraseList::vague) == "etc@etc");
  CHECK(found("get a sense of it, and so on", PhraseList::exploratory) == "get a sense of@get a sense of");
  CHECK(found("\xC3\xA9"
              "explore",
              PhraseList::exploratory)
            .empty());
}

TEST_CASE("phrases: every phrase is found in itself, and its list is clean") {
  for (const PhraseList list : {PhraseList::vague, PhraseList::exploratory}) {
    for (const std::string_view phrase : phrases_of(list)) {
      CAPTURE(std::string(phrase));
      const std::string text = "we " + std::string(phrase) + " X";
      const std::vector<PhraseHit> hits = find_phrases(text, list);
      REQUIRE(hits.size() >= 1);
      CHECK(piece(text, hits[0].where).size() >= phrase.size());
    }
  }
}

TEST_CASE("phrases: concrete questions and criteria hold no vague and no exploratory phrase") {
  for (const std::string_view text :
       {"What was Tesla's revenue in fiscal year 2023?",
        "Find the number of Level 2 chargers in Norway as of June 2024.",
        "How many GPUs did Nvidia ship to Microsoft in 2023?", "Names at least three suppliers with their prices.",
        "Which Chinese mills produce high-quality steel?", "What kind of battery does the BYD Seal use?",
        "What was NASA's budget for the exploration of Mars in FY2023?",
        "When was Ozempic's introduction to the EU market?", "Which version of Internet Explorer came last?",
        "Who leads the Internet of Things working group at IETF?", "How much more did AWS earn than Azure in Q2 2024?",
        "State the exploratory drilling permits issued in 2022.",
        "Determine the median rent for a two-bedroom flat in Berlin in 2024."}) {
    CAPTURE(std::string(text));
    CHECK(found(text, PhraseList::vague).empty());
    CHECK(found(text, PhraseList::exploratory).empty());
  }
}

TEST_CASE("phrases: the texts that the research contracts reject are found") {
  CHECK_FALSE(found("Learn about the EV market", PhraseList::vague).empty());
  CHECK_FALSE(found("more about solid-state batteries", PhraseList::vague).empty());
  CHECK_FALSE(found("Explore the landscape of AI startups", PhraseList::exploratory).empty());
  CHECK_FALSE(found("learn about batteries", PhraseList::exploratory).empty());
  CHECK_FALSE(found("An overview of the market", PhraseList::exploratory).empty());
  CHECK_FALSE(found("Gain insights into consumer behaviour", PhraseList::exploratory).empty());
}

TEST_CASE("search operators: told from prose by their form") {
  CHECK(found("tesla AND revenue", PhraseList::search_operators) == "AND@AND");
  CHECK(found("tesla OR byd", PhraseList::search_operators) == "OR@OR");
  CHECK(found("tesla AND NOT solar", PhraseList::search_operators) == "AND@AND; NOT@NOT");
  CHECK(found("revenue site:sec.gov", PhraseList::search_operators) == "site:@site:");
  CHECK(found("report filetype:pdf", PhraseList::search_operators) == "filetype:@filetype:");
  CHECK(found("jaguar -car speed", PhraseList::search_operators) == "-word@-");
  CHECK(found("jaguar +cat", PhraseList::search_operators) == "+word@+");
  CHECK(found("Which jaguar is the fastest -car?", PhraseList::search_operators) == "-word@-");
  CHECK(found("What is the difference between -O1 and -O2 in clang?", PhraseList::search_operators).empty());
  CHECK(found("tesla | byd", PhraseList::search_operators) == "|@|");
  CHECK(found("price of * in 2023", PhraseList::search_operators) == "*@*");
  CHECK(found("laptop 500..800 dollars", PhraseList::search_operators) == "..@..");
  CHECK(found("a AROUND(3) b", PhraseList::search_operators) == "AROUND(@AROUND(");
  CHECK(found("intitle:\"annual report\" x", PhraseList::search_operators) == "intitle:@intitle:");
  CHECK(found("events before:2020 after:2010", PhraseList::search_operators) == "before:@before:; after:@after:");
  for (const std::string_view text :
       {"What do Tesla and BYD sell?", "You must NOT do this", "TESLA AND BYD SALES IN 2023", "The site: a former mill",
        "- item one\n- item two", "-5 degrees and -3", "The Portland, OR office", "See https://example.com/site:a",
        "state-of-the-art e-mail", "the 2010-2020 decade", "before: nothing", "AND so it goes", "a || b",
        "wait... what", "* bullet\n* bullet", "C++ and C#", "This AND"}) {
    CAPTURE(std::string(text));
    CHECK(found(text, PhraseList::search_operators).empty());
  }
}

TEST_CASE("keyword soup: keywords in a row are no question") {
  for (const std::string_view text :
       {"best electric car range 2024 cheap review", "tesla revenue 2023 annual report pdf",
        "iphone battery life comparison samsung galaxy", "AI startups funding Europe Series A 2024",
        "solid state battery energy density manufacturers list Toyota",
        "tesla sales tesla revenue tesla deliveries 2023 tesla china",
        "gpu price gpu benchmark gpu in 2024 gpu review"}) {
    CAPTURE(std::string(text));
    CHECK(judge_keyword_soup(text) == Judgement::broken);
    CHECK(found(text, PhraseList::keyword_soup) == "keyword soup@" + std::string(text));
  }
}

TEST_CASE("keyword soup: sentences and questions in several languages are none") {
  for (const std::string_view text :
       {"What was Tesla's revenue in 2023?", "How many people live in Oslo?",
        "Find the price of a Tesla Model 3 in Norway.", "Welche Batterie hat der VW ID.3?",
        "Wie hoch war der Umsatz von Siemens 2023", "Quel est le prix du p\xC3\xA9trole",
        "Cu\xC3\xA1l es la capital de Francia", "Qual \xC3\xA8 il prezzo del gas",
        "Qual foi o lucro da Petrobras em 2022", "Wat is de prijs van een fiets", "", "   "}) {
    CAPTURE(std::string(text));
    CHECK(judge_keyword_soup(text) == Judgement::holds);
  }
}

TEST_CASE("keyword soup: where it cannot be told it is undecided, and nothing is found") {
  for (const std::string_view text : {"NVIDIA revenue 2023", "Tesla Berlin output", "GPU", "price oil",
                                      "Mik\xC3\xA4 oli Nokian liikevaihto vuonna kaksi",
                                      "\xE7\x89\xB9\xE6\x96\xAF\xE6\x8B\x89 2023 \xE5\xB9\xB4\xE8\x90\xA5\xE6\x94\xB6",
                                      "Tesla revenue 2023 Nvidia profit 2022?", "Birds eat seeds. Cats eat birds."}) {
    CAPTURE(std::string(text));
    CHECK(judge_keyword_soup(text) == Judgement::undecided);
    CHECK(found(text, PhraseList::keyword_soup).empty());
  }
}

TEST_CASE("phrases: hits are bounded") {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += "learn about a AND b ";
  }
  CHECK(find_phrases(text, PhraseList::vague).size() == 1000);
  CHECK(find_phrases(text, PhraseList::search_operators).size() == 1000);
}
