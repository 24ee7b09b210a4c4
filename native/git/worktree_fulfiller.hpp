// WorktreeFulfiller: the Fulfiller of `worktree` effects: a run works on a git repository, in trees of its own.
//
// Every request has {"operation", "repository": NAME}, most {"tree": NAME} too; times are in the request (`date_ms`),
// so an operation that is repeated gives the same objects. Commits are told in full.
//
//   open    {"tree", "at"?, "since"?, "caches"?, "lands"?}  a tree at that commit (HEAD). Files that are the same at
//           `since` get a time of long ago; of `caches` what was kept lies in it. Refused where the branch `lands` is
//           there with commits that this one has not: what is made from it could not land there
//           -> {"commit", "folder", "files", "bytes", "submodules"?, "notes"?}
//   read    {"tree" | "at", "path"}    a file; without path what there is  -> {"text"} | {"paths", "cut"?}
//           {"at", "search", "under"?, "ignore_case"?}  lines with a text  -> {"found": [{"path", "line", "text"}],
//                                                                             "left_out"?}
//   init    {"tree"}     the tree is a git repository of its own, of one commit, until it is taken  -> {"commit"}
//   change  {"tree", "from", "edits": [{"path", "text" | "find", "replace" | "delete", "executable"?}]}
//           the commit, and these edits on it   -> {"changed", "findings"}: all of them or none
//   take    {"tree", "from"? (what it was opened at), "message", "date_ms", "publish"?}
//           -> {"commit", "tree_hash", "empty", "changed", "findings"}
//   keep    {"tree", "caches": [PATH]}   these folders of the tree, for trees of this name -> {"kept": [PATH]}
//   diff    {"from", "to"}               -> {"patch", "changed"}; an error from 8 MB or 20,000 files on
//   merge   {"ours", "theirs", "message", "date_ms"}   -> {"merged": true, "commit", "tree_hash"?} | {"merged": false,
//           "conflicts"}
//   reset   {"tree", "to"}               as open, for a tree that may be there
//   land    {"commit", "branch", "expect"?}   -> {"landed": true, "was"} | {"landed": false, "why", "command"?}
//   close   {"tree"}                     its folder and refs go
//
// Work is done in a private bare repository beside the store, fetched from the user's; in the user's only objects,
// `refs/plumb/` and `refs/heads/plumb/` change. `land` moves another branch too, by fast-forward, and never one that is
// checked out in any work tree: then it says what its owner may run. What a taken tree holds that people must see are
// findings: `.git*` in any case, links that leave the tree, repositories in it. Where there is a `.git` nothing is
// taken, but for the one of `init`, which goes. Submodules stay as they are, their folders empty.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "native/command/work_folders.hpp"
#include "native/git/tree_files.hpp"
#include "native/host/fulfil.hpp"
#include "native/host/workers.hpp"

namespace plumb::git {

struct WorktreeSettings {
  std::map<std::string, std::string> repositories;  // name and folder
  TreeLimits limits = {};
  std::size_t at_once = 2;
  // Tests die here: after the objects of an operation are there, before its ref.
  std::function<void()> between = {};
};

class WorktreeFulfiller final : public host::Fulfiller {
 public:
  WorktreeFulfiller(WorktreeSettings settings, command::WorkFolders folders);
  ~WorktreeFulfiller() override;  // with the trees that were kept to begin others with
  WorktreeFulfiller(const WorktreeFulfiller&) = delete;
  WorktreeFulfiller& operator=(const WorktreeFulfiller&) = delete;

  bool can(run::EffectKind kind) const override { return kind == run::EffectKind::worktree; }
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;  // an operation is short: it ends by itself

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  host::Workers workers_;
};

}  // namespace plumb::git
