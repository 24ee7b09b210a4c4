// Between the making of a process and its program. Only what is safe after a fork of a process with threads is called;
// what goes wrong is told through a pipe.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/ascii.hpp"
#include "native/process/child_plan.hpp"
#include "native/process/landlock.hpp"
#include "native/process/view.hpp"

namespace plumb::process {

namespace {

void tell(const ChildPlan& plan, ChildReport told) {
  while (::write(plan.told, &told, sizeof told) < 0 && errno == EINTR) {
  }
}
[[noreturn]] void give_up(const ChildPlan& plan, Step step) {
  tell(plan, {static_cast<int>(step), errno, 0});
  ::_exit(127);
}

// What the host's threads have set up must not run here, nor what they have open be held.
void forget_host(const ChildPlan& plan) {
  for (int number = 1; number < 65; ++number) {
    ::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  unsigned from = 3;
  std::array<int, 5> keep = {plan.in, plan.out, plan.err, plan.told, plan.life};
  for (std::size_t round = 0; round < keep.size(); ++round) {
    unsigned next = ~0U;
    for (const int file : keep) {
      const auto number = static_cast<unsigned>(file);
      if (file >= 0 && number >= from && number < next) {
        next = number;
      }
    }
    if (next == ~0U) {
      break;
    }
    if (next > from) {
      ::close_range(from, next - 1, 0);
    }
    from = next + 1;
  }
  ::close_range(from, ~0U, 0);
}

void close_ends(const ChildPlan& plan) {
  for (const int file : {plan.in, plan.out, plan.err}) {
    ::close(file);
  }
}

bool bound(int resource, std::uint64_t most) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) {
    return false;
  }
  limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0;
}

void loopback_up() {
  const int sock = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq lo{};
  std::strcpy(lo.ifr_name, "lo");
  if (sock >= 0 && ::ioctl(sock, SIOCGIFFLAGS, &lo) == 0) {
    lo.ifr_flags = static_cast<short>(lo.ifr_flags | IFF_UP);
    ::ioctl(sock, SIOCSIFFLAGS, &lo);
  }
  if (sock >= 0) {
    ::close(sock);
  }
}

bool write_file(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool whole = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) {
    ::close(file);
  }
  return whole;
}

void drop_privileges(const ChildPlan& plan, bool isolated) {
  ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  for (int capability = 0; capability < 64 && ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);  // where it lets us
  }
  if (isolated && plan.as_root &&
      (::syscall(SYS_setgroups, 0, nullptr) != 0 || ::syscall(SYS_setresgid, plan.user, plan.user, plan.user) != 0 ||
       ::syscall(SYS_setresuid, plan.user, plan.user, plan.user) != 0)) {
    give_up(plan, Step::privileges);
  }
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct nothing[2] = {};
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (::syscall(SYS_capset, &head, nothing) != 0) {
    give_up(plan, Step::privileges);
  }
}

// Becomes the program.
[[noreturn]] void become(const ChildPlan& plan, bool isolated) {
  ::setsid();
  const Limits& limits = plan.limits;
  bool bounded = bound(RLIMIT_CORE, 0);
  if (limits.memory_max != 0) {
    bounded = bounded && bound(RLIMIT_AS, limits.memory_max);
  }
  if (limits.file_max != 0) {
    bounded = bounded && bound(RLIMIT_FSIZE, limits.file_max);
  }
  if (isolated) {
    bounded = bounded && bound(RLIMIT_NPROC, limits.processes_max);
  }
  if (!bounded) {
    give_up(plan, Step::limits);
  }
  ::umask(022);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    give_up(plan, Step::privileges);
  }
  std::array<const char*, 66> writable{};
  std::size_t count = 0;
  for (const Shown& shown : plan.shown) {
    if (shown.writable && count < 64) {
      writable[count++] = shown.path.c_str();
    }
  }
  if (isolated) {
    writable[count++] = "/tmp";
    writable[count++] = "/dev";
  }
  // A network namespace of its own keeps its TCP to itself.
  const int holds = landlock_self({writable.data(), count, plan.network || isolated});
  if (holds < 0) {
    errno = -holds;
    give_up(plan, Step::landlock);
  }
  drop_privileges(plan, isolated);
  if (::chdir(plan.folder.c_str()) != 0) {
    give_up(plan, Step::no_folder);
  }
  ::dup2(plan.in, STDIN_FILENO);
  ::dup2(plan.out, STDOUT_FILENO);
  ::dup2(plan.err, STDERR_FILENO);
  tell(plan, {static_cast<int>(Step::begins), 0, holds});
  ::fcntl(plan.told, F_SETFD, FD_CLOEXEC);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  give_up(plan, Step::no_program);
}

