// What the exit code of `plumb` says. 2 wins over 1: who reads the code must first know that something was not decided.
#pragma once

#include <string_view>
#include <vector>

namespace plumb::cli {

constexpr int exit_clean = 0;
constexpr int exit_findings = 1;
constexpr int exit_undecided = 2;  // also: usage, an input that cannot be read, a bug

struct ExitCode {
  char digit;
  std::string_view meaning;
};

inline const std::vector<ExitCode>& exit_codes() {
  static const std::vector<ExitCode> codes = {
      {'0', "No finding at or above --fail-on, and every verdict is decided."},
      {'1', "There are findings at or above --fail-on, and every verdict is decided."},
      {'2',
       "Something could not be decided: a verdict is `undecided` (a limit was reached, or a context is missing), an "
       "input "
       "could not be read, the contract is invalid, wrong usage, or a bug. It wins over 1."},
  };
  return codes;
}

}  // namespace plumb::cli
