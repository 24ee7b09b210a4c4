// A boundary whose judge and producer are client programs that do what programs do, and worse: they fail, hang until
// their time is over, name ids that nobody has, answer in other forms, answer twice, and answer late. Each seed is a
// run of its own.
#pragma once

#include <cstdint>
#include <string>

namespace plumb::test {

struct ClientCounts {
  std::uint64_t runs = 0, asks = 0, refused = 0, failed = 0, timed_out = 0, twice = 0, late = 0;
};

// Plays the seed; gives a sentence for the first thing that is not as it should be, or nothing.
std::string play_client(std::uint64_t seed, ClientCounts& counts);

}  // namespace plumb::test
