// A git checkout, and a View of it to judge: the index or the work tree as one git tree. Patches and laid-out files
// come from the same tree, so they cannot differ.
//
//   Result<git::Checkout> checkout = git::find_checkout(folder, named);
//   Result<git::View> view = git::View::of_index(checkout.value());     // what `git commit` would commit
//   Result<git::View> view = git::View::of_files(checkout.value());     // what `git add -A` would add
//   view.value().patch(base);  view.value().lay_out(folder);
//
// Honours the variables that git sets for hooks (the index of `git commit -a`, another work tree) and the user's
// configuration (ignored files, line endings, file modes). Upper and lower case always differ; grafts and replacements
// of commits do not count. Runs no filters: a file with a filter is taken as it is on disk. Writes nothing into the
// repository, except Checkout::stage().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "native/git/git.hpp"
#include "native/git/tree_files.hpp"
#include "native/git/view_entries.hpp"

namespace plumb::git {

// A file of the index that gets another text: `was` is the hash of the text that it has now, as far as is known.
struct Restaged {
  std::string path, was, text;
};

struct Checkout {
  std::string top;  // the folder that the files of the repository lie in
  Users repository;
  std::string index;    // the file that git has its index in
  std::string objects;  // the folder of objects
  std::string alternates;
  std::vector<std::pair<std::string, std::string>> person;

  // Runs git in the checkout and returns its standard output.
  Result<std::string> says(std::vector<std::string> words) const;
  // The content of a file in a commit or tree; nullopt if it has none.
  std::optional<std::string> text(const std::string& tree, const std::string& path) const;
  std::string empty_tree() const;
  // Whether the index is one that git made for this commit alone (`git commit FILE`): what is staged there is not in
  // the index afterwards.
  bool index_is_passing() const;
  // Gives files of the index new contents, all in one step, with git's lock on the index held from the comparison on. A
  // file that the index has with another text than `was` by now stays as it is, and is returned. The others are put in
  // if `take` agrees. Modes stay. Contents go in as they are, unfiltered. The error: the index is locked, or cannot be
  // written; then nothing is staged.
  Result<std::vector<std::string>> stage(const std::vector<Restaged>& texts,
                                         const std::function<Result<bool>(const Restaged&)>& take) const;
  // HEAD, or the empty tree before the first commit.
  Result<std::string> head_tree() const;
  // The merge base of HEAD and `other`; an error if `other` is the name of several refs.
  Result<std::string> shared_tree(const std::string& other) const;

 private:
  Call call_of(std::vector<std::string> words) const;
  std::vector<std::string> refs_named(const std::string& name) const;
};
// `named`: the user named the folder, so git variables that point to another repository are ignored. The folder decides
// which files are meant: a core.worktree that leads away from it does not count.
Result<Checkout> find_checkout(const std::string& folder, bool named);
// From now on this process asks git only once for each folder. For commands that end soon.
void remember_checkouts();
// Returns the top of the checkout, or the folder itself outside a repository.
std::string top_of(const std::string& folder);

// The tops of the other work trees of the same repository, if `folder` is in a linked one (`git worktree add`): the
// main one first. Empty if it is in none, or if the repository does not list it.
std::vector<std::string> other_work_trees(const std::string& folder);

// Splits git's output at NUL bytes (-z) or at `end`.
std::vector<std::string> pieces_of(const std::string& text, char end = '\0');

class View {
 public:
  // Both return an error if the index has conflicts.
  static Result<View> of_index(const Checkout& checkout);
  static Result<View> of_files(const Checkout& checkout, const TreeLimits& limits = {});
  View(View&&) noexcept = default;
  View& operator=(View&&) noexcept = default;
  ~View();

  const std::string& tree() const { return tree_; }
  // Files of the checkout that git cannot add: repositories that are not submodules, and names such as `.GIT`.
  const std::vector<TreeFinding>& findings() const { return findings_; }
  // Entries that must not pass: repositories without an entry in .gitmodules in the whole tree; in what differs from
  // `from`, links that leave the tree and names that git takes for `.git` or `.gitmodules` on other systems.
  Result<std::vector<TreeFinding>> refused_entries(const std::string& from) const;
  // A patch from another tree, without renames. `as_text`: only these paths, binary files included.
  Result<std::string> patch(const std::string& from, const std::vector<std::string>& as_text = {}) const;
  // Paths that differ and exist in this tree, sorted by bytes.
  Result<std::vector<std::string>> present_paths(const std::string& from) const;
  // The content of a file; nullopt if the tree does not have it.
  Result<std::optional<std::string>> text(const std::string& path) const;
  // The same in another tree or commit, where a link has its target as content.
  Result<std::optional<std::string>> text_in(const std::string& tree, const std::string& path) const;
  // The hash of the file, link or submodule; empty if the tree does not have it.
  std::string hash(const std::string& path) const;
  // The paths of all submodules.
  std::vector<std::string> repositories() const;
  // Files that the checkout leaves out, since a sparse checkout excludes them.
  const std::vector<std::string>& left_out() const { return left_out_; }
  // Writes all files into an empty folder, byte for byte, with the files of checked-out submodules.
  Result<bool> lay_out(const std::string& folder) const;
  // The same into a folder that may have the files of an earlier call, with the index of that call: what is as it was
  // is not written again, and whatever else lies there goes. False: the tree has submodules, and nothing was done.
  Result<bool> lay_out_again(const std::string& folder, const std::string& index) const;
  // A temporary folder that is removed with the view.
  const std::string& scratch() const { return scratch_->folder; }
  // Removes the temporary folders of all views of this process, before a signal ends it.
  static void remove_scratch();

 private:
  struct Scratch {
    std::string folder;
    ~Scratch();
  };
  View() = default;
  static Result<View> begun(const Checkout& checkout);
  Result<std::string> in_checkout(std::vector<std::string> words, std::string input = {}) const;
  Result<std::string> in_private(std::vector<std::string> words, std::string input = {}) const;
  using Entries = std::map<std::string, Entry>;  // by path
  Result<std::shared_ptr<const Entries>> entries(const std::string& tree) const;
  Result<bool> write_out(const std::string& folder, const std::string& index, std::vector<std::string> words) const;
  Result<bool> see_all();
  Result<bool> turn_filters_off();
  Result<std::vector<std::string>> touched(const TreeLimits& limits);
  Result<bool> find_left_out(const std::vector<std::string>& added);
  Result<bool> require_merged() const;
  Result<bool> write_tree();
  std::set<std::string> submodules() const;
  Result<bool> lay_out_modules(const std::string& folder) const;

  Checkout checkout_;
  std::unique_ptr<Scratch> scratch_;
  std::string tree_;
  std::vector<TreeFinding> findings_;
  std::vector<std::string> left_out_;
  mutable std::map<std::string, std::shared_ptr<const Entries>> entries_;  // of trees that were listed
};

}  // namespace plumb::git
