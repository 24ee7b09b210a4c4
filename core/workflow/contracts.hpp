// The contracts of workflows: core/contracts/workflow/*.json. They are built in where plans are carried out or checked.
//
//   plan, task                  what is to be done (core/workflow/plan.hpp)
//   developer-output            what a developer says it did, and its edits
//   review, plan-review         what reviewers answer (core/workflow/review.hpp)
//   decomposition               a task in parts (core/workflow/decompose.hpp)
//   checkpoint, escalation      what a conversation leaves behind; what a person is asked
//   sop, convention             front matter of an SOP; a pattern that was approved
//   tool-...                    the arguments of what a developer that converses may call
#pragma once

#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"

namespace plumb::workflow {

// In the order of their names.
const std::vector<contract::BuiltIn>& workflow_contracts();
// Read once; `name` is one of the above.
const contract::Contract& workflow_contract(std::string_view name);

}  // namespace plumb::workflow
