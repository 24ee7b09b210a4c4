#include "native/process/view.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

namespace plumb::process {

namespace {

constexpr std::array<const char*, 5> devices = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
constexpr std::size_t shown_max = 64;

ChildReport failed(Step step) { return {static_cast<int>(step), errno, 0}; }
ChildReport done() { return {static_cast<int>(Step::begins), 0, 0}; }
bool went_wrong(const ChildReport& told) { return told.step != static_cast<int>(Step::begins); }

bool set_mount(int at, const char* path, unsigned flags, std::uint64_t attributes, int users = -1) {
  mount_attr wish{};
  wish.attr_set = attributes;
  wish.userns_fd = users >= 0 ? static_cast<std::uint64_t>(users) : 0;
  return ::mount_setattr(at, path, flags, &wish, sizeof wish) == 0;
}

bool write_whole(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const bool whole = ::write(file, text, static_cast<std::size_t>(size)) == size;
  ::close(file);
  return whole;
}

// "/proc/123/NAME", without asking for memory.
void proc_path(std::array<char, 64>& to, pid_t pid, std::string_view name) {
  constexpr std::string_view begins = "/proc/";
  char* end = std::copy(begins.begin(), begins.end(), to.data());
  end = std::to_chars(end, to.data() + 32, pid).ptr;
  *end++ = '/';
  *std::copy(name.begin(), name.end(), end) = '\0';
}

// A user namespace in which root's files are `user`'s: what an id-mapped mount takes.
int mapped_users(const ChildPlan& plan) {
  const auto helper = static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  if (helper == 0) {
    for (;;) {
      ::pause();
    }
  }
  if (helper < 0) {
    return -1;
  }
  std::array<char, 64> path{};
  int users = -1;
  proc_path(path, helper, "uid_map");
  bool fine = write_whole(path.data(), plan.user_map.c_str());
  proc_path(path, helper, "gid_map");
  fine = fine && write_whole(path.data(), plan.group_map.c_str());
  if (fine) {
    proc_path(path, helper, "ns/user");
    users = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  }
  const int error = errno;
  ::kill(helper, SIGKILL);
  ::waitpid(helper, nullptr, 0);
  errno = error;
  return users;
}

ChildReport make_devices(const std::array<int, devices.size()>& real) {
  constexpr unsigned long plain = MS_NOSUID | MS_NODEV;
  if (::mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "mode=0755,size=1m") != 0) {
    return failed(Step::devices);
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const int file = ::open(devices[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      return failed(Step::devices);
    }
    ::close(file);
    if (::move_mount(real[i], "", AT_FDCWD, devices[i], MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      return failed(Step::devices);
    }
  }
  constexpr const char* links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                      {"/proc/self/fd/0", "/dev/stdin"},
                                      {"/proc/self/fd/1", "/dev/stdout"},
                                      {"/proc/self/fd/2", "/dev/stderr"}};
  for (const auto& [to, name] : links) {
    if (::symlink(to, name) != 0) {
      return failed(Step::devices);
    }
  }
  ::mkdir("/dev/shm", 0755);
  ::mkdir("/dev/pts", 0755);
  if (::mount("tmpfs", "/dev/shm", "tmpfs", plain, "mode=1777,size=64m") != 0) {
    return failed(Step::devices);
  }
  // Pseudo-terminals of its own, where the kernel gives them.
  if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620") == 0 &&
      ::symlink("pts/ptmx", "/dev/ptmx") != 0) {
    return failed(Step::devices);
  }
  return set_mount(AT_FDCWD, "/dev", 0, MOUNT_ATTR_RDONLY) ? done() : failed(Step::devices);
}

// What is shown is taken out before all turns read-only, and put into its place again afterwards.
ChildReport take_out(const ChildPlan& plan, std::array<int, shown_max>& taken) {
  if (plan.shown.size() > shown_max) {
    errno = E2BIG;
    return failed(Step::shown);
  }
  for (std::size_t i = 0; i < plan.shown.size(); ++i) {
    taken[i] = ::open_tree(AT_FDCWD, plan.shown[i].path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (taken[i] < 0) {
      return failed(Step::shown);
    }
  }
  return done();
}

ChildReport put_back(const ChildPlan& plan, const std::array<int, shown_max>& taken) {
  int users = -1;
  if (plan.as_root && !plan.shown.empty() && (users = mapped_users(plan)) < 0) {
    return failed(Step::id_map);
  }
  for (const MadePlace& place : plan.made) {
    if (place.folder) {
      if (::mkdir(place.path.c_str(), 0755) != 0 && errno != EEXIST) {
        return failed(Step::shown);
      }
      continue;
    }
    const int file = ::open(place.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) {
      return failed(Step::shown);
    }
    ::close(file);
  }
  for (std::size_t i = 0; i < plan.shown.size(); ++i) {
    const std::uint64_t more = plan.shown[i].writable ? 0 : std::uint64_t{MOUNT_ATTR_RDONLY};
    const std::uint64_t mapped = users >= 0 ? std::uint64_t{MOUNT_ATTR_IDMAP} : 0;
    if (!set_mount(taken[i], "", AT_EMPTY_PATH | AT_RECURSIVE, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | more | mapped,
                   users)) {
      return failed(mapped != 0 ? Step::id_map : Step::shown);
    }
    if (::move_mount(taken[i], "", AT_FDCWD, plan.shown[i].path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0) {
      return failed(Step::shown);
    }
    ::close(taken[i]);
  }
  if (users >= 0) {
    ::close(users);
  }
  return done();
}

}  // namespace

ChildReport make_view(const ChildPlan& plan) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return failed(Step::mounts);
  }
  std::array<int, devices.size()> real{};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    real[i] = ::open_tree(AT_FDCWD, devices[i], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (real[i] < 0) {
      return failed(Step::devices);
    }
  }
  std::array<int, shown_max> taken{};
  if (ChildReport told = take_out(plan, taken); went_wrong(told)) {
    return told;
  }
  if (!set_mount(AT_FDCWD, "/", AT_RECURSIVE, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)) {
    return failed(Step::mounts);
  }
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return failed(Step::proc);
  }
  for (const std::string& path : plan.hidden) {
    const char* how = path == "/tmp" ? "mode=1777,size=256m" : "mode=0755,size=1m";
    if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, how) != 0) {
      return failed(Step::mounts);
    }
  }
  if (ChildReport told = put_back(plan, taken); went_wrong(told)) {
    return told;
  }
  if (ChildReport told = make_devices(real); went_wrong(told)) {
    return told;
  }
  for (const std::string& path : plan.hidden) {
    if (path != "/tmp" && !set_mount(AT_FDCWD, path.c_str(), 0, MOUNT_ATTR_RDONLY)) {
      return failed(Step::mounts);
    }
  }
  return set_mount(AT_FDCWD, "/proc", 0, MOUNT_ATTR_RDONLY) ? done() : failed(Step::proc);
}

}  // namespace plumb::process
