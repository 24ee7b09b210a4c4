// A pipeline that uses all that a run may do to folders, and the world that it works in: a real git repository, a real
// command, and a scripted model that computes its second try from what the command wrote.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/pipelines/pipelines.hpp"
#include "native/command/command_fulfiller.hpp"
#include "native/git/worktree_fulfiller.hpp"
#include "native/host/file_reads.hpp"
#include "native/host/routes.hpp"

namespace plumb::test {

// workshop {"repository": NAME, "repositories": [NAME], "tasks": N, "also": []}: takes names, reads a text with front
// matter, has N tasks developed in trees of their own by a conversation, taken and tried by the command `gates`, once
// more with its output where it fails; merges what came of them, tries that in a fresh tree, lands it on plumb/work.
// Gives {"tree", "tries", "gates", "landed", "ended"}.
std::span<const pipelines::Known> work_pipelines();
// With the pins of a host that declares these commands.
pipelines::Prepared prepared_work(const std::vector<command::DeclaredCommand>& commands, std::size_t tasks = 2);

// The command `gates`: fails where no text of the tree says "good", and says which does not. `repeatable` as told.
std::vector<command::DeclaredCommand> gates_command(bool repeatable);

// The pipeline `workflow` on a task that needs two tries: a gate `test` that says which word it wants, and a developer
// that computes its second try from what the gate said. Both are declared `repeatable`.
std::vector<command::DeclaredCommand> workflow_commands();
pipelines::Prepared prepared_workflow();

// A repository with one commit in `folder`/repo, and a text with front matter in `folder`/docs.
void make_repository(const std::string& folder);
std::string git_in(const std::string& folder, const std::vector<std::string>& words);

// The model of the pipeline: knows the request and nothing else.
class WorkModel final : public host::Fulfiller {
 public:
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;

 private:
  host::Workers workers_{1};
};

// What does all of its effects. `between`: where a test's process dies, after the objects and before the ref.
struct WorkWorld {
  WorkWorld(const std::string& folder, std::vector<command::DeclaredCommand> commands,
            std::function<void()> between = {});

  WorkModel model;
  host::FileReads files;
  command::CommandFulfiller command;
  git::WorktreeFulfiller worktree;
  host::Routes routes;
};

}  // namespace plumb::test
