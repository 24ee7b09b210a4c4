// ModelProfile: what is known about a model: its encoding, its capabilities and its context profile (seed 004, "Model
// Registry Context Profiles").
//
//   context_window               what the maker states: input and output together
//   effective_context            the part that remains after overhead and is used well
//   sweet_spot                   the size up to which the model is at its best
//   system_prompt_overhead       the cost of every call before the task's own text
//   recommended_max_file_tokens  the upper limit for the files of one task
//
// All sizes are in tokens. A profile may omit any of them. An omitted size is unknown and has no default: a model that
// nobody has described has no window here. The built-in registry has windows as their makers state them, and no
// measured sizes.
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

// A contradiction in a profile: a sentence, and the member that it is about.
struct Contradiction {
  std::string_view member;
  std::string sentence;
};
std::vector<Contradiction> contradictions(const ContextProfile& profile);

struct BuiltInModel {
  std::string_view name;
  Tokens context_window;
  std::string_view capabilities;  // separated by spaces
};
std::span<const BuiltInModel> built_in_models();

// How well `said` names the model `known`: the larger the better, and 0 for a different model. A model may be named
// with or without its provider ("openai/gpt-4o", "gpt-4o"). A dated snapshot ("gpt-4o-2024-08-06", "qwen3:latest") is
// the model itself, unless it has its own description. Models of two providers are different models.
unsigned same_model(std::string_view known, std::string_view said);

constexpr std::size_t no_model = static_cast<std::size_t>(-1);
// The index in `models` of the model that is named best, the first of equals. no_model if none is named.
std::size_t find_model(std::span<const ModelProfile> models, std::string_view said);
// nullptr if it is unknown.
const BuiltInModel* built_in_model(std::string_view said);
ModelProfile profile_of(const BuiltInModel& model);

}  // namespace plumb::budget
