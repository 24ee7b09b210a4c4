// Samples: what is made keeps its promise, the same seed gives the same bytes, and bounds are told.

#include <doctest/doctest.h>

#include <string>

#include "core/contract/check.hpp"
#include "core/json/value.hpp"
#include "core/sample/format_text.hpp"
#include "core/sample/pattern_text.hpp"
#include "core/sample/sample.hpp"
#include "core/sample/words.hpp"
#include "core/text/pattern.hpp"
#include "core/text/phrases.hpp"
#include "core/text/utf8.hpp"

using namespace plumb;
using sample::SampleKind;
using sample::SampleOptions;
using sample::Samples;

namespace {

contract::Contract read(std::string_view text) {
  Result<contract::Contract> contract = contract::Contract::read(text);
  REQUIRE(static_cast<bool>(contract));
  return std::move(contract).value();
}

Samples made(const contract::Contract& contract, const SampleOptions& options) {
  Result<Samples> samples = sample::make_samples(contract, options);
  REQUIRE(static_cast<bool>(samples));
  return std::move(samples).value();
}

std::string one(std::string_view contract, SampleKind kind, std::string_view rule = {}) {
  SampleOptions options;
  options.kind = kind;
  options.rule = rule;
  const Samples samples = made(read(contract), options);
  return samples.made.empty() ? "not made: " + samples.not_made.front().reason : samples.made.front().artifact;
}

}  // namespace

TEST_CASE("sample: minimal has what is required, rich has everything") {
  const std::string_view contract = R"({"type": "object", "required": ["a"], "properties": {
      "a": {"const": 1}, "b": {"const": 2}, "c": {"type": "array", "items": {"const": 3}}}})";
  CHECK(one(contract, SampleKind::minimal) == R"({"a":1})");
  CHECK(one(contract, SampleKind::rich) == R"({"a":1,"b":2,"c":[3,3,3]})");
}

TEST_CASE("sample: members stand in the order of `properties`, wherever `required` stands") {
  const std::string_view contract = R"({"type": "object", "required": ["c", "a"], "properties": {
      "a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}})";
  CHECK(one(contract, SampleKind::rich) == R"({"a":1,"b":2,"c":3})");
  CHECK(one(contract, SampleKind::minimal) == R"({"a":1,"c":3})");
}

TEST_CASE("sample: numbers at their bounds, exactly") {
  CHECK(one(R"({"type": "integer", "minimum": 5, "maximum": 5})", SampleKind::minimal) == "5");
  CHECK(one(R"({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9})", SampleKind::minimal) == "1e-10");
  CHECK(
      one(R"({"type": "number", "minimum": 100000000000000000000, "multipleOf": 7, "maximum": 100000000000000000006})",
          SampleKind::minimal) == "100000000000000000005");
  CHECK(one(R"({"type": "number", "minimum": -0.35, "maximum": -0.25, "multipleOf": 0.1})", SampleKind::minimal) ==
        "-0.3");
  CHECK(one(R"({"type": "integer", "minimum": 3})", SampleKind::broken, "minimum") == "2");
}

TEST_CASE("sample: a broken number breaks one of two rules") {
  const std::string_view contract = R"({"type": "integer", "minimum": 10, "maximum": 20, "multipleOf": 5})";
  const contract::Contract compiled = read(contract);
  for (const char* rule : {"minimum", "maximum", "multipleOf"}) {
    const std::string artifact = one(contract, SampleKind::broken, rule);
    const contract::Verdict verdict = contract::check_text(compiled, artifact);
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].rule == rule);
  }
}

TEST_CASE("sample: texts from patterns are matched, others are not") {
  const std::string_view patterns[] = {"^[a-z]{2,4}-\\d+$",
                                       "^(?=.*\\d)[a-z\\d]{8,}$",
                                       "foo|bar",
                                       "^\\p{Lu}\\p{Ll}+$",
                                       "^(?!b)[abc]$",
                                       "\\bword\\b",
                                       "^[^\\s]+@[^\\s]+$",
                                       "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$",
                                       "^$",
                                       "[\\u{1F600}-\\u{1F64F}]",
                                       "^.{3}$"};
  for (const std::string_view source : patterns) {
    INFO(std::string(source));
    Result<text::Pattern> pattern = text::Pattern::compile(source);
    REQUIRE(static_cast<bool>(pattern));
    text::Matcher matcher(pattern.value());
    sample::Random random(5);
    const std::optional<std::string> text = sample::matching_text(source, random, {});
    REQUIRE(text.has_value());
    CHECK(text::is_utf8(*text));
    CHECK(matcher.search(*text));
    const std::optional<std::string> other = sample::other_text(source, *text, random);
    REQUIRE(other.has_value());
    CHECK_FALSE(matcher.search(*other));
  }
  sample::Random random(1);
  CHECK_FALSE(sample::matching_text("^a$", random, {2, 9}).has_value());
  const std::optional<std::string> longer = sample::matching_text("^[a-z]+$", random, {30, 40});
  REQUIRE(longer.has_value());
  CHECK(text::code_points(*longer) >= 30);
}

TEST_CASE("sample: each format has a text in it and one that is not") {
  for (unsigned i = 0; i < text::formats_count; ++i) {
    const auto format = static_cast<text::Format>(i);
    INFO(std::string(text::format_name(format)));
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
      sample::Random random(seed);
      CHECK(text::format_holds(format, sample::text_in_format(format, random)));
    }
    CHECK_FALSE(text::format_holds(format, sample::text_not_in_format(format, 0)));
  }
}

