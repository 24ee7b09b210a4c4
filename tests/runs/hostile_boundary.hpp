// A boundary among models that do what models do, and worse: answers that are no JSON, ids that nobody has, rejections
// without a reason, revisions in too many parts, calls that fail. Each seed is a run of its own.
#pragma once

#include <cstdint>
#include <string>

#include "core/run/boundary.hpp"
#include "core/run/machine.hpp"

namespace plumb::test {

// What happened in runs, added up.
struct HostileCounts {
  std::uint64_t runs = 0, items = 0, accepted = 0, warned = 0, failed = 0, unverified = 0, parts = 0;
  std::uint64_t validations = 0, revisions = 0, skipped = 0, unknown_ids = 0, unfounded = 0, unmentioned = 0;
  std::uint64_t calls_failed = 0;
};

// Plays the seed; gives a sentence for the first thing that is not as it should be, or nothing.
std::string play_hostile(std::uint64_t seed, HostileCounts& counts);

}  // namespace plumb::test
