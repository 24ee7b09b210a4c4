#include "core/pipelines/discovery/stages.hpp"

namespace plumb::pipelines::discovery {

std::optional<Stage> stage_named(std::string_view name) {
  for (std::size_t i = 0; i < stage_names.size(); ++i) {
    if (stage_names[i] == name) {
      return static_cast<Stage>(i);
    }
  }
  return std::nullopt;
}

std::optional<Stage> stage_before(Stage stage) {
  if (stage < Stage::solution_validation || stage > Stage::prioritization) {
    return std::nullopt;
  }
  return static_cast<Stage>(static_cast<std::uint8_t>(stage) - 1);
}

std::string_view status_name(RunStatus status) {
  constexpr std::array<std::string_view, 5> names = {"pending", "running", "completed", "failed", "stopped"};
  return names[static_cast<std::size_t>(status)];
}

std::string_view status_name(StageStatus status) {
  constexpr std::array<std::string_view, 6> names = {"pending",   "in_progress", "checkpoint_reached",
                                                     "completed", "failed",      "sent_back"};
  return names[static_cast<std::size_t>(status)];
}

bool may_become(RunStatus from, RunStatus to) {
  switch (from) {
    case RunStatus::pending:
      return to == RunStatus::running || to == RunStatus::failed || to == RunStatus::stopped;
    case RunStatus::running:
      return to == RunStatus::completed || to == RunStatus::failed || to == RunStatus::stopped;
    default:
      return false;
  }
}

bool may_become(StageStatus from, StageStatus to) {
  switch (from) {
    case StageStatus::pending:
      return to == StageStatus::in_progress || to == StageStatus::failed;
    case StageStatus::in_progress:
      return to > StageStatus::in_progress;
    case StageStatus::checkpoint_reached:
      return to > StageStatus::checkpoint_reached;
    default:
      return false;
  }
}

bool may_go_back(Stage from, Stage to) {
  if (from == Stage::human_review) {
    return to != Stage::human_review;
  }
  return from != Stage::exploration && from != Stage::opportunity_framing &&
         static_cast<std::size_t>(to) + 1 == static_cast<std::size_t>(from);
}

}  // namespace plumb::pipelines::discovery
