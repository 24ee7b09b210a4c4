// A commit of a tree of which it is known what lies in it: git is given what was touched alone, in one go
// (fast-import), and makes the same objects as it would from the whole tree. Internal to native/git.
#pragma once

#include <optional>
#include <string>

#include "native/git/operations.hpp"

namespace plumb::git {

struct Made {
  std::string tree;
  std::string commit;  // where the tree is the same: the one before
};

// nullopt: it is not known what lies there, or what was touched is not plain (much, large, names that git may refuse,
// repositories, what cannot be read): git is to look at the whole tree. `touched`: from a look at all of it, now.
std::optional<Made> quick_commit(Operation& what, KnownTree& known, const Touched& touched, const std::string& from);

// The message of a commit that is made from a tree.
std::string commit_message(const Operation& what);

}  // namespace plumb::git
