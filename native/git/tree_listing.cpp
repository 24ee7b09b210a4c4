#include "native/git/tree_listing.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string_view>
#include <thread>
#include <utility>

namespace plumb::git {

namespace {

std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

// The clock that times of change are of: what is changed after it was read has a time that is not before it.
std::uint64_t tick_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return ns_of(now);
}

// As git makes files and folders: ours alone, without a second name through which they could be changed later. Whether
// a folder gives its group to what is in it is the file system's.
bool as_made(const struct stat& about) {
  const mode_t mode = about.st_mode & static_cast<mode_t>(S_ISDIR(about.st_mode) ? 05777 : 07777);
  if (about.st_uid != ::geteuid()) {
    return false;
  }
  if (S_ISDIR(about.st_mode)) {
    return mode == 0755;
  }
  return about.st_nlink == 1 && (S_ISLNK(about.st_mode) || (S_ISREG(about.st_mode) && (mode == 0644 || mode == 0755)));
}

// `before_ns`: the clock, read before the file was looked at.
Listed listed(const struct stat& about, std::uint64_t before_ns) {
  Listed out;
  out.mode = about.st_mode;
  out.sure = as_made(about);
  if (S_ISDIR(about.st_mode)) {
    return out;
  }
  out.size = static_cast<std::uint64_t>(about.st_size);
  out.inode = about.st_ino;
  out.changed_ns = ns_of(about.st_ctim);
  out.sure = out.sure && out.changed_ns < before_ns;
  return out;
}

bool same(const Listed& one, const Listed& other) {
  return one.sure && one.mode == other.mode && one.size == other.size && one.inode == other.inode &&
         one.changed_ns == other.changed_ns;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

// The folders that hold it are listed; those that hold nothing that is listed are not, and go where they are empty.
void put_down_folders(const std::string& tree, Listing& listing, std::string_view path) {
  for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
    struct stat about {};
    if (::lstat((tree + "/" + std::string(folder)).c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
      listing.all[std::string(folder)] = listed(about, 0);
    }
  }
}
void clear_folders(Listing& listing, std::string_view path, const std::string& remove_in = {}) {
  for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
    const std::string inside = std::string(folder) + "/";
    const bool holds = std::any_of(listing.all.begin(), listing.all.end(),
                                   [&](const auto& one) { return one.first.starts_with(inside); });
    if (holds) {
      return;
    }
    listing.all.erase(std::string(folder));
    if (!remove_in.empty()) {
      ::rmdir((remove_in + "/" + std::string(folder)).c_str());
    }
  }
}

}  // namespace

Result<Touched> look_at(const std::string& tree, Listing& listing, const TreeLimits& limits, bool whole) {
  Touched out;
  const std::uint32_t look = ++listing.looks;
  std::size_t met = 0;
  std::uint64_t before_ns = tick_ns();
  Result<std::vector<TreeFinding>> findings =
      look_over(tree, limits, [&](const std::string& path, const struct stat& about) {
        const Listed now = listed(about, before_ns);
        before_ns = tick_ns();
        out.ignores = out.ignores || path == ".gitignore" || (path.size() > 11 && path.ends_with("/.gitignore"));
        const auto found = listing.all.find(path);
        if (found != listing.all.end()) {
          found->second.look = look;
          ++met;
          if (same(found->second, now)) {
            return true;
          }
        }
        (found == listing.all.end() ? out.others : out.changed).push_back(path);
        out.now[path] = now;
        return whole;
      });
  if (!findings) {
    return findings.error();
  }
  out.findings = std::move(findings).value();
  if (met == listing.all.size()) {
    return out;
  }
  for (const auto& [path, one] : listing.all) {
    if (one.look != look) {
      out.missing.push_back(path);
    }
  }
  std::sort(out.missing.begin(), out.missing.end());
  return out;
}

void put_down(const std::string& tree, Listing& listing, const std::vector<std::pair<std::string, bool>>& paths) {
  for (const auto& [path, there] : paths) {
    listing.all.erase(path);
    if (there) {
      listing.all[path] = Listed();
    }
  }
  std::string_view last = "/";
  for (const auto& [path, there] : paths) {
    if (there && folder_of(path) != last) {
      put_down_folders(tree, listing, path);
    }
    if (there) {
      last = folder_of(path);
    } else {
      clear_folders(listing, path, tree);
    }
  }
}

void make_sure(const std::string& tree, Listing& listing, const std::vector<std::string>& paths) {
  constexpr int looks_max = 4;
  for (int look = 1; look <= looks_max; ++look) {
    std::uint64_t young_ns = 0;
    for (const std::string& path : paths) {
      const auto found = listing.all.find(path);
      if (found == listing.all.end() || found->second.sure) {
        continue;
      }
      struct stat about {};
      const std::uint64_t before_ns = tick_ns();
      if (::lstat((tree + "/" + path).c_str(), &about) != 0) {
        continue;
      }
      found->second = listed(about, before_ns);
      if (!found->second.sure && found->second.changed_ns >= before_ns) {
        young_ns = std::max(young_ns, found->second.changed_ns);
      }
      listing.fine = listing.fine || found->second.changed_ns % 1'000'000 != 0;
    }
    if (young_ns == 0) {
      return;
    }
    for (int wait = 0; look < looks_max && wait < 20 && tick_ns() <= young_ns; ++wait) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }
}

void put_down_seen(Listing& listing, const Touched& seen, const std::vector<std::pair<std::string, bool>>& paths) {
  for (const auto& [path, there] : paths) {
    const auto now = seen.now.find(path);
    if (!there) {
      listing.all.erase(path);
    } else if (now != seen.now.end()) {
      listing.all[path] = now->second;
    }
  }
  for (const auto& [path, there] : paths) {
    if (!there) {
      clear_folders(listing, path);
      continue;
    }
    for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
      const auto now = seen.now.find(std::string(folder));
      if (now != seen.now.end() && listing.all.find(std::string(folder)) == listing.all.end()) {
        listing.all[std::string(folder)] = now->second;
      }
    }
  }
}

}  // namespace plumb::git
