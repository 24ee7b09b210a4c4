// What the parts of the loop share. Internal to core/pipelines/workflow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/ladder.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/model_call.hpp"
#include "core/pipelines/work_call.hpp"
#include "core/pipelines/workflow/brief.hpp"
#include "core/pipelines/workflow/results.hpp"
#include "core/workflow/failure.hpp"
#include "core/workflow/guarded.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::Failure;
using plumb::workflow::Guards;

// The run as a whole, built again from the journal whenever the pipeline is called.
struct Desk {
  const Brief& brief;
  Plan plan = {};
  std::string base = {};  // the commit that all begins at
  std::vector<GateResult> base_gates = {};
  std::string head = {};                   // where approved work stands
  std::string head_tree = {};              // its tree, where anything was approved
  Spent spent = {};                        // of all parts so far
  std::map<std::string, Data> gated = {};  // what gates said of a tree, by its hash
  std::vector<Decision> decisions = {};    // of the tasks that the one under way stands behind (004-35)
};

// A task while it is worked on.
struct Work {
  Run& run;
  Desk& desk;
  Task task;
  std::string from = {};  // what its first developer was given
  std::string at = {};    // what its last one left
  std::string tree_hash = {};
  std::vector<std::string> changed = {};  // since `from`
  TaskState state = TaskState::ready;
  std::string provider = {};                        // that a person has chosen
  std::uint32_t runs = 0, reviews = 0, losses = 0;  // since a person was asked last
  std::uint32_t runs_all = 0, reviews_all = 0;
  std::uint64_t since_ms = 0;              // the task's time counts from here
  std::string feedback = {};               // for the next developer run
  std::vector<std::string> warnings = {};  // that the reviewer sees, of the last developer run
  std::vector<std::string> warned = {};    // and of the signals since the last review
  std::vector<Failure> failures = {};
  std::vector<std::string> unverified = {};
  std::vector<std::string> open = {};    // criteria that the last review found open
  Data gates = {};                       // of `at`
  std::vector<Data> gated = {};          // of all its trees
  std::string approved_by = {};          // a person, with a reason
  std::vector<Decision> decisions = {};  // of its developers
  bool revised = false;                  // by the planner
  std::vector<SizedFile> sizes = {};     // of the files that it writes, at `from`
  budget::SizeLimits limits = {};
  Guards guards = {};  // what gates run, at `from`
  std::string last_verdict = {}, last_feedback = {};
};

// A task's id as the name of a part of the run.
std::string part_name(std::string_view prefix, std::string_view id);
Data object(const std::function<void(json::Writer&)>& members);
void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts);
// A part of the run that asks models: what it cost stands in its result, and is spent whether the part is run or was.
Data spending(Run& run, Desk& desk, std::string_view name, const std::function<Data(Run&)>& part);
[[noreturn]] void give_up(Run& run, std::string_view what, const Reply& reply);

// Moves as the table says, with a note `task_state` {task, from, to, why}.
void move(Work& work, TaskState to, std::string_view why);

// What a developer did, before it is taken.
struct Did {
  std::vector<std::string> claimed;
  std::vector<Decision> decisions;
  std::string unusable, failed;
  bool lost = false, too_large = false, interrupted = false;
  bool kept = false;  // also where it failed: what it changed is taken
};
// converse.cpp
Did converse_with_model(Run& run, Work& work);

// develop.cpp
std::optional<std::string> file_at(Run& run, const Work& work, const std::string& at, const std::string& path);
// Edits on a commit into the task's tree; what is wrong with them, else nothing.
std::string change(Run& run, const Work& work, const std::string& from, std::string_view edits);
// The findings of a reply to `change` or `take`, a line each.
std::string findings_text(const Data& reply);

Developed develop(Work& work);
// What is told of a task, in Markdown: the one that is worked on, or what is left of it.
std::string task_text(const Work& work, const Task& task);

// gate.cpp
// What gates say of a commit; those of the same tree are not run again.
std::vector<GateResult> gate(Run& run, Desk& desk, const std::string& commit, const std::string& tree_hash,
                             const std::vector<std::string>& changed);
std::vector<GateResult> results_of(const Value& gated);
// Gates in a fresh checkout of a commit, with edits on it where there are any.
struct GatesRun {
  std::string folder, wrong;  // wrong: the edits could not be made, and nothing was run
  std::vector<GateResult> results;
};
GatesRun run_in_checkout(Run& part, const Desk& desk, const std::string& commit, const Called& called,
                         const std::string& edits = {});
// What they said of a tree before, wherever that was; null where they were not run on it.
Data gated_before(const Run& run, const Desk& desk, const std::string& tree_hash);

// review.cpp
ReviewVerdict review(Work& work, const std::vector<GateResult>& gates);

// monitor.cpp
// All signals, judged; a note `risk` where one calls for more than to observe. What pause, halt and escalate do is up
// to the caller.
struct Judged {
  budget::Response response = budget::Response::observe;
  std::string reason;
};
Judged judge_signals(Work& work, std::uint64_t retries, std::uint64_t equal);
// Waits until a person lets the task go on; false: it is to stop.
bool paused(Work& work, const std::string& reason);

// escalate.cpp
struct Escalated {
  std::string decision;  // retry, approve, decompose, model, reject, stop
  std::string words, by, model;
  static Fields fields();
};
Escalated escalate(Work& work, const std::string& reason);

// task_loop.cpp
// A TaskResult.
Data carry_out(Run& run, Desk& desk, const Task& task, std::uint32_t level);

}  // namespace plumb::pipelines::workflow
