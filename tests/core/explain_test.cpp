#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/explain.hpp"
#include "core/contract/keywords.hpp"

using namespace plumb;
using contract::Explanation;

TEST_CASE("explain: every rule that a finding can name and every keyword of the vocabulary is explained") {
  for (const contract::KwFacets& one : contract::all_kw_facets().subspan(1)) {
    const std::string name(one.name);
    CAPTURE(name);
    CHECK(contract::explanation_of(name) != nullptr);
  }
  for (const std::string_view keyword : contract::vocabulary_keywords) {
    const std::string name(keyword);
    CAPTURE(name);
    const Explanation* one = contract::explanation_of(keyword);
    REQUIRE(one != nullptr);
    CHECK(one->kind == contract::RuleKind::vocabulary);
  }
  CHECK(contract::explanation_of("minItem") == nullptr);
  CHECK(contract::explanation_of("") == nullptr);
}

TEST_CASE("explain: a rule is explained once, in whole sentences, and one that breaks says when and what to do") {
  std::set<std::string_view> seen;
  for (const Explanation& one : contract::explanations()) {
    const std::string name(one.rule);
    CAPTURE(name);
    CHECK(seen.insert(one.rule).second);
    REQUIRE(!one.meaning.empty());
    CHECK(one.meaning.back() == '.');
    CHECK(one.decides.empty() == one.fix.empty());
    if (!one.finds.empty()) {
      CHECK(!one.contract.empty());
      CHECK((one.rule == "severity" || !one.decides.empty()));
    }
    CHECK(one.contract.empty() == one.artifact.empty());
    CHECK(!contract::kind_title(one.kind).empty());
  }
}

TEST_CASE("explain: each example gives the finding that it promises, and no other") {
  for (const Explanation& one : contract::explanations()) {
    if (one.contract.empty()) {
      continue;
    }
    const std::string name(one.rule);
    CAPTURE(name);
    const Result<contract::Contract> read = contract::Contract::read(one.contract);
    if (!read) {
      FAIL_CHECK(read.error().message);
      continue;
    }
    CHECK(read.value().warnings().empty());
    const contract::Verdict verdict = contract::check_text(read.value(), one.artifact);
    std::string found;
    for (const contract::Finding& finding : verdict.findings) {
      found += (found.empty() ? "" : " ") + finding.rule;
    }
    CHECK(found == std::string(one.finds));
    CHECK((one.breaks ? !verdict.valid : verdict.valid) == true);
  }
}
