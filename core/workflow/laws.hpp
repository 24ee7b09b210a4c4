// The laws of a workflow, tried on the record of what happened to its tasks. They are checked on every run of the soak.
//
//   1  a task moves only as the table says, and at the end none is under way
//   2  nothing is approved without a diff, without every required gate passed on its very tree, and without a review of
//      that tree by the rules; what lacks a proof is marked unverified
//   3  developer runs are 1 + retries, at most 4 before a person is asked; reviews at most 3; the counts are those told
//   4  the same tree and gate are not run twice, but for losses; nothing is run that is not declared
//   5  no reviewer is asked while a required gate of its tree fails, or about an empty diff
//   6  two approved tasks of one wave have no file in common
//   7  a claim without a diff is a finding; files beyond the task are flagged
//   8  no two effects of one key; every paid reply is used once: a turn of a conversation has the replies of all turns
//      before it, each once
//   9  a developer run has at most 3 checkpoints, and each is what the conversation had changed by then
//  10  the first request of a fresh conversation has no sentence of the conversation before it, but decisions, criteria
//      that are met with their evidence, and names of files
//  11  what a conversation left is the tree that gates and review see
//  12  parts of a task partition its criteria and cover its files; a task is revised once, and keeps its id
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/workflow/task_state.hpp"

namespace plumb::workflow {

enum class RecordKind : std::uint8_t {
  moved,
  developed,
  gated,
  reviewed,
  asked,
  person,
  turn,        // of a conversation
  fresh,       // a conversation that goes on with the work of one that was full
  checkpoint,  // of a conversation
  revised,     // by the planner
  cut,         // in parts
};

// One thing that happened, in the order of the journal.
struct Record {
  RecordKind kind = RecordKind::moved;
  std::string task;                    // gated: may be empty, of the base
  TaskState state = TaskState::draft;  // moved: to
  std::string tree;                    // developed: what it left; gated, reviewed: what was looked at
  bool empty = false;                  // developed: nothing was changed
  bool retry = false;                  // developed: beyond the first
  bool claims_more = false;            // developed: it claims files that the diff does not have
  bool flagged = false;                // developed: findings `no-diff` or `scope` were told
  std::vector<std::string> files;      // developed: of the diff
  std::string gate;                    // gated
  bool required = true;
  bool passed = false;      // gated; reviewed: approved by the rules
  bool lost = false;        // gated
  bool known = false;       // gated: it was not run again, and is held against what this task begins with
  bool unverified = false;  // reviewed; moved to approved: marked so
  std::string key;          // asked: of the effect that was paid
  std::string edited;       // developed, checkpoint: the tree that its last edit in a conversation left; or empty
  std::string wrong;        // turn, fresh, revised, cut: what is not as it should be, in a sentence
};

struct WorkflowRecord {
  std::vector<Record> records;
  std::vector<std::vector<std::string>> waves;  // ids of the tasks
  std::vector<std::string> tasks;
  std::vector<std::string> declared;  // gates
  std::vector<std::string> required;  // of these
  bool ended = true;                  // the run is over: none may be under way
};

// A sentence for each law that is broken; empty: all hold.
std::vector<std::string> broken_laws(const WorkflowRecord& record);

}  // namespace plumb::workflow
