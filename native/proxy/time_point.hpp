// TimePoint: the time, passed in by whoever reads the clock. The policy never reads a clock itself, so a test can
// simulate a day.
#pragma once

#include <cstdint>

namespace plumb::proxy {

struct TimePoint {
  std::uint64_t steady_us = 0;  // never goes back; for durations
  std::uint64_t wall_ms = 0;    // since 1970; for days, dates and logs

  std::uint64_t steady_ms() const { return steady_us / 1000; }
};

// The clocks' present values, for callers without a loop.
TimePoint moment_now();

}  // namespace plumb::proxy
