// Folders that are kept of one tree to begin others with, and the times of files in a fresh checkout.
//
// Tools that build go by times. In a fresh checkout every file is new, so everything would be built again; and a build
// folder is of use only at the path where it was made. So trees of one name lie at one path, what is the same as at the
// base is old, and what was kept is younger than that.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "core/json/members.hpp"
#include "native/git/changed_files.hpp"
#include "native/git/operations.hpp"

namespace plumb::git {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t long_ago = 946'684'800;  // 2000-01-01
constexpr std::size_t kept_max = 20;

Error wrong(std::string why) { return Error{ErrorCode::invalid_argument, std::move(why), "", 0, 0}; }

Result<std::vector<std::string>> wanted(const Operation& what) {
  std::vector<std::string> out = json::texts_of(what.request, "caches");
  if (out.size() > kept_max) {
    return wrong("at most " + std::to_string(kept_max) + " folders are kept");
  }
  for (const std::string& path : out) {
    if (const std::string bad = bad_path(path); !bad.empty()) {
      return wrong("'" + path + "' " + bad);
    }
  }
  return out;
}

void copy_time(const std::string& from, const std::string& to) {
  struct stat about {};
  if (::lstat(from.c_str(), &about) != 0) {
    return;
  }
  const timespec times[2] = {about.st_atim, about.st_mtim};
  ::utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

// A folder with its links and times; nothing is followed.
Result<bool> copy_tree(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_directories(to, error);
  std::vector<std::pair<std::string, std::string>> folders = {{from, to}};
  for (fs::recursive_directory_iterator at(from, error), end; !error && at != end; at.increment(error)) {
    const std::string there = to + at->path().string().substr(from.size());
    const fs::file_type type = at->symlink_status(error).type();
    if (type == fs::file_type::directory) {
      fs::create_directory(there, error);
      folders.emplace_back(at->path().string(), there);
    } else if (type == fs::file_type::symlink) {
      fs::copy_symlink(at->path(), there, error);
    } else if (type == fs::file_type::regular) {
      fs::copy_file(at->path(), there, error);
    }
    if (error) {
      break;
    }
    copy_time(at->path().string(), there);
  }
  if (error) {
    return Error{ErrorCode::unavailable, "cannot be copied: " + error.message(), from, 0, 0};
  }
  for (const auto& [one, other] : folders) {
    copy_time(one, other);
  }
  return true;
}

}  // namespace

Outcome keep_folders(Operation& what) {
  const Result<std::vector<std::string>> paths = wanted(what);
  if (!paths) {
    return paths.error();
  }
  const std::string kept = what.folders.cache(what.run, what.text("tree"));
  struct stat about {};
  std::string out;
  json::Writer json(out);
  json.begin_object().key("kept").begin_array();
  for (const std::string& path : paths.value()) {
    const std::string from = what.tree() + "/" + path;
    const std::string to = kept + "/" + path;
    if (::lstat(from.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
      // Whole or not at all, so that it may be repeated.
      const std::string fresh = kept + ".new";
      command::WorkFolders::remove(fresh);
      if (const Result<bool> copied = copy_tree(from, fresh); !copied) {
        return copied.error();
      }
      command::WorkFolders::remove(to);
      if (const Result<bool> made = command::WorkFolders::make(fs::path(to).parent_path().string()); !made) {
        return made.error();
      }
      if (::rename(fresh.c_str(), to.c_str()) != 0) {
        return Error{ErrorCode::unavailable, "cannot be kept", to, 0, 0};
      }
    }
    if (::lstat(to.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
      json.string(path);
    }
  }
  json.end_array().end_object();
  return out;
}

Result<bool> copy_kept(Operation& what) {
  const Result<std::vector<std::string>> paths = wanted(what);
  if (!paths) {
    return paths.error();
  }
  for (const std::string& path : paths.value()) {
    const std::string from = what.folders.cache(what.run, what.text("tree")) + "/" + path;
    const std::string to = what.tree() + "/" + path;
    struct stat about {};
    // What the commit brings under that name goes before.
    if (::lstat(from.c_str(), &about) != 0 || ::lstat(to.c_str(), &about) == 0) {
      continue;
    }
    if (Result<bool> copied = copy_tree(from, to); !copied) {
      return copied;
    }
  }
  return true;
}

Result<bool> age_unchanged(Operation& what, const std::string& since, const std::string& commit,
                           const std::vector<std::string>& files, std::set<std::string>& fresh) {
  const Result<std::shared_ptr<const ChangedFiles>> changed = changed_files(what, since, commit, Lines::left_out);
  if (!changed) {
    return changed.error();
  }
  fresh.clear();
  for (const ChangedFile& one : changed.value()->files) {
    if (one.status != 'D') {
      fresh.insert(one.path);
    }
  }
  for (const std::string& path : fresh) {  // also where an earlier tree had it so
    ::utimensat(AT_FDCWD, (what.tree() + "/" + path).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }
  const timespec old[2] = {{long_ago, 0}, {long_ago, 0}};
  for (const std::string& path : files) {
    const std::string file = what.tree() + "/" + path;
    struct stat about {};
    if (fresh.count(path) == 0 && ::lstat(file.c_str(), &about) == 0 && about.st_mtim.tv_sec != long_ago) {
      ::utimensat(AT_FDCWD, file.c_str(), old, AT_SYMLINK_NOFOLLOW);  // those that are old stay as git knows them
    }
  }
  return true;
}

}  // namespace plumb::git
