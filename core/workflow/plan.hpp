// A plan and its tasks: what is carried out, task by task.
//
//   PlanReading read = read_plan(json, {.gates = {"build", "test"}});
//   if (read.plan) for (const std::vector<std::uint32_t>& wave : waves(*read.plan)) ...
//
// A plan is read under the contract `plan` (core/contracts/workflow/plan.json) and the rules that lie across it: ids
// that occur twice, `after` that names no task or goes round in a circle, `check` and `fixes` that name no gate, paths
// that are absolute, leave the tree or go into `.git`. Each broken rule is a finding with its place and the task's
// name.
//
// `files` are paths, folders ("src/") or patterns (core/budget/risk.hpp: path_fits) with what is done to them. A task
// that writes what another task writes waits for it, in the order of the plan, also where `after` does not say so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/result.hpp"
#include "core/workflow/findings.hpp"

namespace plumb::workflow {

inline constexpr std::size_t tasks_max = 50;
inline constexpr std::size_t at_once_usual = 2;
inline constexpr std::size_t at_once_max = 8;

enum class Access : std::uint8_t { read, write };
std::span<const std::string_view> names_of(Access);

struct TaskFile {
  std::string path;
  Access access = Access::write;
  static std::span<const json::Field> fields();
};

// Criteria are named A1, A2, ..., scenarios S1, S2, ... in the order of the task.
struct Criterion {
  std::string id;
  std::string text;
  std::string check = {};  // the gate that decides it; empty: none does
};

struct Scenario {
  std::string id;
  std::string given, when, then;
  std::string check;  // the gate that decides it; empty: none does
  static std::span<const json::Field> fields();
};

struct Task {
  std::string id;
  std::string description;
  std::vector<TaskFile> files;
  std::vector<std::string> after;  // ids of tasks
  std::vector<Criterion> acceptance;
  std::vector<Scenario> scenarios;
  std::vector<std::string> fixes;  // gates that fail now, and are to pass

  std::vector<std::string> written() const;  // the paths with access write
  std::vector<std::string> touched() const;  // all paths
  void name_criteria();                      // and scenarios, by their place
  static std::span<const json::Field> fields();
};

struct Constraints {
  std::vector<std::string> in, out, do_not_touch;
  static std::span<const json::Field> fields();
};

struct Plan {
  std::string slug;  // of the branch plumb/SLUG and the refs: from `slug`, else from the title
  std::string title, situation, mission, execution, coordination;
  Constraints constraints;
  std::vector<Task> tasks;
  static std::span<const json::Field> fields();
};

struct PlanNames {
  std::optional<std::vector<std::string>> gates;  // that there are; nothing: not known, and not judged
};

struct PlanReading {
  contract::Verdict verdict;
  std::optional<Plan> plan;  // where no error was found
};
PlanReading read_plan(std::string_view json, const PlanNames& names = {});

// A plan of one task from a line of text and the globs that it may write (`--task`, `--files`). The error says what is
// wrong with the text or a glob.
Result<Plan> plan_of_one(std::string_view task, std::span<const std::string> globs);

// Read again they give the same.
std::string plan_json(const Plan& plan);
std::string task_json(const Task& task);
// A task written by plan_json() or task_json(), or one that keeps the contract `task`.
Result<Task> read_task(std::string_view json);

// "fix-the-parser" of "Fix the parser!": lower case letters, digits and hyphens, at most 60; "plan" of nothing.
std::string slug_of(std::string_view title);

// Why a path of a task cannot be one; empty: it can.
std::string bad_task_path(std::string_view path);
// Whether a file may fit both patterns.
bool may_overlap(std::string_view a, std::string_view b);
// Paths that both tasks write, as the first has them.
std::vector<std::string> declared_overlap(const Task& a, const Task& b);

// The indices of the tasks that each waits for: its `after`, and earlier ones that write what it writes, unless these
// wait for it.
std::vector<std::vector<std::uint32_t>> waits_for(const Plan& plan);
// The tasks in waves of at most `at_once` that wait for none of their own wave or a later one.
std::vector<std::vector<std::uint32_t>> waves(const Plan& plan, std::size_t at_once = at_once_usual);

}  // namespace plumb::workflow
