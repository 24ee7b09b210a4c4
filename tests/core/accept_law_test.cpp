// The law of fast acceptance over contracts that nobody wrote: it never says more than judging in full would, contract
// by contract, piece by piece.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/accepting.hpp"
#include "tests/law_step.hpp"

using namespace plumb::contract;
using namespace plumb::test;

namespace {

// A schema and a text that keeps it, mostly.
struct Made {
  std::string schema;
  std::string value;
};

std::string one_of(Numbers& numbers, const std::vector<std::string_view>& all) {
  return std::string(all[numbers.below(all.size())]);
}

Made text(Numbers& numbers) {
  static const std::vector<std::string_view> texts = {"\"cell\"",
                                                      "\"\"",
                                                      "\" \"",
                                                      "\"a b\"",
                                                      "\"Stra\xC3\x9F"
                                                      "e\"",
                                                      "\"\\u00e9t\\u00e9\"",
                                                      "\"2024-02-30\"",
                                                      "\"2024-02-28\"",
                                                      "\"aaaa1\"",
                                                      "\"\\ud83c\\udf31 \"",
                                                      "\"x\\ny\"",
                                                      "\"CELL \""};
  Made out{"{\"type\":\"string\"", one_of(numbers, texts)};
  static const std::vector<std::string_view> more = {"\"minLength\":1",
                                                     "\"maxLength\":5",
                                                     "\"minLength\":2,\"maxLength\":4",
                                                     "\"notBlank\":true",
                                                     "\"length\":{\"fold\":[\"trim\"],\"min\":1,\"max\":4}",
                                                     "\"length\":{\"fold\":[\"lowercase\"],\"max\":5}",
                                                     "\"pattern\":\"^[a-z]+[0-9]?$\"",
                                                     "\"pattern\":\"e\"",
                                                     "\"format\":\"date\"",
                                                     "\"enum\":[\"cell\",\"CELL \",\"celle\"]",
                                                     "\"const\":\"a b\"",
                                                     "\"enum\":[\"cell\",1]",
                                                     "\"maxSentences\":1"};
  for (std::size_t i = numbers.below(3); i > 0; --i) {
    const std::string one = one_of(numbers, more);
    if (out.schema.find(one.substr(0, one.find(':'))) == std::string::npos) {
      out.schema += "," + one;
    }
  }
  out.schema += "}";
  return out;
}

Made amount(Numbers& numbers) {
  static const std::vector<std::string_view> values = {
      "0", "-0", "1", "7", "12.0", "1e1", "-3", "0.5", "99999999999999999", "5e-1"};
  static const std::vector<std::string_view> schemas = {R"({"type":"integer"})",
                                                        R"({"type":"number","minimum":0,"maximum":10})",
                                                        R"({"type":"integer","exclusiveMinimum":0,"maximum":12})",
                                                        R"({"type":"number","minimum":-2.5})",
                                                        R"({"type":"number","multipleOf":0.5})",
                                                        R"({"type":["integer","null"],"exclusiveMaximum":7})",
                                                        R"({"enum":[1,7,12,0.5]})",
                                                        R"({"const":0})"};
  return {one_of(numbers, schemas), one_of(numbers, values)};
}

Made value(Numbers& numbers, std::size_t depth);

Made list(Numbers& numbers, std::size_t depth) {
  const Made item = value(numbers, depth - 1);
  static const std::vector<std::string_view> more = {"",
                                                     ",\"minItems\":1",
                                                     ",\"maxItems\":2",
                                                     ",\"uniqueItems\":true",
                                                     ",\"distinct\":true",
                                                     ",\"distinct\":{\"fold\":[\"trim\",\"lowercase\"]}",
                                                     ",\"contains\":{\"type\":\"string\"},\"maxContains\":2",
                                                     ",\"prefixItems\":[{\"type\":\"string\"}]"};
  Made out{"{\"type\":\"array\",\"items\":" + item.schema + one_of(numbers, more) + "}", "["};
  for (std::size_t i = 0, count = numbers.below(4); i < count; ++i) {
    out.value += (i == 0 ? "" : ", ") + (numbers.below(3) == 0 ? value(numbers, depth - 1).value : item.value);
  }
  out.value += "]";
  return out;
}

Made record(Numbers& numbers, std::size_t depth) {
  static const std::vector<std::string_view> more = {"",
                                                     ",\"required\":[\"a\"]",
                                                     ",\"required\":[\"b\",\"a\"],\"additionalProperties\":false",
                                                     ",\"minProperties\":2",
                                                     ",\"maxProperties\":2",
                                                     ",\"dependentRequired\":{\"a\":[\"b\"]}",
                                                     ",\"additionalProperties\":{\"type\":\"string\"}",
                                                     ",\"propertyNames\":{\"maxLength\":1}",
                                                     ",\"patternProperties\":{\"^c\":{\"type\":\"integer\"}}",
                                                     ",\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"c\"]}]",
                                                     ",\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"c\"]}",
                                                     ",\"unevaluatedProperties\":false"};
  Made out{"{\"type\":\"object\",\"properties\":{", "{"};
  const std::vector<std::string_view> keys = {"a", "b", "c long key of more than sixteen bytes"};
  bool first = true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Made member = value(numbers, depth - 1);
    out.schema += (i == 0 ? "\"" : ",\"") + std::string(keys[i]) + "\":" + member.schema;
    if (numbers.below(4) != 0) {
      out.value += (first ? "\"" : ", \"") + std::string(keys[i]) + "\": " + member.value;
      first = false;
    }
  }
  if (numbers.below(4) == 0) {
    out.value += (first ? std::string() : std::string(", ")) + "\"other\": " + value(numbers, 0).value;
  }
  out.schema += "}" + one_of(numbers, more) + "}";
  out.value += "}";
  return out;
}

