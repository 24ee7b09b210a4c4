// Which provider a phase is asked of. Six levels, highest first, and one that is always there:
//
//   1  --provider-PHASE            4  PLUMB_PROVIDER
//   2  --provider                  5  providers.PHASE in plumb.yaml
//   3  PLUMB_PROVIDER_PHASE        6  providers.default in plumb.yaml
//                                  7  extract, which needs nothing
//
// A choice is written "ollama/qwen3:8b", "openai/gpt-4o", "NAME/MODEL" for a provider with an entry in plumb.yaml,
// "extract" or "replay/FILE". An unknown phase or provider is an error with its place and what was nearest.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "native/provider/settings.hpp"

namespace plumb::provider {

struct Choice {
  std::string phase;
  std::string provider;  // "ollama"
  std::string model;     // "qwen3:8b"; the file of a recording; empty for extract
  SourcedText said;      // the text, and who said it
  int level = 7;
  std::string level_text;  // "--provider-judge", "PLUMB_PROVIDER", "plumb.yaml:4 providers.default", "built in"
};

struct ChoiceInput {
  std::vector<std::pair<std::string, std::string>> by_flag;  // phase -> text; "" is --provider
  Variables variables;
  ConfiguredProviders config;
};

// One choice for each phase of profile.hpp, in its order. All levels are read, also those that a higher one hides: a
// mistake is not found only when it begins to matter.
Result<std::vector<Choice>> choose(const ChoiceInput& input);

// Those that a request may name beside its phase's (`providers.also`): the phase of such a choice is "also/" and what
// was said, "also/ollama/qwen3:8b".
inline constexpr std::string_view also_phase = "also/";
Result<std::vector<Choice>> choose_also(const ChoiceInput& input);

// "phase judge (PLUMB_PROVIDER) needs streaming, which openai/o1 does not have; choose another with --provider-judge
// ..." An error where the phase needs what the provider lacks.
Result<bool> check_needs(const Choice& choice, const Profile& profile, const Needs& needs);

}  // namespace plumb::provider
