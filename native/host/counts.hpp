// Counts of a host's work, for metrics.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::host {

struct Counts {
  std::size_t runs = 0;       // waiting runs in memory
  std::size_t under_way = 0;  // calls in progress
  std::size_t queued = 0;     // runs queued for a call slot
  std::size_t watches = 0;
  std::uint64_t started = 0, done = 0, failed = 0, cancelled = 0;  // since the host was opened
  std::uint64_t calls = 0, calls_again = 0;                        // calls, and those repeated after a loss
  std::uint64_t handed_over = 0;                                   // calls handed to the next host
  std::uint64_t store_failures = 0;                                // appends that a failing store refused
  std::size_t held = 0;  // runs held back because this host would ask another provider
};

}  // namespace plumb::host
