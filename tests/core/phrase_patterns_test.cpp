#include "core/text/phrase_patterns.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/text/facts.hpp"

using namespace plumb::text;

namespace {

std::string found(std::string_view text, PhraseList list) {
  std::string out;
  for (const PhraseHit& hit : find_patterns(Words(text), list)) {
    out += (out.empty() ? "" : "|") + std::string(piece(text, hit.where));
  }
  return out;
}

}  // namespace

TEST_CASE("patterns: choices, words that may be missing, beginnings and gaps") {
  CHECK(found("tell us more", PhraseList::vague) == "tell us more");
  CHECK(found("Learn out more", PhraseList::vague) == "Learn out more");
  CHECK(found("Erkundet das Thema", PhraseList::exploratory) == "Erkundet");
  CHECK(found("understand the market better", PhraseList::exploratory) == "understand the market better");
  CHECK(found("plus d'informations", PhraseList::vague) == "plus d'informations");
  CHECK(found("more, information", PhraseList::vague).empty());
  CHECK(found("see what is there", PhraseList::exploratory) == "see what is");
  CHECK(found("look at various aspects", PhraseList::exploratory) == "look at various aspects");
  CHECK(found("How long is the Tegernsee See at its widest?", PhraseList::exploratory).empty());
}

TEST_CASE("patterns: some count only where a sentence begins") {
  CHECK(found("Learn about wine.", PhraseList::exploratory) == "Learn about");
  CHECK(found("Which course lets one learn about wine?", PhraseList::exploratory).empty());
  CHECK(found("Yes. Explorer le vin", PhraseList::exploratory) == "Explorer");
  CHECK(found("Which version of Internet Explorer came last?", PhraseList::exploratory).empty());
}

TEST_CASE("patterns: scripts without spaces have pieces of their own") {
  CHECK(found("了解更多关于人工智能的信息", PhraseList::vague) == "更多关于|了解更多");
  CHECK(found("AIについてもっと知りたい。", PhraseList::vague).find("もっと知りたい") != std::string::npos);
  CHECK(found("2021年中国出口了多少吨稀土", PhraseList::vague).empty());
}

TEST_CASE("patterns: a phrase between quotation marks is spoken of, not said") {
  CHECK(find_phrases("Define \"deep dive\" in the manual", PhraseList::exploratory).empty());
  CHECK(find_phrases("Define “deep dive” in the manual", PhraseList::exploratory).empty());
  CHECK(find_phrases("Take a deep dive into \"wine\"", PhraseList::exploratory).size() == 1);
}

TEST_CASE("patterns: opinions and praise are found, and what they resemble is not") {
  CHECK_FALSE(found("Should we enter the market?", PhraseList::opinion).empty());
  CHECK_FALSE(found("Is it better to rent?", PhraseList::opinion).empty());
  CHECK(found("Which brand is best known in Austria?", PhraseList::opinion).empty());
  CHECK_FALSE(found("High-quality information", PhraseList::vibe).empty());
  CHECK(found("Two independent sources agree on the number.", PhraseList::vibe).empty());
}

TEST_CASE("patterns: words for evidence are facts only where they are asked for by name") {
  const FactKinds evidence = fact_bit(FactKind::evidence);
  CHECK(facts("The price with its source.", evidence).size() == 2);
  CHECK(facts("The price with its source.").empty());
  CHECK(has_facts("Something of use", evidence, 1) == Judgement::undecided);
  CHECK(has_facts("Mindestens zwei Quellen", evidence, 1) == Judgement::holds);
  CHECK(fact_kind_named("evidence") == FactKind::evidence);
}

TEST_CASE("patterns: a megabyte of text is read in one pass, with at most a thousand hits") {
  std::string text;
  while (text.size() < 1'000'000) {
    text += "learn more about it and so on ";
  }
  CHECK(find_phrases(text, PhraseList::vague).size() == 1000);
  CHECK(judge_phrases(std::string(1'000'000, 'x'), PhraseList::vague) == Judgement::holds);
}
