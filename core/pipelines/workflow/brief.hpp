// What a run of a workflow was begun with, as its input has it. Internal to core/pipelines/workflow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/run_settings.hpp"
#include "core/json/members.hpp"
#include "core/pipelines/workflow/settings.hpp"
#include "core/run/run.hpp"
#include "core/workflow/convention.hpp"
#include "core/workflow/plan.hpp"

namespace plumb::pipelines::workflow {

using json::text_of;
using json::Value;
using plumb::workflow::BaseFailures;
using plumb::workflow::Convention;
using plumb::workflow::Criterion;
using plumb::workflow::Gate;
using plumb::workflow::GateList;
using plumb::workflow::Plan;
using plumb::workflow::PlanReading;
using plumb::workflow::read_plan;
using plumb::workflow::read_task;
using plumb::workflow::Scenario;
using plumb::workflow::Sop;
using plumb::workflow::SopScope;
using plumb::workflow::Task;
using run::Data;
using run::Reply;
using run::Run;

inline constexpr std::string_view gate_tree = "gates";
// A tree whose run was lost so often is looked at by a person.
inline constexpr std::uint32_t losses_max = 3;

// What a run was begun with.
struct Brief {
  std::optional<Plan> plan;
  std::string idea;
  std::string repository, at;
  std::string claims;  // what names of claimed files begin with
  DeveloperKind developer = DeveloperKind::extract;
  std::string developer_name;
  bool reviewed_by_model = false;
  bool promoted = false;
  bool guards = false, tolerant = false, searches = false;  // Input::rules
  bool isolation_full = true;
  bool setup = false;
  bool plan_free = true, develop_free = true, review_free = true;
  std::vector<Gate> gates;
  std::vector<std::string> caches, protect, developer_reads, tests;
  std::vector<Sop> sops;
  std::vector<Convention> conventions;
  BaseFailures base_failures = BaseFailures::refuse;
  Times times;
  budget::RunSettings risk;
  std::uint64_t token_budget = 0;
};
Brief read_brief(const Run& run);

}  // namespace plumb::pipelines::workflow
