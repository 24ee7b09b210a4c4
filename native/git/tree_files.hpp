// Files of a tree that commands work in, read and written without ever following a link, and looked over before git is
// let near them.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb::git {

struct TreeLimits {
  std::uint64_t bytes_max = std::uint64_t{2} << 30U;   // of all files
  std::uint64_t files_max = 200'000;                   // with folders
  std::uint64_t file_max = std::uint64_t{100} << 20U;  // of one
  std::uint64_t text_max = std::uint64_t{1} << 20U;    // that is read or written
  std::size_t levels_max = 128;
};

// Something about a tree that people must see.
struct TreeFinding {
  std::string rule;  // "git-folder", "git-file", "link-leaves", "nested-repository", "too-large"
  std::string path;
  std::string message;
};

// Why a path may not be written in a tree; empty: it may. Paths are relative, without `..`, and no part of them is
// `.git` in any case or what a file system takes for it.
std::string bad_path(std::string_view path);
// A name that begins with ".git" in any case: what git, and those who run it, take orders from.
bool is_git_name(std::string_view path);
// Whether a link at `path` with this target leads out of the tree.
bool leaves_tree(std::string_view path, std::string_view target);

// Told of each entry, before what is in it; of a folder it says whether that is looked at too.
using Visit = std::function<bool(const std::string& path, const struct stat& about)>;
// What prevents taking the tree: a .git in it, and the bounds ("too-large": the look may have ended there).
// The error: it cannot be read.
Result<std::vector<TreeFinding>> look_over(const std::string& tree, const TreeLimits& limits, const Visit& visit = {});

Result<std::string> read_in(const std::string& tree, const std::string& path, const TreeLimits& limits);
Result<bool> write_in(const std::string& tree, const std::string& path, const std::string& text, bool executable);
Result<bool> remove_in(const std::string& tree, const std::string& path);
// Empty: it is no link.
std::string link_in(const std::string& tree, const std::string& path);

}  // namespace plumb::git
