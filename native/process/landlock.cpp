#include "native/process/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "native/process/child_plan.hpp"

namespace plumb::process {

namespace {

// As the kernel counts them; the header of an older one lacks the later ones.
constexpr std::uint64_t execute = 1U << 0U, read_file = 1U << 2U, read_folder = 1U << 3U, write_file = 1U << 1U;
constexpr std::uint64_t truncate_file = 1U << 14U, device_ioctl = 1U << 15U;
constexpr std::uint64_t folder_only = (1U << 3U) | (((1U << 10U) - 1) << 4U);  // READ_DIR, and REMOVE_DIR to REFER

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};

// What the versions of the interface know: all rights of files up to this bit.
std::uint64_t rights_of(long version) {
  if (version >= 5) {
    return (1U << 16U) - 1;
  }
  if (version >= 3) {
    return (1U << 15U) - 1;
  }
  return version == 2 ? (1U << 14U) - 1 : (1U << 13U) - 1;
}

int allow(int rules, const char* path, std::uint64_t rights) {
  const int place = ::open(path, O_PATH | O_CLOEXEC);
  if (place < 0) {
    return errno == ENOENT ? 0 : -errno;
  }
  struct stat what {};
  if (::fstat(place, &what) == 0 && !S_ISDIR(what.st_mode)) {
    rights &= ~folder_only;
  }
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = place;
  const long done = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0U);
  const int error = errno;
  ::close(place);
  return done == 0 ? 0 : -error;
}

}  // namespace

int landlock_self(const LandlockWish& wish) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0UL, 1U);
  if (version <= 0) {
    return 0;
  }
  int holds = force_landlock;
  Ruleset asked{rights_of(version), 0, 0};
  if (version >= 4 && !wish.network) {
    asked.network = 3;  // bind and connect
    holds |= force_landlock_tcp;
  }
  if (version >= 6) {
    asked.scoped = 3;  // abstract sockets and signals
    holds |= force_landlock_scope;
  }
  const std::size_t size = version >= 6 ? 24 : (version >= 4 ? 16 : 8);
  const int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &asked, size, 0U));
  if (rules < 0) {
    return -errno;
  }
  int error = allow(rules, "/", (execute | read_file | read_folder) & asked.files);
  for (std::size_t i = 0; i < wish.count && error == 0; ++i) {
    error = allow(rules, wish.writable[i], asked.files);
  }
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"}) {
    if (error == 0) {
      error = allow(rules, device, (read_file | write_file | truncate_file | device_ioctl) & asked.files);
    }
  }
  if (error == 0 && ::syscall(SYS_landlock_restrict_self, rules, 0U) != 0) {
    error = -errno;
  }
  ::close(rules);
  return error != 0 ? error : holds;
}

}  // namespace plumb::process
