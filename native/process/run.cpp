#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "native/process/child_plan.hpp"

namespace plumb::process {

namespace {

constexpr std::uint64_t grace_ms = 5000;  // of a reaper, for what it has to end

class File {
 public:
  File() = default;
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void take(int file) {
    close();
    file_ = file;
  }
  void close() {
    if (file_ >= 0) {
      ::close(file_);
    }
    file_ = -1;
  }
  int get() const { return file_; }

 private:
  int file_ = -1;
};

struct Pipe {
  File read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return false;
    }
    read.take(ends[0]);
    write.take(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
  }
};

std::uint64_t now_us() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

Error failed(ErrorCode code, std::string what) { return {code, std::move(what), "", 0, 0}; }
Error system_failed(std::string what) {
  return failed(ErrorCode::unavailable, std::move(what) + ": " + std::strerror(errno));
}

std::string step_text(Step step) {
  switch (step) {
    case Step::user:
      return "no user namespace can be made";
    case Step::mounts:
      return "files cannot be made read-only";
    case Step::proc:
      return "there is no /proc of its own";
    case Step::devices:
      return "there is no /dev of its own";
    case Step::shown:
      return "what it may see cannot be shown to it";
    case Step::id_map:
      return "the file system cannot show root's files as another user's";
    case Step::network:
      return "there is no network of its own";
    case Step::limits:
      return "a bound cannot be set";
    case Step::privileges:
      return "privileges cannot be given up";
    case Step::landlock:
      return "Landlock refuses";
    default:
      return "no process can be made";
  }
}

// One child, from its making to its end.
class Child {
 public:
  Child(ChildPlan& plan, bool isolated) : plan_(plan), isolated_(isolated) {}
  ~Child() { reap(true); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::optional<Error> start(int input);
  // Until it is over; what it told is in `told` then.
  void attend(const Stop* stop, Outcome& outcome);
  // The step at which it failed before its program ran; `begins`: none.
  ChildReport failure() const { return failure_; }
  bool has_begun() const { return begun_; }
  int holds() const { return holds_; }
  bool left_alive() const { return left_alive_; }
  bool has_reaper() const { return !plan_.no_reaper; }

 private:
  bool read_one(File& file, KeptOutput& kept);
  void read_told(Outcome& outcome);
  void read_end(Outcome& outcome);
  void has_ended(int status, Outcome& outcome);
  bool is_over() const { return watch_.get() >= 0 ? ended_ : told_.read.get() < 0; }
  void finish();
  void reap(bool kill);

  ChildPlan& plan_;
  bool isolated_;
  pid_t pid_ = -1;
  Pipe out_, err_, told_, life_;
  File watch_;  // of a program without a reaper: readable when it has ended
  ChildReport failure_{};
  bool begun_ = false;
  bool ended_ = false;
  bool left_alive_ = false;
  int holds_ = 0;
};

std::optional<Error> Child::start(int input) {
  if (!out_.open() || !err_.open() || !told_.open() || !life_.open()) {
    return system_failed("no pipe can be made");
  }
  plan_.in = input;
  plan_.out = out_.write.get();
  plan_.err = err_.write.get();
  plan_.told = told_.write.get();
  plan_.life = life_.read.get();
  plan_.argv.clear();
  plan_.envp.clear();
  for (std::string& word : plan_.words) {
    plan_.argv.push_back(word.data());
  }
  for (std::string& variable : plan_.variables) {
    plan_.envp.push_back(variable.data());
  }
  plan_.argv.push_back(nullptr);
  plan_.envp.push_back(nullptr);
  unsigned long flags = SIGCHLD;
  if (isolated_) {
    flags |= CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
    flags |= plan_.as_root ? 0UL : CLONE_NEWUSER;
    flags |= plan_.network ? 0UL : CLONE_NEWNET;
  }
  // No handler of this process may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  if (plan_.no_reaper) {
    pid_ = ::vfork();  // NOLINT: nothing of this process is copied, and the child only calls what is made for it
    if (pid_ == 0) {
      be_program(plan_);
    }
  } else {
    pid_ = static_cast<pid_t>(::syscall(SYS_clone, flags, 0, 0, 0, 0));
  }
  if (pid_ == 0) {
    if (isolated_) {
      be_isolated(plan_);
    }
    be_reaper(plan_);
  }
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  if (pid_ < 0) {
    return system_failed(isolated_ ? "no namespaces can be made" : "no process can be made");
  }
  out_.write.close();
  err_.write.close();
  told_.write.close();
  life_.read.close();
  if (plan_.no_reaper) {
    watch_.take(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (watch_.get() < 0) {
      return system_failed("its end cannot be watched");
    }
  }
  return std::nullopt;
}

// False: closed.
bool Child::read_one(File& file, KeptOutput& kept) {
  std::array<char, std::size_t{1} << 16U> buffer;
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size > 0) {
    kept.add({buffer.data(), static_cast<std::size_t>(size)});
  }
  if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) {
    return true;
  }
  file.close();
  return false;
}

