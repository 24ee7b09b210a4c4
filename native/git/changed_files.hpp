// What differs between two commits, file by file, and what of it people must see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/git/operations.hpp"

namespace plumb::git {

struct ChangedFile {
  std::string path;
  char status = 'M';  // A, M, D, T
  std::string mode;   // afterwards: "100644", "100755", "120000", "160000", "000000"
  bool binary = false;
  std::uint64_t added = 0, removed = 0;  // lines
};
struct ChangedFiles {
  std::vector<ChangedFile> files;  // in the order of their paths
};

Result<ChangedFiles> changed_files(Operation& what, const std::string& from, const std::string& to);
// Files that git takes orders from, links that leave the tree, repositories in it.
void find_in_changed(const ChangedFiles& changed, const std::string& tree, std::vector<TreeFinding>& findings);

// Members "changed" (at most 2,000; "changed_cut" says that there are more) and "findings".
void write_changed(json::Writer& json, const ChangedFiles& changed);
void write_findings(json::Writer& json, const std::vector<TreeFinding>& findings);

}  // namespace plumb::git
