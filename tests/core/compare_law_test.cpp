// Laws of comparing, over seeded pairs of small schemas and a fixed set of small documents: a yes is contradicted by no
// document, each no has a witness that is one, and a contract beside itself is never a no.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/compare/compare.hpp"
#include "core/contract/check.hpp"
#include "core/sample/random.hpp"
#include "tests/law_step.hpp"

using namespace plumb;
using compare::Answer;
using contract::Contract;
using sample::Random;

namespace {

const char* const documents[] = {"null",
                                 "true",
                                 "false",
                                 "0",
                                 "1",
                                 "2",
                                 "3",
                                 "-1",
                                 "1.0",
                                 "2.0",
                                 "0.5",
                                 "1.5",
                                 "6",
                                 "1e0",
                                 "100",
                                 "\"\"",
                                 "\"a\"",
                                 "\"b\"",
                                 "\"ab\"",
                                 "\"abc\"",
                                 "\" \"",
                                 "\"ba\"",
                                 "\"abcd\"",
                                 "[]",
                                 "[1]",
                                 "[1,1]",
                                 "[1,2]",
                                 "[\"a\"]",
                                 "[\"a\",\"b\"]",
                                 "[1,\"a\"]",
                                 "[\"a\",1]",
                                 "[null]",
                                 "[[]]",
                                 "[[1],[1]]",
                                 "[1.0]",
                                 "[1,1.0]",
                                 "[1,2,3]",
                                 "[true,false]",
                                 "[{}]",
                                 "[{\"a\":1}]",
                                 "[{\"a\":1},{\"a\":1}]",
                                 "{}",
                                 "{\"a\":1}",
                                 "{\"a\":1.0}",
                                 "{\"a\":2}",
                                 "{\"a\":\"\"}",
                                 "{\"a\":\"a\"}",
                                 "{\"b\":1}",
                                 "{\"b\":\"b\"}",
                                 "{\"a\":1,\"b\":1}",
                                 "{\"a\":\"a\",\"b\":\"b\"}",
                                 "{\"a\":null}",
                                 "{\"c\":1}",
                                 "{\"ab\":1}",
                                 "{\"ab\":\"a\"}",
                                 "{\"a\":1,\"b\":2,\"c\":3}",
                                 "{\"a\":{}}",
                                 "{\"a\":{\"a\":1}}",
                                 "{\"a\":[1]}",
                                 "{\"a\":[]}",
                                 "{\"b\":[\"a\"]}",
                                 "{\"a\":{\"b\":\"b\"}}",
                                 "{\"b\":true,\"a\":false}",
                                 "{\"a\":0.5}",
                                 "{\"a\":{\"a\":{\"a\":{}}}}"};

const char* const leaves[] = {R"("type":"string")",
                              R"("type":"integer")",
                              R"("type":"number")",
                              R"("type":["null","boolean"])",
                              R"("type":["string","integer","array"])",
                              R"("type":"object")",
                              R"("type":"array")",
                              R"("minimum":1)",
                              R"("minimum":2)",
                              R"("maximum":2)",
                              R"("exclusiveMinimum":1)",
                              R"("exclusiveMaximum":2)",
                              R"("multipleOf":2)",
                              R"("multipleOf":0.5)",
                              R"("minLength":1)",
                              R"("minLength":2)",
                              R"("maxLength":1)",
                              R"("maxLength":3)",
                              R"("pattern":"^a")",
                              R"("pattern":"b")",
                              R"("minItems":1)",
                              R"("minItems":2)",
                              R"("maxItems":1)",
                              R"("maxItems":2)",
                              R"("uniqueItems":true)",
                              R"("minProperties":1)",
                              R"("maxProperties":1)",
                              R"("maxProperties":2)",
                              R"("required":["a"])",
                              R"("required":["a","b"])",
                              R"("enum":[1,"a",null])",
                              R"("enum":["a","b",[1],{"a":1}])",
                              R"("const":1)",
                              R"("const":"a")",
                              R"("dependentRequired":{"a":["b"]})",
                              R"("propertyNames":{"maxLength":1})",
                              R"("additionalProperties":false)",
                              R"("unevaluatedProperties":false)",
                              R"("unevaluatedItems":false)",
                              R"("notBlank":true)",
                              R"("distinct":true)",
                              R"("severity":"warning")",
                              R"("format":"date")",
                              R"("length":{"fold":["trim"],"min":1})"};

// Places for one schema or more: `@`.
const char* const holders[] = {R"("items":@)",
                               R"("prefixItems":[@])",
                               R"("prefixItems":[@,@])",
                               R"("properties":{"a":@})",
                               R"("properties":{"a":@,"b":@})",
                               R"("additionalProperties":@)",
                               R"("patternProperties":{"^a":@})",
                               R"("patternProperties":{"b":@})",
                               R"("allOf":[@,@])",
                               R"("anyOf":[@,@])",
                               R"("oneOf":[@,@])",
                               R"("not":@)",
                               R"("if":@,"then":@)",
                               R"("if":@,"then":@,"else":@)",
                               R"("contains":@)",
                               R"("contains":@,"maxContains":1)",
                               R"("contains":@,"minContains":2)",
                               R"("dependentSchemas":{"a":@})",
                               R"("propertyNames":@)",
                               R"("unevaluatedProperties":@)",
                               R"("unevaluatedItems":@)",
                               R"("rules":[{"id":"r","check":@}])",
                               R"("items":{"$ref":"#"})",
                               R"("properties":{"a":{"$ref":"#"}})",
                               R"("anyOf":[@,{"items":{"$ref":"#"}}])"};

std::string keyword_of(std::string_view member) { return std::string(member.substr(0, member.find(':'))); }

std::string schema(Random& dice, unsigned depth) {
  if (depth == 0 && dice.chance(1, 10)) {
    return dice.chance(1, 2) ? "true" : "false";
  }
  std::vector<std::string> members;
  const std::size_t count = 1 + dice.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    std::string member;
    if (depth > 0 && dice.chance(3, 5)) {
      for (const char* c = holders[dice.below(std::size(holders))]; *c != '\0'; ++c) {
        member += *c == '@' ? schema(dice, depth - 1) : std::string(1, *c);
      }
    } else {
      member = leaves[dice.below(std::size(leaves))];
    }
    bool repeated = false;
    for (const std::string& other : members) {
      repeated = repeated || keyword_of(other) == keyword_of(member);
    }
    if (!repeated) {
      members.push_back(member);
    }
  }
  std::string out = "{";
  for (std::size_t i = 0; i < members.size(); ++i) {
    out += (i == 0 ? "" : ",") + members[i];
  }
  return out + "}";
}

// The same schema with one leaf put for another, where it has one: pairs that are nearly the same.
std::string changed(Random& dice, std::string text) {
  for (std::size_t tries = 0; tries < 40; ++tries) {
    const std::string from = leaves[dice.below(std::size(leaves))];
    const std::size_t at = text.find(from);
    if (at == std::string::npos) {
      continue;
    }
    std::string to = leaves[dice.below(std::size(leaves))];
    if (keyword_of(to) != keyword_of(from) && text.find(keyword_of(to) + ":") != std::string::npos) {
      continue;
    }
    return text.replace(at, from.size(), to);
  }
  return text;
}

enum class Says : unsigned char { accepts, refuses, open };

std::vector<Says> judged(const Contract& contract) {
  std::vector<Says> out;
  contract::Check check(contract);
  for (const char* document : documents) {
    const contract::Verdict verdict = check.whole(document);
    check.reset();
    out.push_back(verdict.decision == contract::Decision::revise                       ? Says::refuses
                  : verdict.valid && verdict.decision != contract::Decision::undecided ? Says::accepts
                                                                                       : Says::open);
  }
  return out;
}

struct Counts {
  std::size_t pairs = 0;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t unknown = 0;
  std::size_t could_be_yes = 0;  // unknown, and no document of ours contradicts
};

void holds(const Contract& first, const Contract& second, bool searches, Counts& counts) {
  const std::vector<Says> one = judged(first);
  const std::vector<Says> two = judged(second);
  std::size_t contradicted = std::size(documents);
  for (std::size_t i = 0; i < std::size(documents) && contradicted == std::size(documents); ++i) {
    contradicted = one[i] == Says::accepts && two[i] == Says::refuses ? i : contradicted;
  }
  ++counts.pairs;
  compare::CompareOptions options;
  options.limits.goals_max = 20'000;
  options.limits.judged_max = 300;
  options.limits.steps_max = 300;
  const compare::Direction direction = searches ? compare::compare_one_way(first, second, options)
                                                : compare::prove_one_way(first, second, options.limits);
  const bool clear = contradicted == std::size(documents);
  switch (direction.answer) {
    case Answer::yes:
      ++counts.yes;
      CHECK_MESSAGE(clear, first.text(), " beside ", second.text(), ": ", clear ? "" : documents[contradicted]);
      break;
    case Answer::no: {
      ++counts.no;
      const contract::Verdict accepted = contract::check_text(first, direction.witness->document);
      const contract::Verdict refused = contract::check_text(second, direction.witness->document);
      CHECK_MESSAGE((accepted.valid && !refused.valid && refused.decision == contract::Decision::revise), first.text(),
                    " beside ", second.text(), ": ", direction.witness->document);
      break;
    }
    case Answer::unknown:
      ++counts.unknown;
      counts.could_be_yes += clear ? 1U : 0U;
      CHECK_FALSE(direction.unproven.empty());
      break;
  }
}

}  // namespace

