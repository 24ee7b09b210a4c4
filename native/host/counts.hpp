// What a host does, for metrics.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::host {

struct Counts {
  std::size_t runs = 0;       // waiting, in memory
  std::size_t under_way = 0;  // calls
  std::size_t queued = 0;     // runs that wait for a call to become free
  std::size_t watches = 0;
  std::uint64_t started = 0, done = 0, failed = 0, cancelled = 0;  // since the host was opened
  std::uint64_t calls = 0, calls_again = 0;                        // of these, made again after a loss
  std::uint64_t handed_over = 0;                                   // calls given up for the next host
  std::uint64_t store_failures = 0;                                // appends that were refused by a store that fails
  std::size_t held = 0;                                            // runs that wait since they are to ask somebody else
};

}  // namespace plumb::host
