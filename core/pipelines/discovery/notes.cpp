#include "core/pipelines/discovery/notes.hpp"

namespace plumb::pipelines::discovery {

Fields Input::fields() {
  static constexpr Field table[] = {field<&Input::target_domain>("target_domain"),
                                    field<&Input::time_window_days>("time_window_days"),
                                    field<&Input::scope_dirs>("scope_dirs"),
                                    field<&Input::doc_paths>("doc_paths"),
                                    field<&Input::review>("review"),
                                    field<&Input::window_tokens>("window_tokens"),
                                    field<&Input::call_ms>("call_ms"),
                                    field<&Input::way>("way")};
  return table;
}

Fields StageNote::fields() {
  static constexpr Field table[] = {field<&StageNote::stage>("stage"),
                                    field<&StageNote::attempt>("attempt"),
                                    field<&StageNote::sent_back_from>("sent_back_from"),
                                    field<&StageNote::send_back_reason>("send_back_reason"),
                                    field_if_set<&StageNote::order>("order"),
                                    field_if_set<&StageNote::sent_back_by>("sent_back_by"),
                                    field_if_set<&StageNote::opportunities>("opportunities")};
  return table;
}

Fields CheckpointNote::fields() {
  static constexpr Field table[] = {field<&CheckpointNote::stage>("stage"), field<&CheckpointNote::attempt>("attempt"),
                                    field<&CheckpointNote::quality_flags>("quality_flags")};
  return table;
}

Fields ReviewSignal::fields() {
  static constexpr Field table[] = {field<&ReviewSignal::kind>("kind"),
                                    field<&ReviewSignal::opportunity_id>("opportunity_id"),
                                    field<&ReviewSignal::decision>("decision"),
                                    field<&ReviewSignal::reasoning>("reasoning"),
                                    field<&ReviewSignal::by>("by"),
                                    field<&ReviewSignal::send_back_to_stage>("send_back_to_stage"),
                                    field<&ReviewSignal::adjusted_priority>("adjusted_priority"),
                                    field<&ReviewSignal::revises>("revises"),
                                    field<&ReviewSignal::order>("order"),
                                    field<&ReviewSignal::request>("request")};
  return table;
}

Fields ReviewNote::fields() {
  static constexpr Field table[] = {field<&ReviewNote::accepted>("accepted"),
                                    field<&ReviewNote::kind>("kind"),
                                    field<&ReviewNote::why>("why"),
                                    field<&ReviewNote::opportunity_id>("opportunity_id"),
                                    field<&ReviewNote::by>("by"),
                                    field<&ReviewNote::request>("request"),
                                    field<&ReviewNote::order>("order"),
                                    field<&ReviewNote::decisions>("decisions"),
                                    field_if_set<&ReviewNote::send_back_to_stage>("send_back_to_stage"),
                                    field_if_set<&ReviewNote::send_back_reason>("send_back_reason"),
                                    field_if_set<&ReviewNote::reason>("reason")};
  return table;
}

Fields Reentry::fields() {
  static constexpr Field table[] = {field<&Reentry::parent_run_id>("parent_run_id"),
                                    field<&Reentry::results>("results"), field<&Reentry::state>("state")};
  return table;
}

Fields ParentState::fields() {
  static constexpr Field table[] = {field<&ParentState::explored>("explored"),
                                    field<&ParentState::opportunities>("opportunities")};
  return table;
}

Fields ReentryInput::fields() {
  static constexpr Field table[] = {field<&ReentryInput::experiment>("experiment")};
  return table;
}

}  // namespace plumb::pipelines::discovery
