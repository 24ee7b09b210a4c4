// The planner: of a whole plan, and of a task that cannot go on as it is. Internal to core/pipelines/workflow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pipelines/workflow/parts.hpp"

namespace plumb::pipelines::workflow {

// The plan of the run: given, or of a model, and promoted by somebody.
Plan settle_plan(Run& run, Desk& desk);
// What the reviewer of plans says of one; approved, and nobody asked, where no SOP is about plans.
struct PlanJudged {
  bool approved = false;
  std::string said;   // the review, JSON
  std::string wrong;  // for the planner
  std::string error;  // why it is not approved
  Reason reason = Reason::none;
};
PlanJudged judge_plan(Run& part, Desk& desk, const Plan& plan);
std::vector<std::string> gate_names(const Brief& brief);

// What a planner makes of a task that cannot go on as it is: the task, revised, or why there is none.
struct Replanned {
  std::optional<Task> task;
  std::string why_not;
};
Replanned revise_task(Work& work, const ReviewVerdict& verdict);
// Its parts: of a model where there is one for plans, else by the sizes of its files.
Decomposition cut_task(Work& work, std::uint32_t level, const std::string& why);

}  // namespace plumb::pipelines::workflow
