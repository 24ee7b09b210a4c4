// What a run of a workflow was begun with, as its input has it. Internal to core/pipelines/workflow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/run_settings.hpp"
#include "core/json/members.hpp"
#include "core/run/run.hpp"
#include "core/workflow/convention.hpp"
#include "core/workflow/gate_results.hpp"
#include "core/workflow/plan.hpp"
#include "core/workflow/sop.hpp"

namespace plumb::pipelines::workflow {

using namespace plumb::workflow;
using json::text_of;
using json::Value;
using run::Data;
using run::Reply;
using run::Run;

inline constexpr std::string_view gate_tree = "gates";
// A tree whose run was lost so often is looked at by a person.
inline constexpr std::uint32_t losses_max = 3;

struct Times {
  std::uint64_t develop_ms = 600'000;
  std::uint64_t gates_ms = 300'000;
  std::uint64_t review_ms = 300'000;
  std::uint64_t task_ms = 1'800'000;
};

enum class DeveloperKind : std::uint8_t { extract, model, conversation, person, command };

// What a run was begun with.
struct Brief {
  std::optional<Plan> plan;
  std::string idea;
  std::string repository, at;
  DeveloperKind developer = DeveloperKind::extract;
  std::string developer_name;
  bool reviewed_by_model = false;
  bool promoted = false;
  bool isolation_full = true;
  bool setup = false;
  bool plan_free = true, develop_free = true, review_free = true;
  std::vector<Gate> gates;
  std::vector<std::string> caches, protect, developer_reads;
  std::vector<Sop> sops;
  std::vector<Convention> conventions;
  BaseFailures base_failures = BaseFailures::refuse;
  Times times;
  budget::RunSettings risk;
  std::uint64_t token_budget = 0;
};
Brief read_brief(const Run& run);

}  // namespace plumb::pipelines::workflow