void Child::read_told(Outcome& outcome) {
  ChildReport told;
  ssize_t size = 0;
  while ((size = ::read(told_.read.get(), &told, sizeof told)) == sizeof told) {
    const Step step{told.step};
    if (step == Step::begins) {
      begun_ = true;
      holds_ = told.value;
    } else if (step == Step::ended) {
      left_alive_ = (told.error & force_left_alive) != 0;
      has_ended(told.value, outcome);
    } else if (failure_.step == 0) {
      failure_ = told;
    }
  }
  if (size == 0) {
    told_.read.close();
  }
}

void Child::read_end(Outcome& outcome) {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) {
    return;
  }
  pid_ = -1;
  has_ended(status, outcome);
}

void Child::has_ended(int status, Outcome& outcome) {
  ended_ = true;
  if (WIFEXITED(status)) {
    outcome.exit_code = WEXITSTATUS(status);
  } else {
    outcome.end = End::signalled;
    outcome.signal = WTERMSIG(status);
  }
}

// Ends the whole tree.
void Child::finish() {
  if (plan_.no_reaper && pid_ > 0) {
    ::kill(-pid_, SIGKILL);  // it leads its session
  }
  if (isolated_ || plan_.no_reaper) {
    reap(true);
    return;
  }
  life_.write.close();
  const std::uint64_t end_us = now_us() + grace_ms * 1000;
  Outcome unused;
  while (told_.read.get() >= 0 && now_us() < end_us) {
    pollfd watched{told_.read.get(), POLLIN, 0};
    ::poll(&watched, 1, 100);
    read_told(unused);
  }
  left_alive_ = left_alive_ || told_.read.get() >= 0;
  reap(true);
}

