// What lies in a tree, listed so that whoever looks later sees what was touched since, without a file being read: each
// file with its inode, size, mode and the time of its last change, which nobody can set. What was changed in the very
// tick of the clock in which it was listed could be changed again without it being seen, and is not sure; neither is
// what has another mode or owner than git gives, or a second name. Internal to native/git.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "native/git/tree_files.hpp"

namespace plumb::git {

struct Listed {
  std::uint64_t mode = 0;  // of a folder alone: the others change with what lies in it
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::uint64_t changed_ns = 0;
  bool sure = false;       // false: it belongs there, and whether it is as it was is not known
  std::uint32_t look = 0;  // the last one that found it
};

// Files that belong to a tree, and the folders that hold them.
struct Listing {
  std::unordered_map<std::string, Listed> all;
  std::uint32_t looks = 0;
  bool fine = false;  // the file system tells times finer than whole milliseconds: without that nothing is known
};

// What is not as it was listed.
struct Touched {
  std::vector<std::string> others;   // lies there and is not listed
  std::vector<std::string> changed;  // files and folders; also what is not sure
  std::vector<std::string> missing;
  std::unordered_map<std::string, Listed> now;  // of others and changed
  bool ignores = false;                         // a `.gitignore` lies somewhere
  std::vector<TreeFinding> findings;            // of look_over()
};

// Looks at the tree once. `whole`: also into folders that are not listed, or changed. The error: it cannot be read.
Result<Touched> look_at(const std::string& tree, Listing& listing, const TreeLimits& limits, bool whole);

// These paths belong to the tree, or do not any more (`there`), with their folders; what they are is not sure yet.
void put_down(const std::string& tree, Listing& listing, const std::vector<std::pair<std::string, bool>>& paths);
// What is not sure of these is looked at, when the clock has gone on from their last change: that takes a tick.
void make_sure(const std::string& tree, Listing& listing, const std::vector<std::string>& paths);
// These files belong to the tree as they were seen, or do not any more.
void put_down_seen(Listing& listing, const Touched& seen, const std::vector<std::pair<std::string, bool>>& paths);

}  // namespace plumb::git
