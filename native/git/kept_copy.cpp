#include "native/git/kept_copy.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "native/base/file_bytes.hpp"
#include "native/command/work_folders.hpp"

namespace plumb::git {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t top_bytes_max = 16 << 10U;

// What is written from here on has a later time of change than what was written before.
void pass_a_tick() {
  const auto tick = [] {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return std::pair(now.tv_sec, now.tv_nsec);
  };
  const auto before = tick();
  for (int i = 0; i < 40 && tick() == before; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

int locked(const std::string& folder) {
  const int lock = ::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return -1;
  }
  return lock;
}

// Copies of checkouts that are gone.
void remove_old(const fs::path& beside) {
  std::error_code failed;
  for (fs::directory_iterator at(beside, failed), end; !failed && at != end; at.increment(failed)) {
    const Result<std::string> top = read_file((at->path() / "of").string(), top_bytes_max);
    std::error_code none;
    if (top && !fs::exists(top.value(), none)) {
      const int lock = locked(at->path().string());
      if (lock >= 0) {
        command::WorkFolders::remove(at->path().string());
        ::close(lock);
      }
    }
  }
}

}  // namespace

KeptCopy::KeptCopy(std::string folder, int lock) : folder_(std::move(folder)), lock_(lock) {}
KeptCopy::KeptCopy(KeptCopy&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)) {}
KeptCopy& KeptCopy::operator=(KeptCopy&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(lock_, other.lock_);
  return *this;
}
KeptCopy::~KeptCopy() {
  if (lock_ >= 0) {
    ::close(lock_);
  }
}

std::optional<KeptCopy> KeptCopy::take(const std::string& folder, const std::string& top) {
  if (!command::WorkFolders::make(folder)) {
    return std::nullopt;
  }
  ::chmod(folder.c_str(), 0700);
  const int lock = locked(folder);
  if (lock < 0) {
    return std::nullopt;
  }
  KeptCopy out(folder, lock);
  if (::access((folder + "/of").c_str(), F_OK) != 0) {
    remove_old(fs::path(folder).parent_path());
    if (!write_file(folder + "/of", top)) {
      return std::nullopt;
    }
  }
  return out;
}

bool KeptCopy::become(const View& view) const {
  const std::string index = folder_ + "/index";
  struct stat about {};
  const auto begin = [&] {
    command::WorkFolders::remove(tree());
    ::unlink(index.c_str());
    ::unlink((index + ".lock").c_str());
    return static_cast<bool>(command::WorkFolders::make(tree()));
  };
  const bool known =
      ::lstat(index.c_str(), &about) == 0 && ::lstat(tree().c_str(), &about) == 0 && S_ISDIR(about.st_mode);
  if (!known && !begin()) {
    return false;
  }
  Result<bool> laid = view.lay_out_again(tree(), index);
  if (!laid) {  // a command has left what git cannot remove, or git was killed in the middle
    laid = begin() ? view.lay_out_again(tree(), index) : laid;
  }
  if (laid && laid.value()) {
    pass_a_tick();
    return true;
  }
  (void)begin();
  return false;
}

}  // namespace plumb::git
