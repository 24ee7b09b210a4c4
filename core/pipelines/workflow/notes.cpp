#include "core/pipelines/workflow/notes.hpp"

namespace plumb::pipelines::workflow {

using json::Field;
using json::field;
using json::field_if_set;

Fields PlanNote::fields() {
  static constexpr Field table[] = {field<&PlanNote::plan>("plan")};
  return table;
}

Fields StateNote::fields() {
  static constexpr Field table[] = {field<&StateNote::task>("task"), field<&StateNote::from>("from"),
                                    field<&StateNote::to>("to"), field<&StateNote::why>("why")};
  return table;
}

Fields RevisedNote::fields() {
  static constexpr Field table[] = {field<&RevisedNote::task>("task"), field<&RevisedNote::why>("why"),
                                    field<&RevisedNote::now>("now")};
  return table;
}

Fields EscalationNote::fields() {
  static constexpr Field table[] = {field<&EscalationNote::slug>("slug"),
                                    field<&EscalationNote::task_id>("task_id"),
                                    field<&EscalationNote::reason>("reason"),
                                    field_if_set<&EscalationNote::last_verdict>("last_verdict"),
                                    field_if_set<&EscalationNote::last_feedback>("last_feedback"),
                                    field<&EscalationNote::iteration>("iteration")};
  return table;
}

Fields DecisionNote::fields() {
  static constexpr Field table[] = {field<&DecisionNote::task>("task"), field<&DecisionNote::decision>("decision")};
  return table;
}

Fields ToldSignal::fields() {
  static constexpr Field table[] = {field<&ToldSignal::signal>("signal"), field<&ToldSignal::response>("response"),
                                    field<&ToldSignal::explanation>("explanation")};
  return table;
}

Fields RiskNote::fields() {
  static constexpr Field table[] = {field<&RiskNote::task>("task"), field<&RiskNote::response>("response"),
                                    field<&RiskNote::reason>("reason"), field<&RiskNote::signals>("signals")};
  return table;
}

Fields Met::fields() {
  static constexpr Field table[] = {field<&Met::criterion>("criterion"), field<&Met::evidence>("evidence")};
  return table;
}

Fields CheckpointNote::fields() {
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

Fields BrokenPattern::fields() {
  static constexpr Field table[] = {field<&BrokenPattern::path>("path"), field<&BrokenPattern::line>("line"),
                                    field<&BrokenPattern::sop>("sop"), field<&BrokenPattern::message>("message")};
  return table;
}

Fields ReviewNote::fields() {
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

}  // namespace plumb::pipelines::workflow
