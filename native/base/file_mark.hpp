// What tells a changed file from the one that was read.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace plumb {

struct FileMark {
  bool there = false;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileMark&) const = default;
};

// Of the file as it is now; of an empty path as of one that is not there.
inline FileMark mark_of(const std::string& path) {
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) {
    return {};
  }
  return {true, status.st_ino, status.st_size,
          static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace plumb
