// Samples of every golden contract: minimal and rich are accepted, each broken one breaks its rule, alone where that
// can be, and in pieces gives the verdict that it gives whole. What cannot be made is a list here, with the reasons.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/contract/check.hpp"
#include "core/contract/render.hpp"
#include "core/sample/sample.hpp"
#include "tests/native/case_file.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using sample::Sample;
using sample::SampleKind;

namespace {

struct Exception {
  const char* case_name;  // a part of it
  const char* place;      // schemaLocation, or the kind
  const char* because;
};

// Not made.
constexpr Exception not_made[] = {
    {"oneOf: none of false, one of true", "/properties/a/oneOf", "one branch is true and the others false"},
    {"not: of true and of false", "/properties/c/not", "not false holds always"},
    {"unevaluatedItems: items judges all", "/unevaluatedItems", "items beside it has judged every item"},
    {"additionalProperties beside it has judged all", "/unevaluatedProperties", "every member has been judged"},
    {"severity: a warning holds in a branch", "/anyOf", "a branch that only warns always holds"},
    {"dependencies and dependentSchemas", "/dependentSchemas/a/required",
     "of the two schemas that the member switches on, one is looked at"},
    {"where the scope has no such anchor", "/items/$dynamicRef", "where it leads nowhere no document is made for it"},
    {"meta-schema", "https://json-schema.org/draft/2020-12/meta/core#/properties/$id/pattern",
     "a schema with an $id below a dynamic anchor: not found within the bound"},
    {"plumb:meta/contract", "https://json-schema.org/draft/2020-12/meta/core#/properties/$id/pattern",
     "a schema with an $id below a dynamic anchor: not found within the bound"},
    {"plumb:meta/contract", "plumb:meta/vocabulary#/$defs/pointer/type", "not found within the bound"},
    {"plumb:meta/contract", "plumb:meta/vocabulary#/$defs/pointer/pattern", "not found within the bound"},
};

// Broken only together with others.
constexpr Exception together[] = {
    {"required, minItems and minProperties", "/required", "the object without its member is too small"},
    {"required, minItems and minProperties", "/minProperties", "the only member is required"},
    {"mindmap", "/acyclic", "a label among its own ancestors appears twice in the tree"},
    {"several bounds of one number", "/multipleOf", "the minimum is beyond the maximum"},
    {"several bounds of one number", "/minimum", "the minimum is beyond the maximum"},
    {"a token that breaks has been begun", "/maxLength", "only objects are allowed, and it speaks of texts"},
    {"stopAt: shadows what is written after it", "/minLength", "it is more than maxLength"},
    {"stopAt: shadows what is written after it", "/maxLength", "it is less than minLength"},
    {"meta-schema", "/type", "every part of the meta-schema wants the same types"},
    {"plumb:meta/contract", "/type", "every part of the meta-schema wants the same types"},
    {"intake", "/objective/notBlank", "a blank objective mentions no constraint"},
    {"intake", "/items/type", "what is no object is no tool call either"},
    {"brain", "/description/notBlank", "a blank description mentions nothing of the objective"},
    {"researcher", "/reasoning/notBlank", "a blank reasoning names no missing piece"},
    {"researcher", "/evidence_delta/enum", "a label that is none is not the computed one"},
    {"researcher", "/query/notBlank", "a blank query names no missing piece"},
    {"researcher", "/query/rules/3", "an earlier query names another missing piece"},
    {"search", "/answer/notBlank", "a blank answer has no facts"},
    {"search", "/answer/rules/1", "narrative has no facts in its first characters either"},
    {"search", "/answer/rules/2", "the earlier answer of the sample has no facts"},
};

template <std::size_t Size>
bool is_listed(const Exception (&list)[Size], const std::string& name, const std::string& place) {
  return std::any_of(std::begin(list), std::end(list), [&](const Exception& one) {
    const std::string wanted = one.place;
    const bool ends = place.size() >= wanted.size() && place.substr(place.size() - wanted.size()) == wanted;
    return name.find(one.case_name) != std::string::npos && ends;
  });
}

void in_pieces(const contract::Contract& contract, const Sample& one, const std::string& whole) {
  contract::CheckOptions options;
  options.context = one.context;
  contract::Check check(contract, options);
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}}) {
    std::vector<contract::Finding> certain;
    for (std::size_t at = 0; at < one.artifact.size(); at += size) {
      check.push(std::string_view(one.artifact).substr(at, size), certain);
    }
    CHECK(contract::verdict_json(check.end(certain)) == whole);
    check.reset();
  }
}