std::uint64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

// Kills the children of this thread, as the kernel lists them; false where it lists none.
bool kill_children() {
  char path[64] = "/proc/thread-self/children";
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  char text[4096];
  pid_t pid = 0;
  bool any = false;
  ssize_t size = 0;
  while ((size = ::read(file, text, sizeof text)) > 0) {
    for (ssize_t i = 0; i < size; ++i) {
      if (ascii::is_digit(text[i])) {
        pid = pid * 10 + (text[i] - '0');
      } else if (pid > 0) {
        ::kill(pid, SIGKILL);
        any = true;
        pid = 0;
      }
    }
  }
  if (pid > 0) {
    ::kill(pid, SIGKILL);
    any = true;
  }
  ::close(file);
  return any;
}

// Generation after generation: whoever is orphaned comes to this reaper. True: nobody is left.
bool end_all(pid_t program) {
  ::kill(-program, SIGKILL);
  const std::uint64_t end_ms = now_ms() + 3000;
  for (;;) {
    const bool some = kill_children();
    pid_t gone = 0;
    while ((gone = ::waitpid(-1, nullptr, some ? 0 : WNOHANG)) > 0 && !some) {
    }
    if (gone < 0 && errno == ECHILD) {
      return true;
    }
    if (now_ms() > end_ms) {
      return false;
    }
    if (!some) {
      ::sched_yield();
    }
  }
}

}  // namespace

void be_isolated(const ChildPlan& plan) {
  forget_host(plan);
  if (!plan.as_root) {
    write_file("/proc/self/setgroups", "deny");
    if (!write_file("/proc/self/uid_map", plan.user_map) || !write_file("/proc/self/gid_map", plan.group_map)) {
      give_up(plan, Step::user);
    }
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_DUMPABLE, 0);
  pollfd host{plan.life, POLLIN, 0};
  if (::poll(&host, 1, 0) != 0) {  // it has gone already
    ::_exit(127);
  }
  ::setsid();
  if (!plan.network) {
    loopback_up();
  }
  // As /dev/stdout and /dev/stderr the program's user opens them anew.
  if (plan.as_root &&
      (::fchown(plan.out, plan.user, plan.user) != 0 || ::fchown(plan.err, plan.user, plan.user) != 0)) {
    give_up(plan, Step::user);
  }
  const ChildReport view = make_view(plan);
  if (view.step != static_cast<int>(Step::begins)) {
    tell(plan, view);
    ::_exit(127);
  }
  const pid_t program = ::_Fork();
  if (program < 0) {
    give_up(plan, Step::process);
  }
  if (program == 0) {
    become(plan, true);
  }
  close_ends(plan);
  int status = 0;
  for (;;) {
    const pid_t gone = ::waitpid(-1, &status, 0);
    if (gone == program) {
      break;
    }
    if (gone < 0 && errno != EINTR) {
      give_up(plan, Step::process);
    }
  }
  tell(plan, {static_cast<int>(Step::ended), 0, status});
  ::_exit(0);  // and the kernel ends whoever is left in the namespace
}

void be_reaper(const ChildPlan& plan) {
  forget_host(plan);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::setsid();
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  const int ended = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t program = ended < 0 ? -1 : ::_Fork();
  if (program < 0) {
    give_up(plan, Step::process);
  }
  if (program == 0) {
    ::sigprocmask(SIG_UNBLOCK, &child, nullptr);
    become(plan, false);
  }
  close_ends(plan);
  int status = 0;
  bool over = false;
  while (!over) {
    pollfd watched[2] = {{ended, POLLIN, 0}, {plan.life, POLLIN, 0}};
    ::poll(watched, 2, -1);
    signalfd_siginfo said;
    while (::read(ended, &said, sizeof said) > 0) {
    }
    int one = 0;
    for (pid_t gone = 0; (gone = ::waitpid(-1, &one, WNOHANG)) > 0;) {
      if (gone == program) {
        status = one;
        over = true;
      }
    }
    over = over || watched[1].revents != 0;  // the host wants it ended, or is gone itself
  }
  const bool left = !end_all(program);
  tell(plan, {static_cast<int>(Step::ended), left ? force_left_alive : 0, status});
  ::_exit(0);
}

void be_program(const ChildPlan& plan) {
  forget_host(plan);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd host{plan.life, POLLIN, 0};
  if (::poll(&host, 1, 0) != 0) {  // it has gone already
    ::_exit(127);
  }
  become(plan, false);
}

}  // namespace plumb::process
