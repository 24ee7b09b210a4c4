// How long runs are kept and calls are waited for: --keep-runs and --stop-grace, else PLUMB_KEEP_RUNS and
// PLUMB_STOP_GRACE, else `runs: {keep: 30d, stop_grace: 5s}` of plumb.yaml. A while is "90d", "12h", "30m" or "45s";
// "forever" is one too.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"

namespace plumb::cli {

struct RunSettings {
  std::uint64_t keep_ms = std::uint64_t{30} * 24 * 3600 * 1000;  // of ended runs; 0: for ever
  std::uint64_t stop_grace_ms = 5'000;                           // of calls under way when it is told to stop
};
std::vector<OptionSpec> run_setting_options();
Result<RunSettings> run_settings(const Arguments& arguments);

}  // namespace plumb::cli
