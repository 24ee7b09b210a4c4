// Calls that failed, as checkpoints and their opportunities have them, each with the opportunities that it was about.
// Internal to this folder.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::pipelines::discovery {

struct FailedCall {
  std::string_view stage, agent, why;
  std::vector<std::string_view> opportunities;  // none: it was about no one of them
};

// Of a checkpoint (nullptr: none) and of opportunities; where a stage is named, only those of this stage.
std::vector<FailedCall> failed_calls(const json::Value* checkpoint, std::span<const json::Value> opportunities,
                                     std::string_view stage);

}  // namespace plumb::pipelines::discovery
