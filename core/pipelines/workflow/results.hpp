// What the parts of a workflow give, and what those whom they ask answer, as its journal has it. What they note:
// notes.hpp. Internal to core/pipelines/workflow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipelines/workflow/notes.hpp"
#include "core/workflow/changes.hpp"
#include "core/workflow/decompose.hpp"
#include "core/workflow/gate_results.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::ChangedFile;
using plumb::workflow::Changes;
using plumb::workflow::Decision;
using plumb::workflow::Decomposition;
using plumb::workflow::GateOutcome;
using plumb::workflow::GateResult;
using plumb::workflow::GatesVerdict;
using plumb::workflow::read_diff_reply;
using plumb::workflow::Review;
using plumb::workflow::ReviewContext;
using plumb::workflow::ReviewVerdict;
using plumb::workflow::SizedFile;
using plumb::workflow::some_of;

// What gates said of a tree: part `gate`, note `gated`; of `gates_known` the tree alone.
struct Gated {
  std::string commit, tree_hash, folder;
  std::vector<GateResult> results;
  static Fields fields();
};

// What gates said of a tree with the guarded files that its task began with: part `with_base`.
struct WithBase {
  std::string task;
  std::vector<std::string> files;
  std::string wrong;
  std::vector<GateResult> results;
  static Fields fields();
};

// A finding about a file, of the worktree effect or of what a developer left.
struct ToldFinding {
  std::string path, rule, severity, message;
  static Fields fields();
};
// The worktree effect's `take`.
struct TreeTaken {
  std::string commit, tree_hash;  // no commit: it was refused
  bool empty = false;
  std::vector<ChangedFile> changed;
  std::vector<ToldFinding> findings;
  static Fields fields();
};

// Part `develop`.
struct Developed {
  std::string task, commit, tree_hash;
  bool empty = false;                 // nothing was changed in this run of the developer, or nothing is left of it
  bool lost = false;                  // with its host: counts for nobody
  std::vector<std::string> changed;   // since the task was begun
  std::vector<ToldFinding> findings;  // errors go back to the developer, warnings to the reviewer
  bool interrupted = false;
  std::vector<Decision> decisions;
  std::string failed;    // the developer cannot be had, or cannot go on
  std::string unusable;  // feedback: the answer could not be used
  bool too_large = false;
  // Guarded files that are not as the task began with them, those that were not there, gates that are to be run with
  // what was there, and whether the task names not all of these files.
  std::vector<std::string> guarded, guarded_new, gates_again;
  bool guarded_unnamed = false;
  static Fields fields();
  static Fields fields_not_taken();  // where nothing was taken from the tree
};

// What a model that develops answers or submits.
struct DeveloperSaid {
  std::string result, changes_summary;
  std::vector<std::string> files_modified, files_created;
  std::vector<Decision> decisions;
  Data edits;
  std::vector<std::string> claimed() const;  // all files
  static Fields fields();
};

// What a model said that is asked until it can be used, or why there is nothing: parts `plan`, `review`, `revise` and
// `decompose`.
struct ModelSaid {
  Data plan, review, task, said;
  std::string failed;
  Reason reason = Reason::none;
  static Fields fields();
};
ModelSaid failed(std::string why, Reason reason = Reason::none);

// Gates that are asked.
struct Called {
  std::vector<std::uint32_t> which;
  std::vector<std::string> changed;  // what {files} of a gate is made of
};

// Part `base`; of what the worktree effect's `open` says.
struct Base {
  std::string commit;
  std::vector<std::string> notes, submodules;
  static Fields fields();
};

// Part `task-ID`.
struct TaskResult {
  std::string id;
  TaskState state = TaskState::failed;
  std::string from, commit, tree_hash;
  std::uint32_t runs = 0, reviews = 0;
  std::vector<std::string> changed, unverified;
  std::string approved_by;   // a person, with a reason
  bool tests_named = false;  // the task names tests: there may be fewer
  Data gates;                // of its tree
  std::vector<Data> gated;   // of all its other trees
  std::vector<Decision> decisions;
  std::vector<Data> parts;  // that it is cut in
  static Fields fields();
};

// Part `merge-ID`.
struct Merged {
  std::string halted;  // why it was not merged; then nothing else is there
  std::string commit, tree_hash;
  bool landed = false;
  std::string why, command;  // it did not land
  static Fields fields();
};

}  // namespace plumb::pipelines::workflow