TEST_CASE("compare: no yes over seeded pairs of small schemas is contradicted by a document") {
  constexpr std::uint64_t pairs = 1500;
  Counts counts;
  for (std::uint64_t seed = test::law_step; seed <= pairs; seed += test::law_step) {
    Random dice(Random::mixed(seed));
    contract::ReadOptions options;
    options.assert_formats = true;
    const std::string text = schema(dice, 2);
    const Result<Contract> first = Contract::read(text, options);
    const Result<Contract> second = Contract::read(dice.chance(1, 3) ? schema(dice, 1) : changed(dice, text), options);
    if (!first || !second) {
      continue;
    }
    const bool searches = seed % 20 == 0;
    holds(first.value(), second.value(), searches, counts);
    holds(second.value(), first.value(), searches, counts);
  }
  MESSAGE(counts.pairs, " pairs: ", counts.yes, " yes, ", counts.no, " no, ", counts.unknown, " unknown, ",
          counts.could_be_yes, " of them without a document against it");
  CHECK(counts.pairs > pairs / test::law_step);
  CHECK(counts.yes > counts.pairs / 10);
}

TEST_CASE("compare: contracts of draft 4 are told apart from others by how an integer is written") {
  Counts counts;
  for (std::uint64_t seed = test::law_step; seed <= 500; seed += test::law_step) {
    Random dice(Random::mixed(seed));
    const std::string text = schema(dice, 2);
    contract::ReadOptions old;
    old.dialect = contract::Dialect::draft4;
    const Result<Contract> first = Contract::read(text, old);
    const Result<Contract> second = Contract::read(text, {});
    if (first && second) {
      holds(first.value(), second.value(), seed % 30 == 0, counts);
      holds(second.value(), first.value(), seed % 30 == 0, counts);
    }
  }
  CHECK(counts.pairs > 300 / test::law_step);
  CHECK(counts.yes > 30 / test::law_step);
}

TEST_CASE("compare: a contract beside itself is yes") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random dice(Random::mixed(seed));
    const std::string text = schema(dice, 3);
    const Result<Contract> first = Contract::read(text, {});
    if (first) {
      const Result<Contract> second = Contract::read("  " + text, {});
      CHECK_MESSAGE(compare::prove_one_way(first.value(), second.value()).answer == Answer::yes, text);
    }
  }
}
