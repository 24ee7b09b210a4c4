// A person's checkout, as git sees it where a command was started, and what of it is to be judged as one tree of git:
// the index or the files. What is compared and what is laid out for gates come from that tree, so they cannot differ.
//
//   Result<git::Checkout> checkout = git::find_checkout(folder, named);
//   Result<git::View> view = git::View::of_index(checkout.value());     // what `git commit` would commit
//   Result<git::View> view = git::View::of_files(checkout.value());     // what `git add -A` would add
//   view.value().patch(base);  view.value().lay_out(folder);
//
// In a hook git names its own index (`git commit -a`, `git commit FILE`) and repository (another work tree) in the
// environment; these hold. The person's configuration holds too (what is ignored, line ends), but no filter is run: a
// file that one would convert is taken as it lies. Nothing is written into the repository.
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

  // git in it, for what it says.
  Result<std::string> says(std::vector<std::string> words) const;
  // The tree that a commit of the index is compared with: of HEAD, or the empty one before the first commit.
  Result<std::string> head_tree() const;
  // The tree of the commit that HEAD shares with another one.
  Result<std::string> shared_tree(const std::string& other) const;
};
// `named`: the person has named the folder, so variables of git that mean another repository do not count.
Result<Checkout> find_checkout(const std::string& folder, bool named);
// The top of the checkout, or the folder itself where it lies in none.
std::string top_of(const std::string& folder);

// Names that git has written with -z.
std::vector<std::string> pieces_of(const std::string& text, char end = '\0');

class View {
 public:
  // Refused where git would refuse to commit: an index with conflicts.
  static Result<View> of_index(const Checkout& checkout);
  static Result<View> of_files(const Checkout& checkout, const TreeLimits& limits = {});
  View(View&&) noexcept = default;
  View& operator=(View&&) noexcept = default;
  ~View();

  const std::string& tree() const { return tree_; }
  // What git cannot add: repositories without a commit that lie among the files, new ones with one.
  const std::vector<TreeFinding>& findings() const { return findings_; }
  // What differs from another tree, as a patch without renames. `as_text`: of these paths only, whatever they hold.
  Result<std::string> patch(const std::string& from, const std::vector<std::string>& as_text = {}) const;
  // The paths that differ and are there, in the order of their bytes.
  Result<std::vector<std::string>> present_paths(const std::string& from) const;
  // What a file holds; nothing: the tree has no such file.
  Result<std::optional<std::string>> text(const std::string& path) const;
  // All files, into an empty folder, byte for byte as git has them. Submodules that are checked out come with them.
  Result<bool> lay_out(const std::string& folder) const;
  // A folder that goes with the view.
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
