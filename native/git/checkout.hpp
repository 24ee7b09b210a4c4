// A git checkout, and a View of it to judge: the index or the work tree as one git tree. Patches and laid-out files
// come from the same tree, so they cannot differ.
//
//   Result<git::Checkout> checkout = git::find_checkout(folder, named);
//   Result<git::View> view = git::View::of_index(checkout.value());     // what `git commit` would commit
//   Result<git::View> view = git::View::of_files(checkout.value());     // what `git add -A` would add
//   view.value().patch(base);  view.value().lay_out(folder);
//
// Honours the variables that git sets for hooks (the index of `git commit -a`, another work tree) and the user's
// configuration (ignored files, line endings). Runs no filters: a file with a filter is taken as it is on disk. Writes
// nothing into the repository.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/git/git.hpp"
#include "native/git/tree_files.hpp"

namespace plumb::git {

struct Checkout {
  std::string top;  // the folder that the files of the repository lie in
  Users repository;
  std::string index;    // the file that git has its index in
  std::string objects;  // the folder of objects
  std::string alternates;
  std::vector<std::pair<std::string, std::string>> person;

  // Runs git in the checkout and returns its standard output.
  Result<std::string> says(std::vector<std::string> words) const;
  std::string empty_tree() const;
  // HEAD, or the empty tree before the first commit.
  Result<std::string> head_tree() const;
  // The merge base of HEAD and `other`.
  Result<std::string> shared_tree(const std::string& other) const;
};
// `named`: the user named the folder, so git variables that point to another repository are ignored.
Result<Checkout> find_checkout(const std::string& folder, bool named);
// Returns the top of the checkout, or the folder itself outside a repository.
std::string top_of(const std::string& folder);

// Splits git's output at NUL bytes (-z) or at `end`.
std::vector<std::string> pieces_of(const std::string& text, char end = '\0');

class View {
 public:
  // Returns an error if the index has conflicts.
  static Result<View> of_index(const Checkout& checkout);
  static Result<View> of_files(const Checkout& checkout, const TreeLimits& limits = {});
  View(View&&) noexcept = default;
  View& operator=(View&&) noexcept = default;
  ~View();

  const std::string& tree() const { return tree_; }
  // Repositories inside the checkout that are not submodules; git cannot add their files.
  const std::vector<TreeFinding>& findings() const { return findings_; }
  // A patch from another tree, without renames. `as_text`: only these paths, binary files included.
  Result<std::string> patch(const std::string& from, const std::vector<std::string>& as_text = {}) const;
  // Paths that differ and exist in this tree, sorted by bytes.
  Result<std::vector<std::string>> present_paths(const std::string& from) const;
  // The content of a file; nullopt if the tree does not have it.
  Result<std::optional<std::string>> text(const std::string& path) const;
  // Writes all files into an empty folder, byte for byte, with the files of checked-out submodules.
  Result<bool> lay_out(const std::string& folder) const;
  // A temporary folder that is removed with the view.
  const std::string& scratch() const { return scratch_->folder; }

 private:
  struct Scratch {
    std::string folder;
    ~Scratch();
  };
  View() = default;
  static Result<View> begun(const Checkout& checkout);
  Result<std::string> in_checkout(std::vector<std::string> words, std::string input = {}) const;
  Result<std::string> in_private(std::vector<std::string> words, std::string input = {}) const;
  Result<bool> see_all() const;
  Result<bool> turn_filters_off();
  Result<std::vector<std::string>> touched(const TreeLimits& limits);
  Result<bool> write_tree();
  Result<bool> lay_out_modules(const std::string& folder) const;

  Checkout checkout_;
  std::unique_ptr<Scratch> scratch_;
  std::string tree_;
  std::vector<TreeFinding> findings_;
};

}  // namespace plumb::git
