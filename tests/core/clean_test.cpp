// The verdict on a clean text, which need not be written each time.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "core/repair/check.hpp"

namespace {

using namespace plumb::contract;

// Rules that are left to a judge, and one that a check decides where `decided` takes its place.
std::string schema(std::string_view rules) {
  return R"({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"])" + std::string(rules) + "}";
}
constexpr std::string_view asks =
    R"(, "rules": [{"id": "a", "title": "A", "ask": "Is it so?"}, {"id": "b", "title": "B", "ask": "Is it?"}])";
constexpr std::string_view decides =
    R"(, "rules": [{"id": "a", "title": "A", "check": {"properties": {"n": {"maximum": 5}}}, "severity": "warning"}])";

Contract contract_of(std::string_view rules) {
  auto read = Contract::read(schema(rules));
  REQUIRE(read);
  return std::move(read).value();
}

// Whether it is clean; the two steps and the one give the same in any case.
bool clean(const Contract& contract, std::string_view text) {
  Check one(contract);
  const std::string whole = verdict_json(one.whole(text));
  Check two(contract);
  two.read_whole(text);
  const bool said = two.clean();
  CHECK(verdict_json(two.verdict()) == whole);
  two.reset();
  std::vector<Finding> certain;
  for (const char& c : text) {
    two.push({&c, 1}, certain);
  }
  two.finish(certain);
  CHECK(two.clean() == said);
  CHECK(verdict_json(two.verdict()) == whole);
  return said;
}

}  // namespace

TEST_CASE("clean: a text without a finding is, also where rules are left to a judge") {
  CHECK(clean(contract_of(""), R"({"n": 1})"));
  CHECK(clean(contract_of(asks), R"({"n": 1})"));
}

TEST_CASE("clean: a finding, a broken text, a limit and a signal are not") {
  const Contract contract = contract_of(asks);
  CHECK_FALSE(clean(contract, R"({"n": "x"})"));
  CHECK_FALSE(clean(contract, R"({})"));
  CHECK_FALSE(clean(contract, R"({"n": 1)"));
  CHECK_FALSE(clean(contract, R"({"n": 1} x)"));
  CHECK_FALSE(clean(contract, ""));
  CHECK_FALSE(clean(contract, R"({"n": 1, "m": )" + std::string(1100, '[') + std::string(1100, ']') + "}"));
  CHECK_FALSE(clean(contract, R"({"n": 1, "m": ")" + std::string(9000, '7') + R"("})"));
}

TEST_CASE("clean: a rule that a check decides has a line of its own for each text") {
  const Contract contract = contract_of(decides);
  CHECK_FALSE(clean(contract, R"({"n": 1})"));
  CHECK_FALSE(clean(contract, R"({"n": 6})"));
}

TEST_CASE("clean: the verdict is left out for clean texts alone") {
  const Contract contract = contract_of(asks);
  plumb::repair::Check check(contract, {}, {});
  const std::string known = verdict_json(check.whole(R"({"n": 1})"));
  CHECK(check.clean());
  check.reset();
  CHECK_FALSE(check.whole_unless_clean(R"({"n": 2})").has_value());
  check.reset();
  const auto broken = check.whole_unless_clean(R"({"n": "x"})");
  REQUIRE(broken.has_value());
  CHECK_FALSE(broken->valid);
  CHECK(broken->undecided.size() == 2);
  check.reset();
  std::vector<Finding> certain;
  check.push(R"({"n": 3})", certain);
  CHECK_FALSE(check.end_unless_clean(certain).has_value());
  check.reset();
  CHECK(verdict_json(check.whole(R"({"n": 4})")) == known);
}

TEST_CASE("clean: where edits are made every text has its verdict") {
  const Contract contract = contract_of(asks);
  plumb::repair::EditOptions edits;
  edits.level = EditLevel::certain;
  plumb::repair::Check check(contract, {}, edits);
  REQUIRE(check.whole_unless_clean(R"({"n": 1})").has_value());
  CHECK_FALSE(check.clean());
  check.reset();
  const auto mended = check.whole_unless_clean("```json\n{\"n\": 1}\n```");
  REQUIRE(mended.has_value());
  CHECK(mended->valid);
  CHECK_FALSE(mended->edits.empty());
}
