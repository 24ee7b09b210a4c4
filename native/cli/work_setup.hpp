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

#include <memory>
#include <string>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/command/command_fulfiller.hpp"
#include "native/git/worktree_fulfiller.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/routes.hpp"
#include "native/store/store.hpp"
#include "native/workflow/repositories.hpp"

namespace plumb::cli {

// --repository, --isolation
std::vector<OptionSpec> work_options();

struct ReadyWork {
  std::vector<command::DeclaredCommand> commands;  // of the configuration, and those of repositories that hold
  workflow::Repositories repositories;
  std::vector<std::string> told;  // what people should know of them
  host::AskedOf asked_of;         // the repositories, as runs are pinned to them
  // Shared, since a shared pointer needs no destructor where it is empty: so without_work.cpp links none of them.
  std::shared_ptr<command::WorkFolders> folders;
  std::shared_ptr<command::CommandFulfiller> command;
  std::shared_ptr<git::WorktreeFulfiller> worktree;

  // The repository of --repo, which the commands of `plumb workflow` have.
  const workflow::Repository& here() const { return repositories.by_name.at("here"); }
  // How pipelines find a declared command, and what workflows are held to.
  void tell(pipelines::Texts& texts) const;
};
Result<ReadyWork> ready_work(const Arguments& arguments);
void add_work(host::Routes& routes, ReadyWork& work);
// What lies there for runs that the store has no more is removed. Nobody else may be at work on the store.
void sweep(const ReadyWork& work, store::Store& store);

}  // namespace plumb::cli
