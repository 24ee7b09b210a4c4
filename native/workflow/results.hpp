// What is done with the results of a run of a workflow, by the command and by the server alike: its diff is shown, a
// branch is moved to it, conventions are learnt of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/run/effect.hpp"
#include "core/run/journal.hpp"
#include "native/command/work_folders.hpp"
#include "native/host/fulfil.hpp"
#include "native/workflow/declared.hpp"

namespace plumb::workflow {

// Two commits: what a run, or one task of it, began at, and what it has come to.
struct Commits {
  std::string from, to;
};
// `view`: of the run. An empty task: all. Nothing: nothing was changed yet.
std::optional<Commits> commits_of(const run::Journal& journal, const json::Value& view, std::string_view task);

// {"patch", "changed"}. `trees`: who does `worktree` effects.
Result<run::Data> diff_of(host::Fulfiller& trees, const std::string& run, std::string_view repository,
                          const Commits& change);

struct Landing {
  enum class How : std::uint8_t {
    landed,
    not_ended,
    not_approved,  // tasks of it are not
    unverified,    // it is to be looked at first
    refused,       // `command` does it, where there is one
  } how = How::landed;
  std::string why, command, commit, was;
};
// Moves a branch to what the run has approved, by fast-forward, never one that is checked out. `passes`: also where not
// everything is verified.
Result<Landing> land(host::Fulfiller& trees, const json::Value& view, std::string_view repository,
                     std::string_view branch, bool passes);

// A folder in which a run that is over has worked.
struct LeftTree {
  std::string tree, folder;
  std::string commit;   // of what lay in no commit: under refs/plumb/RUN/TREE now; empty: nothing did
  std::string problem;  // why it stays
};
// Those of a run in this repository. `remove`: what is in no commit is committed, then they go (004-34).
std::vector<LeftTree> left_trees(host::Fulfiller& trees, const command::WorkFolders& folders, const std::string& run,
                                 std::string_view repository, bool remove);

// Patterns of its approved reviews become conventions of the repository. A second time changes nothing.
Result<bool> learn(const DeclaredAt& at, const json::Value& view);

}  // namespace plumb::workflow
