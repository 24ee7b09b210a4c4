// Hostile workflows in memory, a few seeds of what `./dev soak workflow` plays 10,000 of.
#include <doctest/doctest.h>

#include <string>

#include "tests/runs/hostile_workflow.hpp"

using namespace plumb::test;

TEST_CASE("workflow soak: whoever develops, reviews and answers, and whenever the process dies, no law is broken") {
  WorkflowCounts counts;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    CHECK(play_workflow(seed, counts) == "");
  }
  // Seeds that have broken one.
  WorkflowCounts more;
  for (const std::uint64_t seed : {4322U, 4543U}) {
    CAPTURE(seed);
    CHECK(play_workflow(seed, more) == "");
  }
  // All of it came about.
  CHECK(counts.runs == 200);
  CHECK(counts.kills > 200);
  CHECK(counts.lost > 50);
  CHECK(counts.approving > 50);
  CHECK(counts.reviewed > counts.approving);
  CHECK(counts.cancelled > 5);
  CHECK(counts.persons > 200);
  CHECK(counts.kills_talking > 10);
  CHECK(counts.checkpoints > 50);
  CHECK(counts.revised > 2);
  CHECK(counts.cut > 20);
  for (const char* end : {"submitted", "answered", "loop", "checkpoint", "failed"}) {
    CAPTURE(end);
    CHECK(counts.talks[end] > 2);
  }
  for (const char* state : {"landed", "rejected", "halted", "failed"}) {
    CAPTURE(state);
    CHECK(counts.states[state] > 10);
  }
}
