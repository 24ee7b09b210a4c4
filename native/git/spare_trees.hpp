// Trees that were closed, kept to begin others with: two commits of a repository differ in few files, and to write all
// of them takes ten times as long as to look at them.
//
// A spare tree is what a commit gave it and nothing else: before it is used again, whatever is not as it was listed
// (tree_listing.hpp) is removed, links and modes included, and git writes it anew. Trees of two kinds are kept apart,
// one each: those whose files bear a time of long ago (`since`), which gates run in, and the others, which developers
// write. What is known of them dies with this process, and then they are removed. Internal to native/git.
#pragma once

#include "native/git/operations.hpp"

namespace plumb::git {

// The tree, at its closing: its folder lies elsewhere from here on. False: it is to be removed.
bool set_aside(Operation& what);

// A spare tree of the kind that is asked for becomes this tree, with what is known of it; go_to() is still to clear it
// and to write what the commit has. False: there is none, and nothing has changed.
bool take_spare(Operation& what);

}  // namespace plumb::git
