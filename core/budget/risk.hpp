// Risk: signals that a run is going wrong, and the response to each (seed 004, "Risk Monitor"; defaults of 004-6).
//
//   retries        more than 3                              escalate
//   utilization    more than 70 % of the window             pause
//   scope_creep    a file written beyond the task's files   warn, flagged for review
//   conflict       one file written by parallel tasks       halt
//   loop           the same call again and again            warn (core/budget/loops.hpp)
//
// Each signal has steps: a value above `over` calls for the step's response. A policy may give a signal several steps
// ("more than 1: log, more than 2: warn, more than 3: escalate"); of the exceeded steps the strongest response holds.
// An empty list turns the signal off. An unknown value is reported as `unknown` and calls for nothing. The run's
// response is the strongest of all.
//
// The files of a task are paths, folders ("src/"), or patterns with `*` and `?` (within a folder) and `**` (across
// folders). Paths are compared after `.`, `..`, empty segments and `\` are resolved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/ladder.hpp"
#include "core/budget/tokens_of.hpp"

namespace plumb::budget {

enum class Signal : std::uint8_t { retries, utilization, scope_creep, conflict, loop };
constexpr std::size_t signals_size = 5;
constexpr std::string_view signal_names[] = {"retries", "utilization", "scope_creep", "conflict", "loop"};
constexpr std::string_view signal_name(Signal signal) { return signal_names[static_cast<std::uint8_t>(signal)]; }

struct Step {
  std::uint64_t over = 0;  // utilization: hundredths of a percent; conflict and scope_creep: files; loop: calls
  Response response = Response::warn;
};
using Policy = std::array<std::vector<Step>, signals_size>;
Policy policy_default();

struct ParallelTask {
  std::string name;
  std::vector<std::string> files;
};

struct RiskState {
  std::optional<std::uint64_t> retries;
  std::optional<std::uint64_t> utilization;  // hundredths of a percent
  std::optional<std::vector<std::string>> written;
  std::vector<std::string> task_files;
  std::optional<std::vector<ParallelTask>> tasks;
  std::optional<std::uint64_t> loop_calls;  // of the longest loop; 0: none
};

struct Risk {
  Signal signal = Signal::retries;
  bool known = false;
  std::uint64_t value = 0;
  std::optional<std::uint64_t> over;  // of the step that decides
  Response response = Response::observe;
  std::string explanation;
  std::vector<std::string> files;  // files outside the task, or written by several tasks
};

struct Risks {
  Response response = Response::observe;
  std::vector<Risk> signals;  // all of them, in the order above
};

Risks judge_risk(const RiskState& state, const Policy& policy = policy_default());

// "a/./b//../c" becomes "a/c". A path that leads above its top keeps its "..".
// A backslash counts as a slash, as on Windows.
std::string plain_path(std::string_view path);
// In `path`, a backslash is a character like any other: git and Linux have such names.
bool path_fits(std::string_view pattern, std::string_view path);

}  // namespace plumb::budget
