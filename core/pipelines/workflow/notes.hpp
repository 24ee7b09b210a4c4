// What the parts of a workflow note, as its journal has it: whoever writes it, the parts behind it, view, log, events
// and laws know a member by the same name. What parts give: results.hpp. Internal to core/pipelines/workflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/json/record.hpp"
#include "core/run/data_record.hpp"
#include "core/workflow/context.hpp"
#include "core/workflow/review.hpp"
#include "core/workflow/task_state.hpp"

namespace plumb::pipelines::workflow {

using namespace plumb::workflow;
using run::Data;
using Fields = std::span<const json::Field>;

struct PlanNote {  // `plan`
  Plan plan;
  static Fields fields();
};
struct StateNote {  // `task_state`
  std::string task;
  TaskState from = TaskState::draft, to = TaskState::draft;
  std::string why;
  static Fields fields();
};
struct RevisedNote {  // `revised`
  std::string task, why;
  Data now;  // as its planner wrote it
  static Fields fields();
};
struct EscalationNote {  // `escalation`
  std::string slug, task_id, reason, last_verdict, last_feedback;
  std::uint64_t iteration = 0;
  static Fields fields();
};
struct DecisionNote {  // `decision`
  std::string task;
  Decision decision;
  static Fields fields();
};

struct ToldSignal {
  std::string signal, response, explanation;
  static Fields fields();
};
struct RiskNote {  // `risk`
  std::string task, response, reason;
  std::vector<ToldSignal> signals;
  static Fields fields();
};

struct Met {
  std::string criterion, evidence;
  static Fields fields();
};
struct CheckpointNote {  // `checkpoint`
  std::string task;
  std::uint32_t number = 0;
  std::string commit, reason;
  std::vector<Met> met;
  std::vector<std::string> open;
  std::vector<Decision> decisions;
  std::vector<std::string> files;
  static Fields fields();
};

struct BrokenPattern {
  std::string path;
  std::uint32_t line = 0;
  std::string sop, message;
  static Fields fields();
};
struct ReviewNote {  // `review`
  std::string task, tree_hash, by;
  ReviewOutcome outcome = ReviewOutcome::escalate;
  std::string reason, feedback;
  std::vector<std::string> open, unverified, warnings;
  std::vector<BrokenPattern> broken;
  ReviewContext context;
  std::optional<Review> review;
  static Fields fields();
};

}  // namespace plumb::pipelines::workflow