// A choice with the list that it is from: what one place holds decides about another.
Made choice(Numbers& numbers) {
  static const std::vector<std::string_view> rules = {R"("memberOf":{"in":"1/options"})",
                                                      R"("memberOf":{"in":"1/options","fold":["trim","lowercase"]})"};
  static const std::vector<std::string_view> texts = {"\"cell\"",       "\" Cell\"", "\"light\"",
                                                      "\"\\u0063ell\"", "\"\"",      "7"};
  Made out;
  out.schema = R"({"type":"object","properties":{"options":{"type":"array","items":{"type":"string"}},)";
  out.schema += R"("answer":{"type":"string",)" + one_of(numbers, rules) + "}}}";
  const std::string options = "\"options\": [" + one_of(numbers, texts) + ", " + one_of(numbers, texts) + "]";
  const std::string answer = "\"answer\": " + one_of(numbers, texts);
  out.value = numbers.below(2) == 0 ? "{" + options + ", " + answer + "}" : "{" + answer + ",\n" + options + "}";
  return out;
}

Made value(Numbers& numbers, std::size_t depth) {
  switch (numbers.below(depth == 0 ? 4 : 8)) {
    case 0:
      return amount(numbers);
    case 1:
      return {R"({"type":["boolean","null"]})", one_of(numbers, {"true", "null", "false"})};
    case 2:
    case 3:
      return text(numbers);
    case 4:
      return choice(numbers);
    case 5:
      return list(numbers, depth);
    default:
      return record(numbers, depth);
  }
}

}  // namespace

TEST_CASE("fast acceptance: over generated contracts it never says more than judging in full") {
  std::size_t valid = 0;
  std::size_t broken = 0;
  for (std::uint64_t seed = law_step; seed <= 400; seed += law_step) {
    Numbers numbers(seed);
    const Made made = list(numbers, 3);
    const Both both(made.schema);
    CAPTURE(made.schema);
    std::string text = made.value;
    ++(check_text(both.contract, text).decision == Decision::accept ? valid : broken);
    agree(both, text, seed);
    for (std::size_t faults = 1 + numbers.below(3); faults > 0 && !text.empty(); --faults) {
      damage(text, numbers);
    }
    agree(both, text, seed);
  }
  // Both kinds are among them, or the law is about nothing.
  CHECK(valid > 50 / law_step);
  CHECK(broken > 50 / law_step);
}

TEST_CASE("fast acceptance: a keyword that accepts too much is found by the law") {
  Both both(R"({"type":"array","items":{"type":"integer","maximum":10}})");
  CHECK(whole(both.contract, "[11]") == whole(both.in_full, "[11]"));
  for (Node& node : const_cast<Program&>(both.contract.program()).nodes) {
    if (node.number) {
      node.number->fast_max = 11;
    }
  }
  CHECK(whole(both.contract, "[11]") != whole(both.in_full, "[11]"));
}
