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

// Whether it is clean: then its verdict is left out for who knows it. All ways give the same in any case.
bool clean(const Contract& contract, std::string_view text) {
  Check one(contract);
  const Verdict whole = one.whole(text);
  Check two(contract);
  for (const Verdict& known : {Verdict(), whole}) {
    const bool left_out = known.clean && whole.clean;
    const auto in_one = two.whole_unless(known, text);
    CHECK(in_one.has_value() != left_out);
    two.reset();
    std::vector<Finding> certain;
    for (const char& c : text) {
      two.push({&c, 1}, certain);
    }
    const auto in_pieces = two.end_unless(known, certain);
    CHECK(in_pieces.has_value() != left_out);
    two.reset();
    if (!left_out) {
      CHECK(verdict_json(*in_one) == verdict_json(whole));
      CHECK(verdict_json(*in_pieces) == verdict_json(whole));
    }
  }
  return whole.clean;
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
  const Verdict known = check.whole(R"({"n": 1})");
  CHECK(known.clean);
  check.reset();
  CHECK_FALSE(check.whole_unless(known, R"({"n": 2})").has_value());
  check.reset();
  const auto broken = check.whole_unless(known, R"({"n": "x"})");
  REQUIRE(broken.has_value());
  CHECK_FALSE(broken->valid);
  CHECK(broken->undecided.size() == 2);
  check.reset();
  std::vector<Finding> certain;
  check.push(R"({"n": 3})", certain);
  CHECK_FALSE(check.end_unless(known, certain).has_value());
  check.reset();
  CHECK(verdict_json(check.whole(R"({"n": 4})")) == verdict_json(known));
}

TEST_CASE("clean: where edits are made every text has its verdict") {
  const Contract contract = contract_of(asks);
  plumb::repair::EditOptions edits;
  edits.level = EditLevel::certain;
  plumb::repair::Check check(contract, {}, edits);
  const Verdict known = check.whole(R"({"n": 1})");
  check.reset();
  REQUIRE(check.whole_unless(known, R"({"n": 1})").has_value());
  check.reset();
  const auto mended = check.whole_unless(known, "```json\n{\"n\": 1}\n```");
  REQUIRE(mended.has_value());
  CHECK(mended->valid);
  CHECK_FALSE(mended->edits.empty());
}
