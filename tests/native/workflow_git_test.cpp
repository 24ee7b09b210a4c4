// Hostile workflows on a real repository, a few seeds of what `./dev soak workflow` plays 200 of.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "native/command/work_folders.hpp"
#include "tests/native/workflow_git_runs.hpp"

TEST_CASE("workflow on git: no law is broken, and of the user's repository nothing changes but what is ours") {
  std::string folder = (std::filesystem::temp_directory_path() / "plumb-workflow-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  ::chmod(folder.c_str(), 0755);
  plumb::test::WorkflowCounts counts;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    CAPTURE(seed);
    CHECK(plumb::test::play_workflow_on_git(seed, folder, counts) == "");
  }
  CHECK(counts.developed > 5);
  CHECK(counts.gated > 10);
  CHECK(counts.kills > 0);
  CHECK(counts.states["landed"] > 0);
  CHECK(plumb::command::WorkFolders::remove(folder));
}
