// Calls that failed, as checkpoints and their opportunities have them, each with the opportunities that it was about.
// Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/pipelines/discovery/records.hpp"

namespace plumb::pipelines::discovery {

struct FailedCall {
  Stage stage{};
  std::string agent, why;
  std::vector<std::string> opportunities;  // none: it was about no one of them
  static Fields fields();
};

// Of a checkpoint and of opportunities; where a stage is named, only those of this stage.
std::vector<FailedCall> failed_calls(const std::vector<Failure>& checkpoint, const std::vector<Chain>& opportunities,
                                     std::optional<Stage> stage);

}  // namespace plumb::pipelines::discovery
