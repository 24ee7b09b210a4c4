#include "core/pipelines/workflow/results.hpp"

namespace plumb::pipelines::workflow {

Fields Gated::fields() {
  static constexpr Field table[] = {field<&Gated::commit>("commit"), field<&Gated::tree_hash>("tree_hash"),
                                    field<&Gated::folder>("folder"), field<&Gated::results>("results")};
  return table;
}

Fields WithBase::fields() {
  static constexpr Field table[] = {field<&WithBase::task>("task"), field<&WithBase::files>("files"),
                                    field_if_set<&WithBase::wrong>("wrong"), field<&WithBase::results>("results")};
  return table;
}

Fields ToldFinding::fields() {
  static constexpr Field table[] = {field<&ToldFinding::path>("path"), field<&ToldFinding::rule>("rule"),
                                    field<&ToldFinding::severity>("severity"), field<&ToldFinding::message>("message")};
  return table;
}

Fields TreeTaken::fields() {
  static constexpr Field table[] = {field<&TreeTaken::commit>("commit"), field<&TreeTaken::tree_hash>("tree_hash"),
                                    field<&TreeTaken::empty>("empty"), field<&TreeTaken::changed>("changed"),
                                    field<&TreeTaken::findings>("findings")};
  return table;
}

Fields Developed::fields() {
  static constexpr Field table[] = {field<&Developed::task>("task"),
                                    field<&Developed::commit>("commit"),
                                    field<&Developed::tree_hash>("tree_hash"),
                                    field<&Developed::empty>("empty"),
                                    field_if_set<&Developed::lost>("lost"),
                                    field<&Developed::changed>("changed"),
                                    field<&Developed::findings>("findings"),
                                    field_if_set<&Developed::interrupted>("interrupted"),
                                    field<&Developed::decisions>("decisions"),
                                    field<&Developed::failed>("failed"),
                                    field<&Developed::unusable>("unusable"),
                                    field<&Developed::too_large>("too_large"),
                                    field_if_set<&Developed::guarded>("guarded"),
                                    field_if_set<&Developed::guarded_new>("guarded_new"),
                                    field_if_set<&Developed::gates_again>("gates_again"),
                                    field_if_set<&Developed::guarded_unnamed>("guarded_unnamed")};
  return table;
}

Fields Developed::fields_not_taken() {
  static constexpr Field table[] = {field<&Developed::task>("task"),          field<&Developed::commit>("commit"),
                                    field<&Developed::empty>("empty"),        field_if_set<&Developed::lost>("lost"),
                                    field<&Developed::failed>("failed"),      field<&Developed::unusable>("unusable"),
                                    field<&Developed::too_large>("too_large")};
  return table;
}

std::vector<std::string> DeveloperSaid::claimed() const {
  std::vector<std::string> out = files_modified;
  out.insert(out.end(), files_created.begin(), files_created.end());
  return out;
}

Fields DeveloperSaid::fields() {
  static constexpr Field table[] = {field<&DeveloperSaid::result>("result"),
                                    field<&DeveloperSaid::changes_summary>("changes_summary"),
                                    field<&DeveloperSaid::files_modified>("files_modified"),
                                    field<&DeveloperSaid::files_created>("files_created"),
                                    field<&DeveloperSaid::decisions>("decisions"),
                                    field<&DeveloperSaid::edits>("edits")};
  return table;
}

ModelSaid failed(std::string why, Reason reason) {
  ModelSaid out;
  out.reason = reason;
  out.failed = std::move(why);
  return out;
}

Fields ModelSaid::fields() {
  static constexpr Field table[] = {
      field_if_set<&ModelSaid::plan>("plan"),     field_if_set<&ModelSaid::review>("review"),
      field_if_set<&ModelSaid::task>("task"),     field_if_set<&ModelSaid::said>("said"),
      field_if_set<&ModelSaid::failed>("failed"), field_if_set<&ModelSaid::reason>("reason")};
  return table;
}

Fields Base::fields() {
  static constexpr Field table[] = {field<&Base::commit>("commit"), field<&Base::notes>("notes"),
                                    field<&Base::submodules>("submodules")};
  return table;
}

Fields TaskResult::fields() {
  static constexpr Field table[] = {field<&TaskResult::id>("id"),
                                    field<&TaskResult::state>("state"),
                                    field<&TaskResult::from>("from"),
                                    field<&TaskResult::commit>("commit"),
                                    field<&TaskResult::tree_hash>("tree_hash"),
                                    field<&TaskResult::runs>("runs"),
                                    field<&TaskResult::reviews>("reviews"),
                                    field<&TaskResult::changed>("changed"),
                                    field<&TaskResult::unverified>("unverified"),
                                    field_if_set<&TaskResult::approved_by>("approved_by"),
                                    field_if_set<&TaskResult::tests_named>("tests_named"),
                                    field_if_set<&TaskResult::gates>("gates"),
                                    field<&TaskResult::gated>("gated"),
                                    field<&TaskResult::decisions>("decisions"),
                                    field<&TaskResult::parts>("parts")};
  return table;
}

Fields Merged::fields() {
  static constexpr Field table[] = {
      field_if_set<&Merged::halted>("halted"), field<&Merged::commit>("commit"), field<&Merged::tree_hash>("tree_hash"),
      field<&Merged::landed>("landed"),        field<&Merged::why>("why"),       field<&Merged::command>("command")};
  return table;
}

}  // namespace plumb::pipelines::workflow
