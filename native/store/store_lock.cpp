#include "native/store/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

namespace plumb::store {

namespace {

Error unavailable(const std::string& file, std::string message) {
  return Error{ErrorCode::unavailable, std::move(message), file, 0, 0};
}

std::string utc(std::uint64_t ms) {
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

// Who holds the lock, as it stands in the file. It is written right after the lock was taken, so it may be empty.
std::string holder(int descriptor) {
  std::array<char, 64> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size() - 1, 0);
  if (size <= 0) {
    return "another process";
  }
  char* end = nullptr;
  const unsigned long long pid = std::strtoull(text.data(), &end, 10);
  const unsigned long long since = std::strtoull(end, nullptr, 10);
  return pid == 0 ? "another process" : "process " + std::to_string(pid) + (since == 0 ? "" : ", since " + utc(since));
}

}  // namespace

Result<StoreLock> StoreLock::take(const std::string& store_file) {
  const std::string file = store_file + ".lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return unavailable(store_file, std::string("cannot be locked for writing: ") + file + ": " + std::strerror(errno));
  }
  StoreLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return unavailable(store_file, "is in use by " + holder(descriptor) +
                                         ": one process at a time writes a store; ask that one, or end it first");
    }
    return unavailable(store_file, std::string("cannot be locked: ") + std::strerror(errno));
  }
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const std::string text = std::to_string(::getpid()) + " " + std::to_string(now) + "\n";
  // Only a message depends on what is in the file: on a full disk the lock holds without it.
  if (::ftruncate(descriptor, 0) == 0) {
    const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
    (void)written;
  }
  return lock;
}

StoreLock::StoreLock(StoreLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

StoreLock::~StoreLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

}  // namespace plumb::store