struct Counts {
  std::size_t contracts = 0;
  std::size_t valid = 0;
  std::size_t broken = 0;
  std::size_t alone = 0;
};

void run(const std::string& name, const contract::Contract& contract, Counts& counts) {
  ++counts.contracts;
  for (const SampleKind kind : {SampleKind::minimal, SampleKind::rich, SampleKind::broken}) {
    sample::SampleOptions options;
    options.kind = kind;
    options.limits.steps_max = 3000;
    const Result<sample::Samples> samples = sample::make_samples(contract, options);
    REQUIRE(static_cast<bool>(samples));
    const Result<sample::Samples> again = sample::make_samples(contract, options);
    for (std::size_t i = 0; i < samples.value().made.size(); ++i) {
      const Sample& one = samples.value().made[i];
      INFO(name, " ", one.schema_location, " ", one.artifact);
      CHECK(one.artifact == again.value().made[i].artifact);
      contract::CheckOptions check;
      check.context = one.context;
      const contract::Verdict verdict = contract::check_text(contract, one.artifact, check);
      in_pieces(contract, one, contract::verdict_json(verdict));
      if (kind != SampleKind::broken) {
        CHECK(verdict.valid);
        ++counts.valid;
        continue;
      }
      ++counts.broken;
      std::size_t of_rule = 0;
      std::size_t all = 0;
      for (const contract::Finding& finding : verdict.findings) {
        if (finding.shadowed_by == 0) {
          ++all;
          of_rule += finding.rule == one.rule && finding.schema_location == one.schema_location ? 1U : 0U;
        }
      }
      CHECK(of_rule >= 1);
      CHECK(all == one.also.size() + 1);
      if (all == 1) {
        ++counts.alone;
      } else {
        CHECK_MESSAGE(is_listed(together, name, one.schema_location), one.schema_location, " breaks with ",
                      one.also[0]);
      }
    }
    for (const sample::RuleSite& site : samples.value().not_made) {
      const std::string place = site.schema_location.empty() ? site.rule : site.schema_location;
      CHECK_MESSAGE(is_listed(not_made, name, place), name, ": ", place, ": ", site.reason);
    }
  }
}

}  // namespace

TEST_CASE("sample: every golden contract gives accepted artifacts, and one for each rule that breaks it") {
  Counts counts;
  for (const cases::CaseFile& file : cases::read_case_files(plumb::test::source_dir())) {
    for (const cases::Case& one : file.cases) {
      contract::ReadOptions read;
      contract::CheckOptions check;
      repair::EditOptions edits;
      if (!one.refused.empty() || !cases::apply_options(one, read, check, edits)) {
        continue;
      }
      for (const auto& [uri, text] : one.documents) {
        read.documents.push_back({uri, text});
      }
      const Result<contract::Contract> contract = contract::Contract::read(one.contract, read);
      REQUIRE(static_cast<bool>(contract));
      run(one.name, contract.value(), counts);
    }
  }
  MESSAGE(counts.contracts, " contracts, ", counts.valid, " accepted artifacts, ", counts.broken, " broken, ",
          counts.alone, " of them in one rule alone");
  CHECK(counts.contracts > 200);
  CHECK(counts.broken > 800);
}
