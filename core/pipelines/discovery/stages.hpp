// The stages of a discovery run, and which ways lead from one state to another.
//
// A run goes pending -> running -> completed, and from pending or running to failed or stopped. A stage goes pending ->
// in_progress -> checkpoint_reached -> completed, may fail on the way, and is sent back from in_progress or from its
// checkpoint. Back lead: feasibility_risk -> solution_validation, solution_validation -> opportunity_framing,
// prioritization -> feasibility_risk, and human_review to any. A stage that is entered again is a new attempt.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace plumb::pipelines::discovery {

enum class Stage : std::uint8_t {
  exploration,
  opportunity_framing,
  solution_validation,
  feasibility_risk,
  prioritization,
  human_review
};
inline constexpr std::array<std::string_view, 6> stage_names = {
    "exploration", "opportunity_framing", "solution_validation", "feasibility_risk", "prioritization", "human_review"};
constexpr std::string_view stage_name(Stage stage) { return stage_names[static_cast<std::size_t>(stage)]; }
inline std::span<const std::string_view> names_of(Stage) { return stage_names; }
// Where the agents of a stage send back what they cannot work with; nothing where they cannot.
std::optional<Stage> stage_before(Stage stage);
std::optional<Stage> stage_named(std::string_view name);

enum class RunStatus : std::uint8_t { pending, running, completed, failed, stopped };
enum class StageStatus : std::uint8_t { pending, in_progress, checkpoint_reached, completed, failed, sent_back };
std::string_view status_name(RunStatus status);
std::string_view status_name(StageStatus status);

bool may_become(RunStatus from, RunStatus to);
bool may_become(StageStatus from, StageStatus to);
bool may_go_back(Stage from, Stage to);

// What is done by people, and by the pipeline itself, at most so often for each stage.
inline constexpr std::size_t attempts_max = 5;
// What the agents of a stage send back, so often in a run at most; each opportunity once.
inline constexpr std::size_t agent_send_backs_max = 2;

}  // namespace plumb::pipelines::discovery
