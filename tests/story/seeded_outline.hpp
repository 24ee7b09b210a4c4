// Outlines by seed, as JSON: up to five dilemmas of any policy, weight and salience, with spokes, forks, residue and
// endings, and texts that are hard to escape. Each keeps the rules, so each can be made and read to an end.
#pragma once

#include <cstdint>
#include <string>

namespace plumb_test {

struct OutlineWish {
  std::uint32_t dilemmas = 0;      // 0: by the seed
  std::uint32_t beats_a_path = 0;  // 0: by the seed
  std::uint32_t shared = 0;        // shared beats before each dilemma; 0: by the seed
  bool plain = false;              // no spokes or forks, and every text there
};

std::string seeded_outline(std::uint64_t seed, const OutlineWish& wish = {});

}  // namespace plumb_test
