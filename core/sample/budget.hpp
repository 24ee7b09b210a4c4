// The bound on work for one sample: search steps, depth, values and the length of a text.
//
//   while (... && budget.step()) ...         one value made
//   budget.judge(text.size());               one text shown to the engine
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::sample {

// What is left of the bound on work for one artifact.
struct Budget {
  std::uint64_t steps_left = 0;
  std::uint32_t depth_max = 32;
  std::uint32_t values_max = 4000;
  std::uint64_t text_max = 65536;  // code points of one string
  bool spent() const { return steps_left == 0; }
  bool step() { return spend(1); }
  bool spend(std::uint64_t steps) {
    steps_left -= steps < steps_left ? steps : steps_left;
    return steps_left > 0;
  }
  // What judging a text costs: large ones count for more.
  bool judge(std::size_t bytes) { return spend(1 + bytes / 512); }
};

}  // namespace plumb::sample
