// The rules of a plan that lie across it: circles in `after`, gates that there are not, paths that leave the tree,
// tasks that write what none may touch. Private to the reading of plans; each broken rule is a finding with its place.
#pragma once

#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/workflow/plan.hpp"

namespace plumb::workflow {

// `root` was read from `json`, and `plan` from `root`.
void hold_plan_rules(const Plan& plan, const json::Value& root, std::string_view json, const PlanNames& names,
                     std::vector<contract::Finding>& findings);

}  // namespace plumb::workflow
