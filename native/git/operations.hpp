// What the `worktree` effect does, an operation each: worktree_fulfiller.hpp says what they take and give. Internal to
// native/git. Every one of them may be repeated, and then gives the same objects and the same reply.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "core/run/effect.hpp"
#include "native/command/work_folders.hpp"
#include "native/git/git.hpp"
#include "native/git/known_trees.hpp"
#include "native/git/tree_files.hpp"

namespace plumb::git {

struct ChangedFiles;

// What a commit holds.
struct Contents {
  std::map<std::string, std::uint64_t> files;  // path and bytes
  std::uint64_t bytes = 0;
  std::vector<std::string> submodules;
};

// What operations on one repository need not ask git for again.
struct Remembered {
  std::optional<Users> users;
  std::array<std::uint64_t, 6> owned = {};    // inode and owner of its folders: git works only where they are the same
  std::unordered_set<std::string> commits;    // that the private repository has whole
  std::unordered_set<std::string> ancestors;  // "ONE OTHER": pairs of them
  std::unordered_set<std::string> bases;      // that came from the user's repository
  // Of commits; what was needed last comes first.
  std::deque<std::pair<std::string, std::shared_ptr<const Contents>>> contents;
  // "FROM TO", and what differs between these.
  std::deque<std::pair<std::string, std::shared_ptr<const ChangedFiles>>> changed;
  std::map<std::string, KnownTree> trees;  // by folder

  void forget();  // but the user's repository: the private one is another now
};

struct Operation {
  const json::Value& request;
  const command::WorkFolders& folders;
  const TreeLimits& limits;
  const std::function<void()>& between;
  std::string run;
  std::string folder;  // of the user's repository
  Remembered& remembered;

  // Found when they are needed first.
  std::string git_dir = {};
  Users users = {};
  bool found = false;

  std::string text(std::string_view member) const;
  std::string tree() const { return folders.tree(run, text("tree")); }
  std::string index() const { return folders.index(run, text("tree")); }
  // The refs of the private repository: what the tree was opened at, and what was taken of it last.
  std::string ref() const { return "refs/runs/" + run + "/" + text("tree"); }
  Result<bool> find();
  // A commit that the private repository has whole: by its hash, or as the user's repository knows it.
  Result<std::string> commit(const std::string& name);
  // Whether the folder of the tree is there, with what git knows of it.
  bool is_open() const;
};

using Outcome = Result<std::string>;  // the value of the reply
Outcome open_tree(Operation& what);
Outcome read_tree(Operation& what);
Outcome init_tree(Operation& what);
Outcome change_tree(Operation& what);
Outcome take_tree(Operation& what);
Outcome keep_folders(Operation& what);
Outcome diff_commits(Operation& what);
Outcome merge_commits(Operation& what);
Outcome reset_tree(Operation& what);
Outcome land_commit(Operation& what);
Outcome close_tree(Operation& what);

// Lines of the text files of a commit that have a text, at most 100: {found: [{path, line, text}], left_out?}
Outcome search_commit(Operation& what, const std::string& commit);

// What a commit holds, within the bounds of a tree.
Result<std::shared_ptr<const Contents>> contents_of(Operation& what, const std::string& commit);
void remember_contents(Remembered& known, const std::string& commit, std::shared_ptr<const Contents> contents);
// The work tree as a commit has it, what git does not know of removed, and times as `since` asks for. Where it is known
// what lies there, what differs is written alone. `spare`: it was one, and what git ignores goes too.
Result<bool> check_out(Operation& what, const std::string& commit, bool spare = false);
// Folders of the tree that were kept before (keep_folders) lie in it again, as copies with their times.
Result<bool> copy_kept(Operation& what);
// Of these files those that are the same at `since` get a time of long ago, so that tools that go by times see what has
// changed; all that have changed get the time of now, and are told in `fresh`.
Result<bool> age_unchanged(Operation& what, const std::string& since, const std::string& commit,
                           const std::vector<std::string>& files, std::set<std::string>& fresh);
// Brings a commit of the user's, with its history. Once is enough.
Result<bool> bring(Operation& what, const std::string& commit);
// Gives the user's repository what it may lack of a commit. `has`: a commit that a ref of it names, or empty.
Result<bool> give(Operation& what, const std::string& commit, const std::string& has);
// The repository that init has made in the tree goes; any other `.git` stays, and is a finding.
void remove_own(Operation& what);
// A mark of it lies outside of the tree, where nobody who works in it can set one.
std::string own_marker(const Operation& what);
// git in the private repository; with `in_tree` on the tree's folder and index.
Result<std::string> git_text(Operation& what, std::vector<std::string> words, bool in_tree = false,
                             std::string input = {});
// The commit of a ref that there may be; empty: there is none.
Result<std::string> commit_at(const std::string& git_dir, const std::string& ref, bool users);
// The same in the user's repository, without git where the ref lies in a file and its commit is known.
Result<std::string> users_commit(Operation& what, const std::string& ref);
// Of two commits that the private repository has: whether the other one goes on from the first.
Result<bool> is_ancestor(Operation& what, const std::string& one, const std::string& other);
// update-ref; an empty `to` removes. `users`: in the user's repository, where `was` must be what it is now.
Result<bool> set_ref(const std::string& git_dir, const std::string& ref, const std::string& to, const std::string& was,
                     bool users);

}  // namespace plumb::git
