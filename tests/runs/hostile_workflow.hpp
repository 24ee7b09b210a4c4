// A workflow among developers, reviewers, gates and persons that do what such do, and worse. Each seed is a run of its
// own: with a plan, gates, SOPs, a developer and a reviewer of some kind; killed at any entry, cancelled, lost.
//
// Held against the laws of core/workflow/laws.hpp, and beside them: the run ends, goes on after every kill as it was,
// and what view and log show of it is what happened; a review is approved only where the answer that was given may be;
// a person's approval has words and a name; what is landed passes the gates that let it through, and nobody's protected
// files are changed without a person.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/runs/workflow_world.hpp"

namespace plumb::test {

// What happened in runs, added up.
struct WorkflowCounts {
  std::uint64_t runs = 0, tasks = 0, entries = 0, developed = 0, gated = 0, lost = 0, reviewed = 0, approving = 0;
  std::uint64_t persons = 0, kills = 0, cancelled = 0, longest = 0;
  std::uint64_t turns = 0, checkpoints = 0, kills_talking = 0, revised = 0, cut = 0;
  std::map<std::string, std::uint64_t> talks;   // conversations of developers, by how they ended
  std::map<std::string, std::uint64_t> states;  // of tasks, at the end
  std::map<std::string, std::uint64_t> ends;    // of runs
};

// What the repository holds before a run of this seed.
FileTexts workflow_texts(std::uint64_t seed);
// Plays the seed; gives a sentence for the first thing that is not as it should be, or nothing.
std::string play_workflow(std::uint64_t seed, WorkflowCounts& counts);
// In a world of its own, whose commands are real; only the answers of models and persons, and losses, are made up.
std::string play_workflow(std::uint64_t seed, WorkflowWorld& world, const std::string& run, WorkflowCounts& counts);

}  // namespace plumb::test
