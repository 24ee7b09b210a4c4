// What differs between two commits, file by file, and what of it people must see.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "native/git/operations.hpp"

namespace plumb::git {

struct ChangedFile {
  std::string path;
  char status = 'M';     // A, M, D, T
  std::string mode_was;  // "100644", "100755", "120000", "160000"; "000000": it is not there
  std::string mode;      // afterwards
  std::string id_was;    // of what it holds
  std::string id;
  bool binary = false;
  std::uint64_t added = 0, removed = 0;  // lines
};
struct ChangedFiles {
  std::vector<ChangedFile> files;  // in the order of their paths
  bool counted = false;            // with their lines
};

// Between two commits, or a commit and a tree. Of what was compared last git is not asked again; where the lines need
// not be counted, neither of what follows from that.
enum class Lines : std::uint8_t { counted, left_out };
Result<std::shared_ptr<const ChangedFiles>> changed_files(Operation& what, const std::string& from,
                                                          const std::string& to, Lines lines);
void remember_changed(Remembered& known, const std::string& from, const std::string& to,
                      std::shared_ptr<const ChangedFiles> changed);
// Files that git takes orders from, links that leave the tree, repositories in it.
void find_in_changed(const ChangedFiles& changed, const std::string& tree, std::vector<TreeFinding>& findings);

// Whether a run can be told of all of them: an error from 20,000 files on, since what is not told is not judged.
Result<bool> can_be_told(const ChangedFiles& changed);
// Members "changed" and "findings".
void write_changed(json::Writer& json, const ChangedFiles& changed);
void write_findings(json::Writer& json, const std::vector<TreeFinding>& findings);

}  // namespace plumb::git
