// Programs that are run for what they do or write: the one place that starts them.
//
//   process::Command command;
//   command.argv = {"make", "test"};
//   command.folder = tree;
//   command.writable = {tree, home, tmp};
//   Result<process::Outcome> outcome = process::run(command);
//
// No shell. The program sees the environment listed and nothing else; of each output the first and the last part are
// kept; when it has ended, its time is over, it wrote too much or it was stopped, nothing of it lives, also what left
// its group or its session. So it is when this process is killed.
//
// Isolation::full: a mount namespace in which all is read-only but `writable` and a /tmp in memory, with homes, /run
// and `hidden` out of sight; a /proc and a /dev of its own; a process namespace; a network namespace with the loopback
// up (unless `network`); no capabilities, no way to new ones; a user who is not root, and a bound on the number of
// processes; Landlock on top. It is had all or not at all. Isolation::partial: a sub-reaper that ends what is left,
// Landlock where the kernel has it, no new privileges. What was in force is in the outcome.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "native/process/kept_output.hpp"

namespace plumb::process {

enum class Isolation : std::uint8_t { partial, full };
std::string_view isolation_name(Isolation isolation);

struct Limits {
  std::uint64_t time_ms = 300'000;
  std::uint64_t first_bytes = std::uint64_t{64} << 10U;  // kept of each output
  std::uint64_t last_bytes = std::uint64_t{192} << 10U;  // and these
  std::uint64_t output_max = std::uint64_t{64} << 20U;   // of one output: beyond, it is stopped
  std::uint64_t memory_max = 0;                          // address space; 0: no bound (sanitizers and Go need much)
  std::uint64_t file_max = std::uint64_t{100} << 20U;    // of one file that it writes; 0: no bound
  std::uint64_t processes_max = 512;                     // at once, threads too
};

struct Command {
  std::vector<std::string> argv;  // the first: a path, or a name that is looked for in PATH of `environment`
  std::string folder = "/";
  std::vector<std::pair<std::string, std::string>> environment = {};  // without PATH: /usr/local/bin:/usr/bin:/bin
  std::string input = {};
  int input_file = -1;  // an open file as its input, in place of `input`
  std::vector<std::string> writable = {};
  std::vector<std::string> readable = {};  // shown though they lie in what is hidden
  std::vector<std::string> hidden = {};    // folders, beside homes and /run
  bool network = false;
  bool as_user = false;    // a person's own command in a folder of their own: root stays root. Partial isolation only
  bool no_reaper = false;  // it leaves nobody behind, as git: nothing of ours runs beside it. Partial isolation only
  Isolation least = Isolation::partial;  // less than this: refused
  Isolation most = Isolation::full;      // more than this: not tried
  Limits limits = {};
};

enum class End : std::uint8_t { exited, signalled, timed_out, too_much_output, stopped };
std::string_view end_name(End end);

// What held while it ran.
struct InForce {
  Isolation isolation = Isolation::partial;
  std::vector<std::string> parts;  // "processes", "files", "network", "user", "landlock", "no-new-privileges", ...
  std::string lacking;             // why it is not full; empty: it is
};

struct Outcome {
  End end = End::exited;
  int exit_code = -1;  // of one that exited
  int signal = 0;      // of one that was signalled
  KeptOutput out;
  KeptOutput err;
  std::uint64_t duration_ms = 0;
  InForce in_force;

  bool ok() const { return end == End::exited && exit_code == 0; }
};

// Ends a command from another thread: it is then `stopped`.
class Stop {
 public:
  Stop();
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
  void now();
  int file() const { return file_; }

 private:
  int file_ = -1;
};

// Where PATH has a program of that name, or `name` itself where it is a path to one; empty: nowhere.
std::string program_path(std::string_view name, std::string_view path);

// The errors: no such program (not_found), no such folder (invalid_argument), less isolation than the least (refused as
// `unavailable`, and why), the system can start no process (unavailable). How it ended is no error.
Result<Outcome> run(const Command& command, Stop* stop = nullptr);

}  // namespace plumb::process
