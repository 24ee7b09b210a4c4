// The laws of a store that hosts share, under some seeds of the simulation; ./dev soak store plays many.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "scripted_runs.hpp"
#include "store_world.hpp"
#include "tests/law_step.hpp"

using namespace plumb;
using namespace plumb::test;

TEST_CASE("simulated store: whatever happens to hosts, clocks and networks, no law is broken (seeds)") {
  const TemporaryFolder folder;
  const std::uint64_t seeds = sanitized ? 25 : 100;
  WorldEnd sums;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const WorldEnd end = play_world({seed, folder.file(""), false});
    for (const std::string& law : end.broken) {
      FAIL_CHECK(law);
    }
    sums.taken += end.taken;
    sums.calls_again += end.calls_again;
    sums.dropped += end.dropped;
  }
  // They say something only where it has come to what they are about.
  CHECK(sums.taken > seeds / 4);
  CHECK(sums.dropped > seeds / 4);
  CHECK(sums.calls_again > 0);
}

TEST_CASE("simulated store: the same seed is the same story") {
  const TemporaryFolder folder;
  const WorldEnd one = play_world({7, folder.file(""), false});
  const WorldEnd again = play_world({7, folder.file(""), false});
  CHECK(one.events == again.events);
  CHECK(one.messages == again.messages);
  CHECK(one.virtual_ms == again.virtual_ms);
}
