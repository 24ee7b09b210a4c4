#include "native/cli/work_setup.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "native/cli/command_table.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/trust.hpp"
#include "native/workflow/declared.hpp"

namespace plumb::cli {

std::vector<OptionSpec> work_options() {
  return {
      {"--repository",
       0,
       "NAME=DIR",
       {},
       "",
       "A git repository that runs may work on under this name (`repositories` in plumb.yaml). Their work is done "
       "beside the store; in the repository only refs/plumb/ and branches plumb/... change.",
       Completes::nothing,
       true},
      {"--isolation",
       0,
       "HOW",
       {"full", "partial"},
       "full",
       "How far commands of runs must be kept apart from this machine. full: what cannot be kept apart is not run; "
       "partial: it is run with what there is, and every reply says what that was.",
       Completes::choice,
       false},
  };
}

void ReadyWork::tell(pipelines::Texts& texts) const {
  texts.command = [declared = commands](std::string_view name) -> Result<std::string> {
    const command::DeclaredCommand* found = command::find_command(declared, name);
    if (found == nullptr)
      return command::no_such_command(declared, name);
    return command::command_text(*found);
  };
  texts.workflow = [section = workflow, refused = not_held, folders_of = repositories, directory = config_directory,
                    base = folders->base(), here_partial = partial](std::string_view name) -> Result<std::string> {
    if (refused)
      return *refused;
    const auto found = folders_of.find(std::string(name));
    if (found == folders_of.end())
      return Error{ErrorCode::not_found, "this host knows no repository '" + std::string(name) + "'", "/repository", 0,
                   0};
    return workflow::declared_settings(section, {found->second, directory, base, here_partial});
  };
}

Result<ReadyWork> ready_work(const Arguments& arguments) {
  ReadyWork out;
  const std::string path = arguments.has("--no-config") ? std::string()
                           : arguments.has("--config")  ? arguments.text("--config")
                                                        : find_config_file(arguments.text("--repo"));
  if (!path.empty()) {
    Result<ConfigFile> config = read_config_file(path);
    if (!config)
      return config.error();
    out.config_directory = config.value().directory;
    if (config.value().workflow.there) {
      out.not_held = arguments.has("--config") ? std::nullopt : not_trusted(config.value(), "workflow.");
      out.workflow = config.value().workflow;
    }
    for (const char* part : {"commands.", "repositories."}) {
      const std::optional<Error> refused = arguments.has("--config") ? std::nullopt : not_trusted(config.value(), part);
      if (refused) {
        note(error_line(*refused));
      } else if (std::string_view(part) == "commands.") {
        out.commands = std::move(config.value().commands);
      } else {
        for (const auto& [name, folder] : config.value().repositories)
          out.repositories[name] = folder;
      }
    }
  }
  for (const std::string& one : arguments.list("--repository")) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorCode::invalid_argument, "must be NAME=DIR, for example here=., not '" + one + "'",
                   "--repository", 0, 0};
    out.repositories[one.substr(0, equals)] = absolute_path(one.substr(equals + 1));
  }
  if (arguments.has("--repo") || arguments.command()->path.rfind("workflow", 0) == 0)
    out.repositories["here"] = absolute_path(arguments.text("--repo", "."));
  for (const auto& [name, folder] : out.repositories) {
    std::error_code failed;
    if (!std::filesystem::is_directory(folder, failed))
      return Error{ErrorCode::invalid_argument, "is no folder (the repository '" + name + "')", folder, 0, 0};
    const std::filesystem::path real = std::filesystem::canonical(folder, failed);
    out.asked_of.push_back(
        {std::string(host::repository_part), name, "", "", failed ? folder : real.string(), true, "--repository"});
  }
  out.partial = arguments.text("--isolation", "full") == "partial";
  if (out.repositories.size() == 1) {
    const std::string folder = out.repositories.begin()->second;
    Result<ConfigFile> semspec = workflow::semspec_config(folder);
    if (!semspec)
      return semspec.error();
    if (semspec.value().workflow.gates_said && out.workflow.gates_said) {
      out.told.push_back("gates stand in plumb.yaml and in .semspec/config.yaml: those of plumb.yaml hold");
    } else if (semspec.value().workflow.gates_said && !out.not_held) {
      out.not_held = not_trusted(semspec.value(), "workflow.");
      const WorkflowSection& theirs = semspec.value().workflow;
      out.workflow.gates = theirs.gates;
      out.workflow.gates_said = true;
      out.workflow.commands.insert(out.workflow.commands.end(), theirs.commands.begin(), theirs.commands.end());
    }
  }
  if (!out.not_held)
    out.commands.insert(out.commands.end(), out.workflow.commands.begin(), out.workflow.commands.end());
  const Result<std::string> store = store_file(arguments);
  if (!store)
    return store.error();
  out.folders = std::make_unique<command::WorkFolders>(absolute_path(store.value()) + ".work");
  command::CommandSettings commands;
  commands.commands = out.commands;
  commands.least =
      arguments.text("--isolation", "full") == "partial" ? process::Isolation::partial : process::Isolation::full;
  out.command = std::make_unique<command::CommandFulfiller>(std::move(commands), *out.folders);
  git::WorktreeSettings trees;
  trees.repositories = out.repositories;
  out.worktree = std::make_unique<git::WorktreeFulfiller>(std::move(trees), *out.folders);
  return out;
}

void add_work(host::Routes& routes, ReadyWork& work) {
  routes.add(run::EffectKind::command, *work.command);
  routes.add(run::EffectKind::worktree, *work.worktree);
}

void sweep(const ReadyWork& work, store::Store& store) {
  work.folders->sweep([&](std::string_view run) { return static_cast<bool>(store.find(run)); });
}

}  // namespace plumb::cli