TEST_CASE("sample: prose has none of the phrases that `avoids` knows, and one sentence") {
  for (std::uint64_t seed = 1; seed < 300; ++seed) {
    sample::Random random(seed);
    const std::string text = sample::sentence(random);
    CHECK(text::count_sentences(text) == 1);
    for (unsigned i = 0; i < text::phrase_lists_count; ++i) {
      CHECK(text::find_phrases(text, static_cast<text::PhraseList>(i)).empty());
    }
    const std::string sized = sample::sized(random, seed, seed + 3);
    CHECK(sized.size() >= seed);
    CHECK(sized.size() <= seed + 3);
    CHECK(sized.back() != ' ');
  }
}

TEST_CASE("sample: the same seed gives the same bytes, another seed others") {
  const contract::Contract quiz = read(contract::built_in_contract("quiz")->text);
  SampleOptions options;
  options.count = 3;
  const Samples first = made(quiz, options);
  const Samples again = made(quiz, options);
  REQUIRE(first.made.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(first.made[i].artifact == again.made[i].artifact);
    // Each can be had by itself.
    SampleOptions alone;
    alone.seed = first.made[i].seed;
    CHECK(made(quiz, alone).made.front().artifact == first.made[i].artifact);
  }
  CHECK(first.made[0].artifact != first.made[1].artifact);
  options.seed = 2;
  CHECK(made(quiz, options).made[0].artifact != first.made[0].artifact);
}

TEST_CASE("sample: a context is made where none is given, and the one given is kept") {
  const contract::Contract contract = read(R"({"type": "object", "required": ["id"], "properties": {
      "id": {"type": "string", "memberOf": {"in": "context:/ids/*"}}}})");
  SampleOptions options;
  const Samples own = made(contract, options);
  REQUIRE(own.made.size() == 1);
  contract::CheckOptions check;
  check.context = own.made[0].context;
  CHECK(contract::check_text(contract, own.made[0].artifact, check).decision == contract::Decision::accept);
  options.context = R"({"ids": ["x7"]})";
  const Samples given = made(contract, options);
  CHECK(given.made[0].artifact == R"({"id":"x7"})");
  options.context = "{";
  CHECK_FALSE(static_cast<bool>(sample::make_samples(contract, options)));
}

TEST_CASE("sample: what cannot be made is told with the reason") {
  CHECK(one("false", SampleKind::minimal) == "not made: a schema that must hold there is false");
  CHECK(one(R"({"type": "integer", "minimum": 3, "maximum": 2})", SampleKind::minimal) ==
        "not made: no number was found between its bounds");
  CHECK(one(R"({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "required": ["a"],
      "properties": {"a": {"$ref": "#/$defs/a"}}}}})",
            SampleKind::rich)
            .find("deeper than 32 levels") != std::string::npos);
  CHECK(one(R"({"type": "string", "minLength": 1000000})", SampleKind::minimal) ==
        "not made: the text would be longer than a sample may be");
  CHECK(one(R"({"type": "array", "minItems": 100000})", SampleKind::minimal) ==
        "not made: it would have more items than a sample may have");
}

TEST_CASE("sample: rules are chosen by keyword, by place and by id, and near misses are named") {
  const contract::Contract contract =
      read(R"({"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "integer"},
      "rules": [{"id": "small", "check": {"items": {"maximum": 9}}}]})");
  SampleOptions options;
  options.kind = SampleKind::broken;
  options.rule = "type";
  CHECK(made(contract, options).made.size() == 2);
  options.rule = "/items/type";
  CHECK(made(contract, options).made.size() == 1);
  options.rule = "small";
  const Samples small = made(contract, options);
  REQUIRE(small.made.size() == 1);
  CHECK(small.made[0].schema_location == "/rules/0");
  CHECK(small.made[0].also.empty());
  options.rule = "minItem";
  const Result<Samples> unknown = sample::make_samples(contract, options);
  REQUIRE_FALSE(static_cast<bool>(unknown));
  CHECK(unknown.error().message.find("did you mean 'minItems'") != std::string::npos);
}

TEST_CASE("sample: alternatives that lead back to themselves are broken to a depth") {
  SampleOptions options;
  options.kind = SampleKind::broken;
  const Samples samples =
      made(read(R"({"oneOf": [{"items": {"$ref": "#"}, "oneOf": [{"$ref": "#/$defs/a"}]}], "allOf": [{}],
                    "unevaluatedItems": false, "$defs": {"a": {"items": {"oneOf": [{"$ref": "#"}]}}}})"),
           options);
  CHECK(samples.made.size() + samples.not_made.size() > 0);
}

TEST_CASE("sample: what breaks together is listed") {
  const contract::Contract mindmap = read(contract::built_in_contract("mindmap")->text);
  SampleOptions options;
  options.kind = SampleKind::broken;
  options.rule = "acyclic";
  const Samples samples = made(mindmap, options);
  REQUIRE(samples.made.size() == 1);
  // A label that is among its own ancestors is twice in the tree.
  CHECK(samples.made[0].also == std::vector<std::string>{"distinct at /root/children/0/label"});
}
