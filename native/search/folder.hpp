// The files under a folder, in the order of their paths, with what was left out and why.
//
//   Folder folder = list_folder("/usr/share/doc", {});
//   folder.files[0].path    "apt/README.md.gz"
//
// Links are never followed: what one inside the folder leads to is listed in its own place, so each file comes once and
// no loop is walked. A link that leads out of the folder, into a loop or nowhere is told. Names that begin with a point
// are left out (.git and the like), and so is node_modules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace plumb::search {

struct FolderLimits {
  std::size_t files_max = 200'000;
  std::size_t depth_max = 32;
};

struct ListedFile {
  std::string path;  // from the folder
  std::int64_t changed_ns = 0;
  std::uint64_t bytes = 0;
};

struct LeftOut {
  std::string path;
  std::string why;  // "leads out of the folder"
};

struct Folder {
  std::vector<ListedFile> files;
  std::vector<LeftOut> left_out;  // at most 1,000; `left_out_count` counts all
  std::uint64_t left_out_count = 0;
  std::uint64_t links = 0;  // inside the folder
  bool cut = false;         // a bound was reached: not everything is listed
};

// The error: the folder is not there, is none, or cannot be read.
Result<Folder> list_folder(const std::string& folder, const FolderLimits& limits);

}  // namespace plumb::search
