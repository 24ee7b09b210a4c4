// The entries of a view's tree, as git lists them. Internal to native/git.
#pragma once

#include <string>
#include <vector>

#include "native/git/tree_files.hpp"

namespace plumb::git {

// One file, link or repository of a tree.
struct Entry {
  std::string mode, hash, path;
};
// Reads the output of `ls-tree -z`.
std::vector<Entry> entries_of(const std::string& text);
// Reads the output of `ls-files --stage -z`.
std::vector<Entry> entries_of_index(const std::string& text);

// The finding for a repository inside the checkout that is not a submodule.
TreeFinding nested_repository(const std::string& path);

}  // namespace plumb::git
