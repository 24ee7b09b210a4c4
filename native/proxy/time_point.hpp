// TimePoint: the time, as whoever looks at the clock tells it. Nothing in the policy looks at a clock itself, so that a
// test can live through a day.
#pragma once

#include <cstdint>

namespace plumb::proxy {

struct TimePoint {
  std::uint64_t steady_us = 0;  // never goes back: durations
  std::uint64_t wall_ms = 0;    // since 1970: days, dates, logs

  std::uint64_t steady_ms() const { return steady_us / 1000; }
};

// What the clocks say now, for whoever has no loop that keeps it.
TimePoint moment_now();

}  // namespace plumb::proxy
