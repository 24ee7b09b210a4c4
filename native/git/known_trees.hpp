// Trees of which it is known what lies in them, since git wrote it or it was taken: what was touched since is told by
// one look at each file (tree_listing.hpp), so that git is given the few paths that differ and looks at no others. It
// is known to this process alone: after a restart git looks at all, as it does wherever something is not plain.
// Internal to native/git.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "native/git/tree_listing.hpp"

namespace plumb::git {

struct Operation;

struct KnownTree {
  Listing files;
  std::string commit;   // that the files are of
  std::string indexed;  // that the index is of
  std::uint64_t index_inode = 0, index_size = 0, index_changed_ns = 0;
  bool aged = false;            // its files bear a time of long ago,
  std::set<std::string> fresh;  // but these
  bool submodules = false;
};

// What is known of the tree that an operation is about; nullptr: nothing.
KnownTree* known_tree(Operation& what);
// From here on this is known. There is a bound: where it is reached, of others nothing is known any more.
void know_tree(Operation& what, KnownTree known);
void forget_tree(Operation& what);
// git has written the index, as of this commit, and no file.
void know_index(Operation& what, KnownTree& known, const std::string& commit);

// The tree becomes that of the commit, by what differs. False: git is to look at all of it, and nothing is known.
bool go_to(Operation& what, const std::string& commit, bool spare);

// A tree that git has just written, or looked at whole: from here on it is known.
Result<bool> get_to_know(Operation& what, const std::string& commit);

}  // namespace plumb::git
