// What runs may do to folders, from the command line and plumb.yaml: declared commands, repositories, and how much
// isolation commands must have.
//
//   Result<ReadyWork> work = ready_work(arguments);
//   sweep(work.value(), *store);
//   add_work(routes, work.value());  work.value().tell(texts);
//
// Commands and repositories of a plumb.yaml that was merely found are left out until it is trusted (`plumb trust`), and
// a note says so.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/command/command_fulfiller.hpp"
#include "native/config/workflow_section.hpp"
#include "native/git/worktree_fulfiller.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/routes.hpp"
#include "native/store/store.hpp"

namespace plumb::cli {

// --repository, --isolation
std::vector<OptionSpec> work_options();

struct ReadyWork {
  std::vector<command::DeclaredCommand> commands;
  std::map<std::string, std::string> repositories;
  WorkflowSection workflow;       // of plumb.yaml, or of .semspec/config.yaml
  std::optional<Error> not_held;  // why it does not hold
  std::vector<std::string> told;  // what people should know of it
  std::string config_directory;
  bool partial = false;    // --isolation partial
  host::AskedOf asked_of;  // the repositories, as runs are pinned to them
  std::unique_ptr<command::WorkFolders> folders;
  std::unique_ptr<command::CommandFulfiller> command;
  std::unique_ptr<git::WorktreeFulfiller> worktree;

  // How pipelines find a declared command, and what workflows are held to.
  void tell(pipelines::Texts& texts) const;
};
Result<ReadyWork> ready_work(const Arguments& arguments);
void add_work(host::Routes& routes, ReadyWork& work);
// What lies there for runs that the store has no more is removed. Nobody else may be at work on the store.
void sweep(const ReadyWork& work, store::Store& store);

}  // namespace plumb::cli
