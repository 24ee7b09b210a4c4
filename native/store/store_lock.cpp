#include "native/store/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "core/json/sha256.hpp"
#include "core/reason.hpp"

namespace plumb::store {

namespace {

Error unavailable(const std::string& file, std::string message, Reason reason = Reason::none) {
  return Error{ErrorCode::unavailable, std::move(message), file, 0, 0, reason};
}

std::string utc(std::uint64_t ms) {
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

struct Holder {
  std::string words = "another process";
  std::string server;
};

// Who holds the lock, as written in the file. It is written right after the lock was taken, so it may be empty.
Holder holder(int descriptor) {
  Holder out;
  std::array<char, 320> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size() - 1, 0);
  if (size <= 0) {
    return out;
  }
  char* end = nullptr;
  const unsigned long long pid = std::strtoull(text.data(), &end, 10);
  const unsigned long long since = std::strtoull(end, &end, 10);
  if (pid == 0) {
    return out;
  }
  out.words = "process " + std::to_string(pid) + (since == 0 ? "" : ", since " + utc(since));
  while (*end == ' ') {
    ++end;
  }
  out.server = std::string(end, std::strcspn(end, "\n"));
  // Of several that share a store the one that wrote its name may have ended.
  if (out.server.empty() && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) {
    out.words = "another process";
  }
  if (!out.server.empty()) {
    out.words += ", a server at " + out.server;
  }
  return out;
}

// Beside the file itself, whatever links lead to it.
std::string lock_file(const std::string& store_file) {
  char* const real = ::realpath(store_file.c_str(), nullptr);
  std::string file = (real == nullptr ? store_file : std::string(real)) + ".lock";
  std::free(real);
  return file;
}

}  // namespace

Result<StoreLock> StoreLock::take(const std::string& store_file, const std::string& who, bool beside) {
  const std::string file = lock_file(store_file);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return unavailable(store_file, std::string("cannot be locked for writing: ") + file + ": " + std::strerror(errno));
  }
  StoreLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && (!beside || ::flock(descriptor, LOCK_SH | LOCK_NB) != 0)) {
    if (errno == EWOULDBLOCK) {
      return unavailable(store_file,
                         "is in use by " + holder(descriptor).words +
                             ": one process at a time writes a store; ask that one, or end it first",
                         Reason::in_use);
    }
    return unavailable(store_file, std::string("cannot be locked: ") + std::strerror(errno));
  }
  // The file has one more lock, for who comes to it by another name of the same file. It is opened only now, since
  // closing it would take SQLite's own locks from whoever has it open in this process.
  lock.store_ = ::open(store_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock.store_ < 0) {
    return unavailable(store_file, std::string("cannot be opened for writing: ") + std::strerror(errno));
  }
  if (::flock(lock.store_, (beside ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return unavailable(store_file,
                         "is in use by another process, under another name of the same file (a link): one process at "
                         "a time writes a store; ask that one, or end it first",
                         Reason::in_use);
    }
    return unavailable(store_file, std::string("cannot be locked: ") + std::strerror(errno));
  }
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const std::string text =
      std::to_string(::getpid()) + " " + std::to_string(now) + (who.empty() ? "" : " " + who) + "\n";
  // Only a message depends on what is in the file: on a full disk the lock holds without it.
  if (::ftruncate(descriptor, 0) == 0) {
    const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
    (void)written;
  }
  return lock;
}

void StoreLock::share() const { ::flock(descriptor_, LOCK_SH | LOCK_NB); }

Result<std::optional<JobLock>> JobLock::take(const std::string& store_file, std::string_view job) {
  const std::string file = lock_file(store_file);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return unavailable(store_file, std::string("cannot be locked for writing: ") + file + ": " + std::strerror(errno));
  }
  JobLock lock(descriptor);
  // A byte of the file far behind its text, which need not be there. Two jobs have the same once in 2^60.
  const std::string hash = json::sha256_hex(job).substr(0, 15);
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(std::strtoull(hash.c_str(), nullptr, 16)) + 4096;
  range.l_len = 1;
  if (::fcntl(descriptor, F_OFD_SETLK, &range) != 0) {
    if (errno == EAGAIN || errno == EACCES) {
      return std::optional<JobLock>();
    }
    return unavailable(store_file, std::string("cannot be locked: ") + std::strerror(errno));
  }
  return std::optional<JobLock>(std::move(lock));
}

JobLock::JobLock(JobLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

JobLock::~JobLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Writer writer_of(const std::string& store_file) {
  Writer out;
  const int descriptor = ::open(lock_file(store_file).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return out;
  }
  out.there = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (out.there) {
    out.server = holder(descriptor).server;
  }
  ::close(descriptor);
  return out;
}

StoreLock::StoreLock(StoreLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), store_(std::exchange(other.store_, -1)) {}

StoreLock::~StoreLock() {
  for (const int one : {store_, descriptor_}) {
    if (one >= 0) {
      ::close(one);
    }
  }
}

}  // namespace plumb::store
