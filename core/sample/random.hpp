// Numbers that look random and are the same on every host: splitmix64 from a seed.
//
//   Random random(7);
//   random.below(6);          0 to 5
//   random.chance(1, 3);      true one time in three
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sample/vocabulary.hpp"

namespace plumb::sample {

class Random {
 public:
  // `vocabulary`: whose words are used where words are made; it must outlive this.
  explicit Random(std::uint64_t seed, const Vocabulary* vocabulary = nullptr) : state_(seed), vocabulary_(vocabulary) {}

  const Vocabulary* vocabulary() const { return vocabulary_; }

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    return mixed(state_);
  }
  // 0 for n = 0. The bias is below 2^-32 for the small n that are asked for here.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>((next() >> 16U) % n); }
  bool chance(std::size_t of, std::size_t in) { return below(in) < of; }

  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
  const Vocabulary* vocabulary_ = nullptr;
};

}  // namespace plumb::sample
