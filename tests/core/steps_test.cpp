// The budget of steps: what a stranger's contract and text may cost, counted the same on every machine.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/text/pattern.hpp"
#include "core/text/steps.hpp"

using namespace plumb;
using contract::CheckOptions;
using contract::Contract;
using contract::Decision;
using contract::Verdict;
using text::Steps;

namespace {

Contract read(std::string_view schema) {
  Result<Contract> contract = Contract::read(schema);
  REQUIRE(contract);
  return std::move(contract).value();
}

Verdict judge(const Contract& contract, std::string_view text, Steps* steps, std::size_t piece = 0) {
  CheckOptions options;
  options.steps = steps;
  contract::Check check(contract, options);
  if (piece == 0)
    return check.whole(text);
  std::vector<contract::Finding> certain;
  for (std::size_t at = 0; at < text.size(); at += piece)
    check.push(text.substr(at, piece), certain);
  return check.end();
}

std::string repeated(std::string_view unit, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += unit;
  return out;
}

// Letters a and b in no order, so that a pattern that counts behind an `a` has a new state at each.
std::string noise(std::size_t size) {
  std::string out;
  std::uint32_t number = 1;
  for (std::size_t i = 0; i < size; ++i) {
    number = number * 1664525U + 1013904223U;
    out += (number >> 24U & 1U) != 0 ? 'a' : 'b';
  }
  return out;
}

std::string list_of(std::size_t count, std::string_view before, std::string_view after) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i)
    out += (i == 0 ? "" : ",") + std::string(before) + std::to_string(i) + std::string(after);
  return out + "]";
}

std::string hostile_patterns(std::size_t count, std::size_t states) {
  std::string out = R"({"allOf":[)";
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") + std::string(R"({"pattern":"[ab]*a[ab]{)") + std::to_string(states) + "}" +
           std::to_string(i) + "\"}";
  }
  return out + "]}";
}

