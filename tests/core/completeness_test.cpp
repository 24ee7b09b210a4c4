#include "core/text/completeness.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/text/phrases.hpp"

using namespace plumb::text;

namespace {

Judgement topic(std::string_view text) { return judge_bare_topic(text).outcome; }
Judgement unanchored(std::string_view text) { return judge_unanchored(Words(text)).outcome; }

}  // namespace

TEST_CASE("completeness: a subject of which nothing is asked is a bare topic") {
  for (const char* text : {"Electric cars", "Tesla", "the housing crisis", "The history of Rome", "Python vs Java",
                           "Wärmepumpen", "人工智能", "電気自動車", "🐙", "  coffee  ", "искусственный интеллект"}) {
    CAPTURE(text);
    CHECK(topic(text) == Judgement::broken);
  }
}

TEST_CASE("completeness: what asks, counts or says something is no bare topic") {
  for (const char* text : {"", "  ", "How tall?", "Oslo 2023", "List the tram lines of Oslo",
                           "How many people live in Graz", "Verify the claim that Iceland has no mosquitoes.",
                           "2021年中国出口了多少吨稀土", "東京の人口は?", "人口は?", "كم؟"}) {
    CAPTURE(text);
    CHECK(topic(text) == Judgement::holds);
  }
  CHECK(topic("Compare tea prices") == Judgement::undecided);
}

TEST_CASE("completeness: a pronoun before which nothing was named leaves the reader guessing") {
  for (const char* text : {"What is its market share?", "How many did it sell in 2023?", "Why did they leave?",
                           "Does the company pay dividends?", "Why was this decision made?",
                           "What does the aforementioned report say about costs?", "What does that mean for us?"}) {
    CAPTURE(text);
    CHECK(unanchored(text) == Judgement::broken);
  }
  for (const char* text :
       {"When did Uber stop its service in Denmark?", "How long does it take to fly to Oslo?",
        "What share of Dutch households use gas for their heating?", "", "What is IT worth?",
        "Who is the author of the editor?", "How long may a landlord keep the deposit after a tenant has left?"}) {
    CAPTURE(text);
    CHECK(unanchored(text) == Judgement::holds);
  }
  CHECK(unanchored("What revenue did it report?") == Judgement::undecided);
}

TEST_CASE("completeness: a list of the whole text says so through judge_phrases") {
  std::vector<PhraseHit> hits;
  CHECK(judge_phrases("  Electric cars ", PhraseList::bare_topic, &hits) == Judgement::broken);
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].where == TextSpan{2, 15});
  CHECK(hits[0].phrase == "bare-topic");
  CHECK(judge_phrases("What is its price?", PhraseList::unanchored, &hits) == Judgement::broken);
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].where == TextSpan{8, 11});
}