void Child::reap(bool kill) {
  if (pid_ <= 0) {
    return;
  }
  if (kill) {
    ::kill(pid_, SIGKILL);
  }
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void Child::attend(const Stop* stop, Outcome& outcome) {
  const std::uint64_t begun_us = now_us();
  const std::uint64_t end_us = begun_us + plan_.limits.time_ms * 1000;
  std::optional<End> cut;
  while (!is_over() && !cut) {
    const std::uint64_t now = now_us();
    if (now >= end_us) {
      cut = End::timed_out;
      break;
    }
    const std::uint64_t left_ms = std::min<std::uint64_t>((end_us - now) / 1000 + 1, 60'000);
    std::array<pollfd, 5> watched = {{{out_.read.get(), POLLIN, 0},
                                      {err_.read.get(), POLLIN, 0},
                                      {told_.read.get(), POLLIN, 0},
                                      {stop == nullptr ? -1 : stop->file(), POLLIN, 0},
                                      {watch_.get(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(left_ms)) < 0) {
      continue;
    }
    if (watched[3].revents != 0) {
      cut = End::stopped;
    }
    if (watched[0].revents != 0) {
      read_one(out_.read, outcome.out);
    }
    if (watched[1].revents != 0) {
      read_one(err_.read, outcome.err);
    }
    if (watched[2].revents != 0) {
      read_told(outcome);
    }
    if (watched[4].revents != 0) {
      read_end(outcome);
    }
    if (std::max(outcome.out.bytes(), outcome.err.bytes()) > plan_.limits.output_max) {
      cut = End::too_much_output;
    }
  }
  read_told(outcome);  // what was told in the moment of its end
  if (cut) {
    finish();
  } else {
    reap(false);
  }
  // Nobody is left to write, or somebody got away: what is there is read, and no more waited for.
  for (auto* one : {&out_, &err_}) {
    KeptOutput& kept = one == &out_ ? outcome.out : outcome.err;
    while (one->read.get() >= 0 && kept.bytes() <= plan_.limits.output_max) {
      const std::uint64_t before = kept.bytes();
      if (!read_one(one->read, kept) || kept.bytes() == before) {
        break;
      }
    }
  }
  if (cut) {
    outcome.end = *cut;
    outcome.exit_code = -1;
    outcome.signal = 0;
  } else if (!ended_ && failure_.step == 0) {
    // The first process of the namespace, or the reaper, was killed from outside.
    outcome.end = End::signalled;
    outcome.signal = SIGKILL;
  }
  outcome.duration_ms = (now_us() - begun_us) / 1000;
}

InForce in_force(const Child& child, bool isolated, bool network, std::string lacking) {
  InForce now;
  now.isolation = isolated ? Isolation::full : Isolation::partial;
  now.lacking = std::move(lacking);
  now.parts = isolated ? std::vector<std::string>{"processes", "files", "user", "bounds"} : std::vector<std::string>{};
  if (!isolated && child.has_reaper()) {
    now.parts.emplace_back("reaper");
  }
  if (isolated && !network) {
    now.parts.emplace_back("network");
  }
  now.parts.emplace_back("no-new-privileges");
  if ((child.holds() & force_landlock) != 0) {
    now.parts.emplace_back("landlock");
  }
  if (!isolated && (child.holds() & force_landlock_tcp) != 0) {
    now.parts.emplace_back("no-tcp");
  }
  if (child.left_alive()) {
    now.parts.emplace_back("some-left-alive");
  }
  return now;
}

// An input that is there whole before the program begins: nobody has to feed it.
std::optional<Error> open_input(const Command& command, File& input) {
  if (command.input_file >= 0) {
    input.take(::fcntl(command.input_file, F_DUPFD_CLOEXEC, 3));
  } else if (command.input.empty()) {
    input.take(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  } else {
    input.take(::memfd_create("input", MFD_CLOEXEC));
    std::size_t written = 0;
    while (input.get() >= 0 && written < command.input.size()) {
      const ssize_t size = ::write(input.get(), command.input.data() + written, command.input.size() - written);
      if (size < 0 && errno != EINTR) {
        return system_failed("its input cannot be kept");
      }
      written += size > 0 ? static_cast<std::size_t>(size) : 0;
    }
    if (input.get() >= 0) {
      ::lseek(input.get(), 0, SEEK_SET);
    }
  }
  return input.get() < 0 ? std::optional<Error>(system_failed("it can be given no input")) : std::nullopt;
}

}  // namespace

std::string_view isolation_name(Isolation isolation) { return isolation == Isolation::full ? "full" : "partial"; }

std::string_view end_name(End end) {
  constexpr std::array<std::string_view, 5> names = {"exited", "signalled", "timed_out", "too_much_output", "stopped"};
  return names[static_cast<std::size_t>(end)];
}

Stop::Stop() : file_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
Stop::~Stop() {
  if (file_ >= 0) {
    ::close(file_);
  }
}
void Stop::now() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t size = ::write(file_, &one, sizeof one);
}

Result<Outcome> run(const Command& command, Stop* stop) {
  Result<ChildPlan> planned = plan_of(command);
  if (!planned) {
    return planned.error();
  }
  ChildPlan& plan = planned.value();
  File input;
  if (std::optional<Error> error = open_input(command, input)) {
    return *error;
  }
  std::string lacking = command.most == Isolation::full ? "" : "full isolation was not asked for";
  for (const bool isolated : {true, false}) {
    if (isolated && command.most != Isolation::full) {
      continue;
    }
    if (!isolated && command.least == Isolation::full) {
      break;
    }
    Child child(plan, isolated);
    std::optional<Error> error = child.start(input.get());
    Outcome outcome;
    outcome.out = KeptOutput(plan.limits.first_bytes, plan.limits.last_bytes);
    outcome.err = outcome.out;
    if (!error) {
      child.attend(stop, outcome);
    }
    const ChildReport told = child.failure();
    if (!error && told.step == 0) {
      outcome.in_force = in_force(child, isolated, plan.network, lacking);
      return outcome;
    }
    const Step step{told.step};
    errno = told.error;
    if (!error && step == Step::no_folder) {
      return failed(ErrorCode::invalid_argument,
                    "the folder " + command.folder + " cannot be entered: " + std::strerror(errno));
    }
    if (!error && step == Step::no_program) {
      return failed(ErrorCode::unavailable, command.argv.front() + " cannot be started: " + std::strerror(errno));
    }
    if (!isolated) {
      return error ? *error : system_failed(step_text(step));
    }
    lacking = error ? error->message : step_text(step) + ": " + std::strerror(told.error);
  }
  return failed(ErrorCode::unavailable,
                command.argv.front() + " was not started: full isolation cannot be had here (" + lacking + ")");
}

}  // namespace plumb::process