bool gave_up(const Verdict& verdict) {
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.rule == "limit" && finding.message.find("given up") != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("steps: a budget that is used up is undecided with a limit finding, never valid and never broken") {
  const Contract contract = read(hostile_patterns(3, 500));
  const std::string text = "\"" + noise(8'000) + "\"";
  for (const std::size_t piece : {0U, 7U, 1'000U}) {
    Steps steps(1'000'000);
    const Verdict verdict = judge(contract, text, &steps, piece);
    CHECK(verdict.decision == Decision::undecided);
    CHECK_FALSE(verdict.valid);
    CHECK(gave_up(verdict));
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].message == "Judging was given up: it takes more than 1000000 steps");
    CHECK(steps.spent());
    CHECK(steps.used() < 1'010'000);
  }
}

TEST_CASE("steps: the same work takes the same steps on every machine") {
  const auto used = [](std::string_view schema, const std::string& text) {
    Steps reading(0);
    contract::ReadOptions options;
    options.steps = &reading;
    const Result<Contract> contract = Contract::read(schema, options);
    REQUIRE(contract);
    Steps judging(0);
    judge(contract.value(), text, &judging);
    return std::to_string(reading.used()) + " " + std::to_string(judging.used());
  };
  CHECK(used(hostile_patterns(3, 500), "\"" + noise(2'000) + "\"") == "34815 2674614");
  CHECK(used(R"({"uniqueItems":true})", list_of(1'000, "", ".5")) == "120 14362");
  CHECK(used(R"({"properties":{"b":{"items":{"memberOf":{"in":"2/a/*"}}}}})",
             R"({"a":)" + list_of(300, "\"x", "\"") + R"(,"b":)" + list_of(300, "\"x", "\"") + "}") == "361 368688");
  CHECK(used(R"({"items":{"anyOf":[{"type":"string"},{"minimum":5},{"enum":[1,2]}]}})", list_of(300, "", "")) ==
        "571 102172");
}

TEST_CASE("steps: each way of using them up stops soon") {
  struct Attack {
    std::string schema;
    std::string text;
  };
  const std::string numbers = list_of(50'000, "", ".25");
  const std::string words = list_of(5'000, "\"word", "\"");
  std::string branches;
  for (std::size_t i = 0; i < 500; ++i)
    branches += (i == 0 ? "" : ",") + std::string(R"({"maximum":)") + std::to_string(100'000 + i) + "}";
  const std::vector<Attack> attacks = {
      {R"({"items":)" + hostile_patterns(20, 300) + "}", "[\"" + noise(9'000) + "\"]"},
      {R"({"items":{"uniqueItems":true},"uniqueItems":true})", "[" + numbers + "," + numbers + "]"},
      {R"({"items":{"anyOf":[)" + branches + "]}}", numbers},
      {R"({"properties":{"b":{"items":{"memberOf":{"in":"2/a/*","fold":["trim","lowercase"]}}}}})",
       R"({"a":)" + words + R"(,"b":)" + words + "}"},
      {R"({"items":{"propertyNames":{"pattern":"^[ab]*a[ab]{200}$"}}})", "[{\"" + noise(9'000) + "\":1}]"},
  };
  constexpr std::uint64_t budget = 200'000;
  for (const Attack& attack : attacks) {
    CAPTURE(attack.schema.substr(0, 80));
    const Contract contract = read(attack.schema);
    for (const std::size_t piece : {0U, 4'096U}) {
      Steps steps(budget);
      const Verdict verdict = judge(contract, attack.text, &steps, piece);
      CHECK(verdict.decision == Decision::undecided);
      CHECK(gave_up(verdict));
      CHECK(steps.used() < budget + 150'000);
    }
  }
}

TEST_CASE("steps: what is said with a budget is true, however small it is") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"type":"object","additionalProperties":false,"patternProperties":{"^[ab]*a[ab]{20}$":{"type":"number"}}})",
       "{\"" + repeated("ab", 30) + "\":1,\"a\":2}"},
      {R"({"items":{"oneOf":[{"pattern":"^[ab]*a[ab]{15}$"},{"type":"number"}]},"uniqueItems":true})",
       "[\"" + repeated("ab", 20) + "\",1,2,\"" + repeated("b", 30) + "\",2]"},
      {R"({"not":{"items":{"pattern":"[ab]*a[ab]{15}c"}},"contains":{"const":7},"unevaluatedItems":{"type":"number"}})",
       "[\"" + repeated("ab", 20) + "\",7,8]"},
      {R"({"properties":{"a":{"items":{"type":"string"}},"b":{"memberOf":{"in":"1/a/*"}}},"required":["b","c"]})",
       R"({"a":["x","y"],"b":"y"})"},
  };
  for (const auto& one : cases) {
    const auto& schema = one.first;
    const auto& text = one.second;
    CAPTURE(schema);
    const Contract contract = read(schema);
    const Verdict whole = judge(contract, text, nullptr);
    std::size_t undecided = 0;
    for (std::uint64_t budget = 1; budget < 3'000; budget += 7) {
      Steps steps(budget);
      const Verdict verdict = judge(contract, text, &steps, budget % 3 == 0 ? 5 : 0);
      if (!steps.spent()) {
        CHECK(verdict.decision == whole.decision);
        CHECK(verdict.findings.size() == whole.findings.size());
        continue;
      }
      ++undecided;
      CHECK_FALSE(verdict.valid);
      CHECK(gave_up(verdict));
      for (const contract::Finding& finding : verdict.findings) {
        bool known = finding.rule == "limit";
        for (const contract::Finding& other : whole.findings)
          known = known || (other.rule == finding.rule && other.at == finding.at);
        CAPTURE(finding.rule);
        CHECK(known);
      }
    }
    CHECK(undecided > 0);
  }
}

TEST_CASE("steps: a contract that takes more work than is allowed to read is refused as a limit") {
  const auto refused = [](std::string_view schema, std::uint64_t budget) {
    Steps steps(budget);
    contract::ReadOptions options;
    options.steps = &steps;
    const Result<Contract> contract = Contract::read(schema, options);
    return !contract && contract.error().code == ErrorCode::limit && steps.used() < budget + 600'000;
  };
  CHECK(refused(hostile_patterns(100, 9'000), 1'000'000));
  CHECK(refused(R"({"allOf":)" + list_of(20'000, R"({"minimum":)", "}") + "}", 1'000'000));
  std::string strange = "{";
  for (std::size_t i = 0; i < 5'000; ++i)
    strange += (i == 0 ? "\"" : ",\"") + std::string("propertis") + std::to_string(i) + "\":1";
  CHECK(refused(strange + "}", 1'000'000));
  CHECK(refused(hostile_patterns(1, 9'000), 10'000));
  CHECK_FALSE(refused(hostile_patterns(1, 30), 10'000'000));
}

TEST_CASE("steps: work that nobody waits for ends") {
  const Contract contract = read(hostile_patterns(3, 500));
  unsigned asked = 0;
  Steps steps(0, [&] { return ++asked < 3; });
  const Verdict verdict = judge(contract, "\"" + noise(8'000) + "\"", &steps);
  CHECK(asked == 3);
  CHECK(verdict.decision == Decision::undecided);
  CHECK(verdict.findings[0].message == "Judging was given up: nobody waits for it any more");
  CHECK(steps.used() < 400'000);
}

TEST_CASE("steps: a matcher without a budget is as it was, and one that gave up is no match") {
  const Result<text::Pattern> pattern = text::Pattern::compile("[ab]*a[ab]{401}c");
  REQUIRE(pattern);
  text::Matcher matcher(pattern.value());
  const std::string text = repeated("ab", 600) + "c";
  CHECK(matcher.search(text));
  Steps steps(1'000);
  matcher.meter(&steps);
  std::size_t after = 0;
  matcher.start();
  CHECK(matcher.feed(text, after) == text::Status::undecided);
  CHECK(steps.spent());
  matcher.meter(nullptr);
  CHECK(matcher.search(text));
}
