#include "core/text/unknowns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace plumb::text;

namespace {

void check(Judgement expected, std::initializer_list<std::string_view> questions) {
  for (const std::string_view question : questions) {
    CAPTURE(std::string(question));
    std::string evidence;
    for (const UnknownsEvidence& one : single_unknown(question).evidence) {
      evidence += std::string(one.what) + "@" + std::string(piece(question, one.where)) + "; ";
    }
    CAPTURE(evidence);
    CHECK(single_unknown(question).outcome == expected);
  }
}

}  // namespace

TEST_CASE("single unknown: plainly several unknowns are broken") {
  check(Judgement::broken, {"What is the price? When was it released?",
                            "Who founded Tesla? Where is its head office?",
                            "How and why did Figma fail?",
                            "When and where was the treaty signed?",
                            "Who, when and where?",
                            "What is the market size and how fast does it grow?",
                            "What is the price of the Model 3, and what is its range?",
                            "What did Apple announce and why did the stock fall?",
                            "What is the revenue of Tesla and also of BYD?",
                            "Which firm leads, and also which firm is second?",
                            "What is X? In addition, what is Y?",
                            "What is the price of the BYD Seal and is it sold in Norway?",
                            "What is the range and does it support V2G, and how?",
                            "What are the price, weight and range of the BYD Seal?",
                            "What is the population, area, and GDP of France?",
                            "Does it support V2G, and if so, since when?",
                            "(1) What is the price? (2) What is the range?",
                            "1. Who founded it?\n2. When was it founded?",
                            "What is the CAC as well as what is the churn?",
                            "What is the price plus what is the tax?",
                            "\xE8\xB0\x81\xEF\xBC\x9F\xE4\xBB\x80\xE4\xB9\x88\xE6\x97\xB6\xE5\x80\x99\xEF\xBC\x9F",
                            "Is it safe? Is it cheap?",
                            "How many units were sold and how much did they cost?"});
}

TEST_CASE("single unknown: one question holds") {
  check(Judgement::holds,
        {"What was Tesla's revenue in 2023?", "Which country do you mean?",
         "What is the trade volume between China and India?", "Do you mean the US or the EU?",
         "Which format do you want: a table or a list?", "When did the FDA approve Ozempic?",
         "How many Level 2 chargers did Norway have in June 2024?", "Who is the CEO of Johnson & Johnson",
         "What is the median rent of a flat in Berlin?", "What did Procter and Gamble earn in 2023?",
         "Which firm that makes batteries is the largest?", "What is the population of Trinidad and Tobago?",
         "Who led both Apple and Pixar?", "What is the melting point of the alloy when it is pure?",
         "Is it safe to use?", "What is the budget for 2024 or 2025?", "Find the year in which Figma was founded.",
         "Which of these did you mean, A or B?"});
}

TEST_CASE("single unknown: where it cannot be told it is undecided") {
  check(Judgement::undecided,
        {"", "   ", "What are the pros and cons of heat pumps?", "What is the price as well as the range?",
         "Is it also sold in Norway?", "What are the terms and conditions?", "Which region? For example the US?",
         "Who founded the company that makes chips and which is based in Taiwan?", "Wie hoch war der Umsatz",
         "What happens when A fails and when B fails?", "price range Tesla", "What is the price and/or the range?",
         "What was built and is used today?", "Tell me the height and weight."});
}

TEST_CASE("single unknown: the evidence says where and what") {
  const std::string_view question = "What is X and also Y?";
  const UnknownsResult result = single_unknown(question);
  REQUIRE(result.evidence.size() == 1);
  CHECK(piece(question, result.evidence[0].where) == "and also");
  CHECK(result.evidence[0].what == "and also");
  CHECK(result.evidence[0].plain);
  CHECK(single_unknown("What was it?").evidence.empty());
}

TEST_CASE("single unknown: evidence is bounded") {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "What is it? ";
  }
  CHECK(single_unknown(text).evidence.size() == 100);
  CHECK(single_unknown(text).outcome == Judgement::broken);
}
