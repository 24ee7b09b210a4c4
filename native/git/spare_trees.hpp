// Trees that were closed, kept to begin others with: two commits of a repository differ in few files, and to write all
// of them takes ten times as long as to look at them.
//
// A spare tree is what a commit gave it and nothing else. When a tree was opened, git's files in it are listed, each
// file with its inode, size, mode and the time of its last change, which nobody can set; before the tree is used again,
// whatever is not as listed is removed, links and modes included, and git writes it anew. What was changed in the very
// tick of the listing is not listed, and where a file system tells no times finer than a millisecond, no tree is kept.
// Trees of two kinds are kept apart, one each: those whose files bear a time of long ago (`since`), which gates run in,
// and the others, which developers write. Internal to native/git.
#pragma once

#include "native/git/operations.hpp"

namespace plumb::git {

// Lists these files of the tree, right after git has written them. Where that cannot be, the tree will not be kept.
void list_tree(const Operation& what, const std::vector<std::string>& files);

// The tree, at its closing: its folder lies elsewhere from here on. False: it is to be removed.
bool set_aside(const Operation& what);

// A spare tree of the kind that is asked for becomes this tree, with what git knows of it; git is still to write what
// the commit has. False: there is none, and nothing has changed.
bool take_spare(Operation& what);

}  // namespace plumb::git
