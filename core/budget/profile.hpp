// What is known of a model: its encoding, what it can do, and its context profile (seed 004, "Model Registry Context
// Profiles").
//
//   context_window               what the maker states: input and output together
//   effective_context            what of it is left after overhead, and used well
//   sweet_spot                   up to where the model is at its best
//   system_prompt_overhead       what every call costs before the task's own text
//   recommended_max_file_tokens  files of one task, at most
//
// A profile may leave any of them out. What is left out is unknown, never a default: a model nobody has described has
// no window here. The built-in registry holds windows as their makers state them and nothing that was measured.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/tokens_of.hpp"
#include "core/text/tokens.hpp"

namespace plumb::budget {

struct ContextProfile {
  std::optional<Tokens> context_window;
  std::optional<Tokens> effective_context;
  std::optional<Tokens> sweet_spot;
  Tokens system_prompt_overhead = 0;
  std::optional<Tokens> recommended_max_file_tokens;
};

struct ModelProfile {
  std::string name;
  text::Encoding encoding = text::Encoding::unknown;
  std::vector<std::string> capabilities;
  ContextProfile context;
};

// What a profile says against itself, a sentence each, with the member it is about.
struct Contradiction {
  std::string_view member;
  std::string sentence;
};
std::vector<Contradiction> contradictions(const ContextProfile& profile);

struct BuiltInModel {
  std::string_view name;
  Tokens context_window;
  std::string_view capabilities;  // with a blank between
};
std::span<const BuiltInModel> built_in_models();

// A model has one name, whoever says it: with or without who provides it ("openai/gpt-4o", "gpt-4o"), and a dated
// snapshot ("gpt-4o-2024-08-06", "qwen3:latest") is the model itself unless it is described of its own. Two providers'
// models are two. How well `said` names the model that is `known` as: the more the better, 0 is another model.
unsigned same_model(std::string_view known, std::string_view said);

constexpr std::size_t no_model = static_cast<std::size_t>(-1);
// The one of `models` that is named best, the first of equals; no_model where none is.
std::size_t find_model(std::span<const ModelProfile> models, std::string_view said);
// nullptr: not known.
const BuiltInModel* built_in_model(std::string_view said);
ModelProfile profile_of(const BuiltInModel& model);

}  // namespace plumb::budget
