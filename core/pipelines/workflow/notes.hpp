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

using json::Field;
using json::field;
using json::field_if_set;
using plumb::workflow::Plan;
using plumb::workflow::ReviewOutcome;
using plumb::workflow::TaskState;
using run::Data;
using Fields = std::span<const Field>;

struct PlanNote {  // `plan`
  Plan plan;
  static Fields fields() {
    static constexpr Field table[] = {field<&PlanNote::plan>("plan")};
    return table;
  }
};
struct StateNote {  // `task_state`
  std::string task;
  TaskState from = TaskState::draft, to = TaskState::draft;
  std::string why;
  static Fields fields() {
    static constexpr Field table[] = {field<&StateNote::task>("task"), field<&StateNote::from>("from"),
                                      field<&StateNote::to>("to"), field<&StateNote::why>("why")};
    return table;
  }
};
struct RevisedNote {  // `revised`
  std::string task, why;
  Data now;  // as its planner wrote it
  static Fields fields() {
    static constexpr Field table[] = {field<&RevisedNote::task>("task"), field<&RevisedNote::why>("why"),
                                      field<&RevisedNote::now>("now")};
    return table;
  }
};
struct EscalationNote {  // `escalation`
  std::string slug, task_id, reason, last_verdict, last_feedback;
  std::uint64_t iteration = 0;
  static Fields fields() {
    static constexpr Field table[] = {field<&EscalationNote::slug>("slug"),
                                      field<&EscalationNote::task_id>("task_id"),
                                      field<&EscalationNote::reason>("reason"),
                                      field_if_set<&EscalationNote::last_verdict>("last_verdict"),
                                      field_if_set<&EscalationNote::last_feedback>("last_feedback"),
                                      field<&EscalationNote::iteration>("iteration")};
    return table;
  }
};

struct ToldSignal {
  std::string signal, response, explanation;
  static Fields fields() {
    static constexpr Field table[] = {field<&ToldSignal::signal>("signal"), field<&ToldSignal::response>("response"),
                                      field<&ToldSignal::explanation>("explanation")};
    return table;
  }
};
struct RiskNote {  // `risk`
  std::string task, response, reason;
  std::vector<ToldSignal> signals;
  static Fields fields() {
    static constexpr Field table[] = {field<&RiskNote::task>("task"), field<&RiskNote::response>("response"),
                                      field<&RiskNote::reason>("reason"), field<&RiskNote::signals>("signals")};
    return table;
  }
};

struct Met {
  std::string criterion, evidence;
  static Fields fields() {
    static constexpr Field table[] = {field<&Met::criterion>("criterion"), field<&Met::evidence>("evidence")};
    return table;
  }
};
struct CheckpointNote {  // `checkpoint`
  std::string task;
  std::uint32_t number = 0;
  std::string commit, reason;
  std::vector<Met> met;
  std::vector<std::string> open;
  std::vector<plumb::workflow::Decision> decisions;
  std::vector<std::string> files;
  static Fields fields() {
    static constexpr Field table[] = {field<&CheckpointNote::task>("task"),
                                      field<&CheckpointNote::number>("number"),
                                      field<&CheckpointNote::commit>("commit"),
                                      field<&CheckpointNote::reason>("reason"),
                                      field<&CheckpointNote::met>("met"),
                                      field<&CheckpointNote::open>("open"),
                                      field<&CheckpointNote::decisions>("decisions"),
                                      field<&CheckpointNote::files>("files")};
    return table;
  }
};

struct BrokenPattern {
  std::string path;
  std::uint32_t line = 0;
  std::string sop, message;
  static Fields fields() {
    static constexpr Field table[] = {field<&BrokenPattern::path>("path"), field<&BrokenPattern::line>("line"),
                                      field<&BrokenPattern::sop>("sop"), field<&BrokenPattern::message>("message")};
    return table;
  }
};
struct ReviewNote {  // `review`
  std::string task, tree_hash, by;
  ReviewOutcome outcome = ReviewOutcome::escalate;
  std::string reason, feedback;
  std::vector<std::string> open, unverified, warnings;
  std::vector<BrokenPattern> broken;
  plumb::workflow::ReviewContext context;
  std::optional<plumb::workflow::Review> review;
  static Fields fields() {
    static constexpr Field table[] = {field<&ReviewNote::task>("task"),
                                      field<&ReviewNote::tree_hash>("tree_hash"),
                                      field<&ReviewNote::by>("by"),
                                      field<&ReviewNote::outcome>("outcome"),
                                      field<&ReviewNote::reason>("reason"),
                                      field<&ReviewNote::feedback>("feedback"),
                                      field<&ReviewNote::open>("open"),
                                      field<&ReviewNote::unverified>("unverified"),
                                      field<&ReviewNote::warnings>("warnings"),
                                      field<&ReviewNote::broken>("broken"),
                                      field<&ReviewNote::context>("context"),
                                      field_if_set<&ReviewNote::review>("review")};
    return table;
  }
};

}  // namespace plumb::pipelines::workflow
