#include "core/contract/measured.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/roles/clarify.hpp"

using namespace plumb;
using namespace plumb::contract;

namespace {

std::string measured(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  REQUIRE(value);
  return measure_history(value.value());
}

std::string cycle(std::string_view query, std::string_view answer, std::string_view sources) {
  return R"({"query":")" + std::string(query) + R"(","answer":")" + std::string(answer) + R"(","sources":)" +
         std::string(sources) + "}";
}

bool has(const std::string& text, std::string_view piece) { return text.find(piece) != std::string::npos; }

Verdict intake(const std::string& objective, const std::string& criteria, std::string_view context = {}) {
  const Contract contract = Contract::read(built_in_contract("intake")->text).value();
  CheckOptions options;
  options.context = context;
  return check_text(contract,
                    R"([{"tool":"startResearch","arguments":{"objective":")" + objective + R"(","successCriteria":)" +
                        criteria + "}}]",
                    options);
}

}  // namespace

TEST_CASE("measured: without searches there is nothing, and no last one") {
  CHECK(measured("[]") ==
        R"({"searches":0,"duplicate_queries":0,"no_change_streak":0,"facts":0,"sources":0,"domains":0,)"
        R"("last":[],"cycles":[]})");
}

TEST_CASE("measured: a new fact with a source is progress, the same again is no change, nothing found a dead end") {
  const std::string source = R"([{"title":"OFV","url":"https://www.ofv.example/2023/"}])";
  const std::string again = R"(["http://OFV.example/2023#top"])";
  const std::string all = measured("[" + cycle("How many cars in 2023?", "104,590 cars in 2023 [1].", source) + "," +
                                   cycle("how many cars in 2023", "There were 104,590 cars in 2023 [1].", again) + "," +
                                   cycle("Why?", "I could not find any information.", "[]") + "]");
  CHECK(has(all, R"("searches":3,"duplicate_queries":1,"no_change_streak":2)"));
  CHECK(has(all, R"("sources":1,"domains":1)"));
  CHECK(has(all, R"("cycles":[{"evidence_delta":"progress","novelty":"new","grounding":"cited")"));
  CHECK(has(all, R"({"evidence_delta":"no_change","novelty":"duplicate","grounding":"cited","facts_new":0)"));
  CHECK(has(all, R"("last":[{"evidence_delta":"dead_end")"));
}

TEST_CASE("measured: facts without a source and narrative with one are no progress") {
  CHECK(has(measured("[" + cycle("q", "104,590 cars in 2023.", "[]") + "]"), R"("evidence_delta":"no_change")"));
  CHECK(has(measured("[" + cycle("q", "Many factors play a role.", R"(["https://a.example"])") + "]"),
            R"("evidence_delta":"no_change")"));
  CHECK(is_generic_narrative("Many factors play a role in this."));
  CHECK_FALSE(is_generic_narrative("It sold 104,590 cars."));
  CHECK_FALSE(is_generic_narrative("It was founded by David Schneider and led by Robert Gentz."));
  CHECK_FALSE(is_generic_narrative(""));
}

TEST_CASE("measured: the last 1,000 of more searches are measured, and all are counted") {
  std::string many = "[";
  for (int i = 0; i < 2500; ++i) {
    many += (i == 0 ? "" : ",") + cycle("q" + std::to_string(i), "", "[]");
  }
  const std::string all = measured(many + "]");
  CHECK(has(all, R"("searches":2500,)"));
  CHECK(has(all, R"("no_change_streak":1000,)"));
}

TEST_CASE("measured: a context has it where the contract reads it, unless it brings its own") {
  const Contract contract =
      Contract::read(R"({"$id":"plumb:a","pointers":{"context:/measured/searches":{"maximum":1}}})").value();
  CheckOptions options;
  options.context = R"( {"history":[{}, {}]} )";
  const Verdict verdict = check_text(contract, "{}", options);
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].message == "context:/measured/searches: Must be at most 1 (is 2)");
  CHECK_FALSE(verdict.findings[0].partial);
  CHECK(verdict.findings[0].span.to == 2);
  options.context = R"({"history":[{}, {}],"measured":{"searches":1}})";
  CHECK(check_text(contract, "{}", options).valid);
  options.context = R"({"history":{}})";
  CHECK(check_text(contract, "{}", options).decision == Decision::undecided);
}

TEST_CASE("clarify: asks about the first thing that is wrong, as a call that keeps Intake's own contract") {
  const Contract contract = Contract::read(built_in_contract("intake")->text).value();
  const auto asks = [&](const Verdict& verdict) {
    const std::optional<roles::Clarification> asked = roles::clarify(verdict);
    REQUIRE(asked);
    CHECK(check_text(contract, "[" + roles::clarification_json(*asked) + "]").valid);
    return asked->message;
  };
  CHECK(asks(intake("Learn about electric cars.", R"(["A date is given."])")) ==
        "What about electric cars do you need to know: a number, a date, a name or a comparison?");
  CHECK(asks(intake("Electric cars", R"(["Good"])")) ==
        "What about Electric cars do you need to know: a number, a date, a name or a comparison?");
  CHECK(asks(intake("", R"(["A date is given."])")) == "What do you want to find out?");
  CHECK(asks(intake("How tall is Mont Blanc?", "[]")) == "What must a good answer state, so that it can be checked?");
  CHECK(asks(intake("How tall is Mont Blanc?", R"(["Good quality"])")) ==
        "How will you see that \"Good quality\" is met: by which number, date, source or name?");
  CHECK(asks(intake("How tall is Mont Blanc?", R"(["A number is given."])", R"({"constraints":["in feet"]})")) ==
        "Is the answer to be limited to in feet?");
  CHECK_FALSE(roles::clarify(intake("How tall is Mont Blanc?", R"(["A number is given."])")));
}

TEST_CASE("clarify: two sentences become a choice") {
  const std::optional<roles::Clarification> asked =
      roles::clarify(intake("Find the price. Then compare it.", R"(["A price is given."])"));
  REQUIRE(asked);
  CHECK(asked->options == std::vector<std::string>{"Find the price.", "Then compare it."});
  CHECK(roles::clarification_json(*asked) ==
        R"({"tool":"multiChoiceSelect","arguments":{"message":"Which of these is the one thing to find out?",)"
        R"("options":[{"label":"Find the price."},{"label":"Then compare it."}],)"
        R"("reason":"Objective is single-sentence and concrete"}})");
}
