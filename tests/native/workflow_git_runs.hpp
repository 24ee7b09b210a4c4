// Hostile workflows (tests/runs/hostile_workflow.hpp) on a real git repository, with commands that are run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/runs/hostile_workflow.hpp"

namespace plumb::test {

// A repository in `folder`/repo with one commit of these texts, and changes that are staged, stashed and neither.
std::unique_ptr<WorkflowWorld> git_world(const std::string& folder, const std::string& run, const FileTexts& texts);

// Plays the seed in a folder of its own below `folder`, in a user's repository with changes that are staged, stashed
// and neither; gives a sentence for the first thing that is not as it should be, also of that repository: but objects,
// refs/plumb/ and refs/heads/plumb/ each byte of it is to be what it was (004-55).
std::string play_workflow_on_git(std::uint64_t seed, const std::string& folder, WorkflowCounts& counts);

}  // namespace plumb::test
