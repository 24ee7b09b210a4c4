#include "native/command/work_folders.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/json/sha256.hpp"

namespace plumb::command {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t name_max = 100;

Error failed(const std::string& where, const std::string& what) {
  return Error{ErrorCode::unavailable, what, where, 0, 0};
}

}  // namespace

bool WorkFolders::good_name(std::string_view name) {
  return !name.empty() && name.size() <= name_max && name.front() != '.' &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; });
}

std::string WorkFolders::tree(std::string_view run, std::string_view name) const {
  return base_ + "/trees/" + std::string(run) + "/" + std::string(name);
}

std::string WorkFolders::index(std::string_view run, std::string_view name) const {
  return base_ + "/index/" + std::string(run) + "/" + std::string(name);
}

std::string WorkFolders::cache(std::string_view run, std::string_view name) const {
  return base_ + "/caches/" + std::string(run) + "/" + std::string(name);
}

std::string WorkFolders::repository(std::string_view of) const {
  return base_ + "/git/" + json::sha256_hex(of).substr(0, 32) + ".git";
}

std::string WorkFolders::spare(std::string_view of, std::string_view kind) const {
  return base_ + "/spare/" + json::sha256_hex(of).substr(0, 32) + "/" + std::string(kind);
}

void WorkFolders::remove_spares() const { remove(base_ + "/spare"); }

Result<bool> WorkFolders::make(const std::string& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) {
    return true;
  }
  const std::string above = fs::path(folder).parent_path().string();
  if (!above.empty() && above != folder) {
    if (Result<bool> made = make(above); !made) {
      return made;
    }
  }
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return failed(folder, std::string("cannot be made: ") + std::strerror(errno));
  }
  return true;
}

bool WorkFolders::remove(const std::string& folder) {
  // What a command made read-only goes too.
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) {
    std::error_code passing;
    for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, passing), end;
         !passing && at != end; at.increment(passing)) {
      if (at->symlink_status(passing).type() == fs::file_type::directory) {
        ::chmod(at->path().c_str(), 0700);
      }
    }
    ::chmod(folder.c_str(), 0700);
    fs::remove_all(folder, error);
  }
  return !error;
}

Result<std::string> WorkFolders::scratch() const {
  const std::string all = base_ + "/scratch";
  if (const Result<bool> made = make(all); !made) {
    return made.error();
  }
  std::string name = all + "/" + std::to_string(::getpid()) + "-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return failed(all, std::string("no folder can be made in it: ") + std::strerror(errno));
  }
  for (const char* inner : {"/home", "/tmp"}) {
    if (const Result<bool> made = make(name + inner); !made) {
      return made.error();
    }
  }
  return name;
}

Result<std::string> WorkFolders::keep_output(std::string_view run, const std::string& text) const {
  const std::string folder = base_ + "/outputs/" + std::string(run);
  if (const Result<bool> made = make(folder); !made) {
    return made.error();
  }
  const std::string hash = json::sha256_hex(text);
  const std::string file = folder + "/" + hash;
  const std::string fresh = file + ".new";
  const int out = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out < 0) {
    return failed(fresh, std::string("cannot be written: ") + std::strerror(errno));
  }
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t size = ::write(out, text.data() + written, text.size() - written);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size <= 0) {
      break;
    }
    written += static_cast<std::size_t>(size);
  }
  ::close(out);
  if (written < text.size() || ::rename(fresh.c_str(), file.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(fresh.c_str());
    return failed(file, "cannot be written: " + why);
  }
  return "outputs/" + std::string(run) + "/" + hash;
}

Result<bool> WorkFolders::room() const {
  if (Result<bool> made = make(base_); !made) {
    return made;
  }
  struct statvfs disk {};
  if (::statvfs(base_.c_str(), &disk) != 0) {
    return failed(base_, std::string("cannot be looked at: ") + std::strerror(errno));
  }
  const std::uint64_t left = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (left < free_bytes_min) {
    return failed(base_, "the disk has " + std::to_string(left >> 20U) +
                             " MB left, and no work is begun with less than " + std::to_string(free_bytes_min >> 20U) +
                             " MB");
  }
  return true;
}

void WorkFolders::sweep(const std::function<bool(std::string_view run)>& alive) const {
  std::error_code error;
  for (const char* kind : {"trees", "index", "caches", "outputs"}) {
    std::vector<fs::path> gone;
    for (fs::directory_iterator at(base_ + "/" + kind, error), end; !error && at != end; at.increment(error)) {
      if (!alive(at->path().filename().string())) {
        gone.push_back(at->path());
      }
    }
    for (const fs::path& one : gone) {
      remove(one.string());
    }
  }
  remove(base_ + "/scratch");
  remove_spares();
}

}  // namespace plumb::command
