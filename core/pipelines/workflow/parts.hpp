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
#include "core/workflow/context.hpp"
#include "core/workflow/failure.hpp"
#include "core/workflow/review.hpp"
#include "core/workflow/task_state.hpp"

namespace plumb::pipelines::workflow {

// The run as a whole, built again from the journal whenever the pipeline is called.
struct Desk {
  const Brief& brief;
  Plan plan = {};
  std::string base = {};  // the commit that all begins at
  std::vector<GateResult> base_gates = {};
  std::string head = {};                   // where approved work stands
  Spent spent = {};                        // of parts that have not finished
  std::map<std::string, Data> gated = {};  // what gates said of a tree, by its hash
  std::vector<Decision> decisions = {};    // of tasks that are over
  std::vector<std::string> notes = {};     // what people should know of the repository
};

// A task while it is worked on.
struct Work {
  Run& run;
  Desk& desk;
  const Task& task;
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
  std::vector<std::string> warnings = {};  // that the reviewer sees
  std::vector<Failure> failures = {};
  std::vector<std::string> unverified = {};
  std::vector<std::string> open = {};  // criteria that the last review found open
  Data gates = {};                     // of `at`
  std::string approved_by = {};        // a person, with a reason
  std::string last_verdict = {}, last_feedback = {};
};

// A task's id as the name of a part of the run.
std::string part_name(std::string_view prefix, std::string_view id);
Data object(const std::function<void(json::Writer&)>& members);
void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts);
[[noreturn]] void give_up(Run& run, std::string_view what, const Reply& reply);

// Moves as the table says, with a note `task_state` {task, from, to, why}.
void move(Work& work, TaskState to, std::string_view why);

// develop.cpp
struct Developed {
  std::string commit, tree_hash;
  bool empty = true;
  std::vector<std::string> changed;   // in this run of the developer
  std::vector<FileFinding> findings;  // errors go back to the developer, warnings to the reviewer
  std::string unusable;               // feedback: the answer could not be used
  std::string failed;                 // the developer cannot be had
  bool lost = false;
  bool too_large = false;
  std::vector<Decision> decisions;
};
Developed develop(Work& work);
// What a developer is told of its task, in Markdown.
std::string task_text(const Work& work);

// gate.cpp
// What gates say of a commit; those of the same tree are not run again.
std::vector<GateResult> gate(Run& run, Desk& desk, const std::string& commit, const std::string& tree_hash,
                             const std::vector<std::string>& changed);
std::vector<GateResult> results_of(const Data& gated);

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
struct Said {
  std::string decision;  // retry, approve, decompose, model, reject, stop
  std::string words, by, model;
};
Said escalate(Work& work, const std::string& reason);

// task_loop.cpp
// {"id", "state", "commit"?, "tree_hash"?, "runs", "reviews", "unverified", "parts"?: [...], "gates", "decisions"}
Data carry_out(Run& run, Desk& desk, const Task& task, std::uint32_t level);

// planning.cpp
// The plan of the run: given, or of a model, and promoted by somebody.
Plan settle_plan(Run& run, Desk& desk);

}  // namespace plumb::pipelines::workflow
