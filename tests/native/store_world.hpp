// The laws of a store that hosts share, in a simulation: three hosts (virtual_host.hpp) with everything that can happen
// to hosts, clocks and networks, over a log in memory (virtual_servers.hpp), as one seed says.
//
//   1  a run's journal has one history: what is stored follows what was stored, and no host that is well loses its runs
//   2  what was told as stored is there, once; what was told as refused is not, unless another host has gone on from it
//   3  the same request is one run
//   4  a call is made only with its attempt stored, and once more at most where its host was lost
//   5  a name is held by one run at a time
//   6  every run ends, within bounded time after the last fault, and gives what it gives without faults
//   7  then all hosts' copies have the same, and so has one that is made anew
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::test {

struct WorldPlay {
  std::uint64_t seed = 1;
  std::string folder;    // there, and empty; used again by the next
  bool tracing = false;  // what happens, to the output
};

struct WorldEnd {
  std::vector<std::string> broken;  // laws, in words; empty: none
  std::uint64_t virtual_ms = 0, events = 0, messages = 0, calls = 0, calls_again = 0, taken = 0, dropped = 0,
                interrupted = 0, handed_over = 0, faults = 0;
};

WorldEnd play_world(const WorldPlay& play);

}  // namespace plumb::test
