// Artifacts made from a contract: the smallest that is accepted, a rich one, and for each rule one that breaks it and
// nothing else. So that a page, a pipeline or a test can be tried without a model.
//
//   SampleOptions options;
//   options.kind = SampleKind::broken;
//   options.rule = "minItems";                             // or the place: "/properties/questions/minItems"
//   Result<Samples> samples = make_samples(contract, options);
//   samples.value().made[0].artifact                       {"questions":[]}
//
// Every artifact is judged by the engine before it is given out: a minimal or rich one is accepted, a broken one gives
// the finding it was made for. Where a rule cannot be broken alone, `also` lists what breaks with it, and it is the
// smallest set that was found. What cannot be made is in `not_made` with the reason; nothing wrong is given out.
//
// The same contract, options and seed give the same bytes on every host. Bounded by SampleLimits: search steps for each
// artifact, depth, number of values, length of a text, bytes.
//
// A contract that reads a context gets one made for it, unless one is given; each sample carries the context that it
// was judged with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/result.hpp"
#include "core/sample/vocabulary.hpp"

namespace plumb::sample {

enum class SampleKind : std::uint8_t { minimal, rich, broken };
std::string_view sample_kind_name(SampleKind kind);  // "minimal"

struct SampleLimits {
  std::uint64_t steps_max = 6000;  // values made and judged, for one artifact
  std::uint32_t depth_max = 32;
  std::uint32_t values_max = 4000;
  std::uint64_t text_max = 65536;     // code points of one string
  std::uint64_t bytes_max = 1 << 20;  // of one artifact
};

struct SampleOptions {
  SampleKind kind = SampleKind::rich;
  std::uint64_t seed = 1;
  std::uint32_t count = 1;  // different ones; at most count_max
  std::string_view rule;    // broken: a rule's id, a keyword, or a schemaLocation; empty: each rule
  std::string_view context;
  const Vocabulary* vocabulary = nullptr;  // whose words are used; nullptr: a list of our own
  SampleLimits limits;
};

inline constexpr std::uint32_t count_max = 10'000;

struct Sample {
  SampleKind kind = SampleKind::rich;
  std::uint64_t seed = 0;         // that gives this one by itself, with a count of 1
  std::string artifact;           // compact JSON
  std::string context;            // JSON; empty where the contract reads none
  std::string rule;               // broken: as the finding names it,
  std::string schema_location;    // the keyword,
  std::string property;           // the missing member,
  std::string at;                 // and the place in the artifact
  std::vector<std::string> also;  // "RULE at POINTER" of the other findings
};

// A rule that can break, or what could not be made of it.
struct RuleSite {
  std::string rule;
  std::string schema_location;
  std::string property;
  std::string reason;  // of what was not made
};

struct Samples {
  std::vector<Sample> made;
  std::vector<RuleSite> not_made;
};

// The error is that no rule is called so, or that the context is no JSON.
Result<Samples> make_samples(const contract::Contract& contract, const SampleOptions& options);

// Every rule that an artifact can break by itself, in the order of the contract's text.
std::vector<RuleSite> breakable_rules(const contract::Contract& contract);

}  // namespace plumb::sample
