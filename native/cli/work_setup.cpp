#include "native/cli/work_setup.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "native/cli/command_table.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/trust.hpp"

namespace plumb::cli {

void ReadyWork::tell(pipelines::Texts& texts) const {
  const auto all = std::make_shared<const workflow::Repositories>(repositories);
  texts.command = [declared = commands, all](std::string_view name,
                                             std::string_view repository) -> Result<std::string> {
    if (!repository.empty()) {
      const Result<const workflow::Repository*> own = all->find(repository);
      if (!own || own.value()->not_held) {
        return own ? *own.value()->not_held : own.error();
      }
      const std::vector<command::DeclaredCommand>& theirs = own.value()->section.commands;
      const command::DeclaredCommand* found = command::find_command(theirs, name);
      return found == nullptr ? Result<std::string>(command::no_such_command(theirs, name))
                              : command::command_text(*found);
    }
    const command::DeclaredCommand* found = command::find_command(declared, name);
    if (found == nullptr) {
      return command::no_such_command(declared, name);
    }
    return command::command_text(*found);
  };
  texts.workflow = [all](std::string_view name) { return all->settings(name); };
}

namespace {

// Repositories by name and folder, as they were named on the command line and in plumb.yaml.
Result<std::map<std::string, std::string>> named_folders(const Arguments& arguments, const ConfigFile* config,
                                                         bool config_holds) {
  std::map<std::string, std::string> out;
  if (config != nullptr && config_holds) {
    out.insert(config->repositories.begin(), config->repositories.end());
  }
  for (const std::string& one : arguments.list("--repository")) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::invalid_argument, "must be NAME=DIR, for example here=., not '" + one + "'",
                   "--repository", 0, 0};
    }
    out[one.substr(0, equals)] = absolute_path(one.substr(equals + 1));
  }
  const std::string_view path = arguments.command()->path;
  if (arguments.has("--repo") || path.starts_with("workflow")) {
    out["here"] = absolute_path(arguments.text("--repo", "."));
  } else if ((path == "serve" || path == "runs resume") && out.empty() && config != nullptr && config->workflow.there) {
    // Who starts it in a project means that project, by the name that `plumb workflow` has for it.
    out["here"] = absolute_path(config->directory);
  }
  return out;
}

Result<bool> take_repository(ReadyWork& out, const std::string& name, const std::string& folder,
                             const workflow::HostConfig& host) {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) {
    return Error{ErrorCode::invalid_argument, "is not a folder (the repository '" + name + "')", folder, 0, 0};
  }
  workflow::Repository one = workflow::repository_at(name, folder, host);
  out.asked_of.push_back({std::string(host::repository_part), name, "", "", one.real, true, "--repository"});
  if (!one.told.empty()) {
    out.told.push_back(one.told);
  }
  if (!one.not_held) {
    out.commands.insert(out.commands.end(), one.section.commands.begin(), one.section.commands.end());
  }
  out.repositories.by_name.emplace(name, std::move(one));
  return true;
}

}  // namespace

Result<ReadyWork> ready_work(const Arguments& arguments) {
  ReadyWork out;
  std::optional<ConfigFile> config;
  bool repositories_hold = true;
  bool config_read = true;
  const bool named = arguments.has("--config");
  // It judges by what was trusted, whatever the file says now.
  const bool judges = arguments.command()->path == "workflow check";
  const std::string path = config_path(arguments);
  if (!path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read && (named || !judges)) {
      return read.error();
    }
    config_read = static_cast<bool>(read);
    config = read ? std::move(read).value() : ConfigFile();
    for (const char* part : {"commands.", "repositories."}) {
      const std::optional<Error> refused = named ? std::nullopt : not_trusted(*config, part);
      const bool of_commands = std::string_view(part) == "commands.";
      if (refused) {
        note(error_line(*refused));
      } else if (of_commands) {
        out.commands = config->commands;
      }
      repositories_hold = of_commands ? repositories_hold : !refused;
    }
  }
  const Result<std::map<std::string, std::string>> folders =
      named_folders(arguments, config ? &*config : nullptr, repositories_hold);
  if (!folders) {
    return folders.error();
  }
  const workflow::HostConfig host{config ? &*config : nullptr, named, !arguments.has("--no-config"), judges};
  for (const auto& [name, folder] : folders.value()) {
    if (const Result<bool> taken = take_repository(out, name, folder, host); !taken) {
      return taken.error();
    }
  }
  // It needs no store, so a plumb.yaml that cannot be read does not keep it from judging.
  const Result<std::string> store =
      judges && !config_read ? Result<std::string>(std::string("runs.db")) : store_place(arguments);
  if (!store) {
    return store.error();
  }
  out.folders = std::make_shared<command::WorkFolders>(absolute_path(store.value()) + ".work");
  out.repositories.beside = out.folders->base();
  out.repositories.partial = arguments.text("--isolation", "full") == "partial";
  command::CommandSettings commands;
  commands.commands = out.commands;
  commands.least = out.repositories.partial ? process::Isolation::partial : process::Isolation::full;
  out.command = std::make_shared<command::CommandFulfiller>(std::move(commands), *out.folders);
  git::WorktreeSettings trees;
  trees.repositories = folders.value();
  out.worktree = std::make_shared<git::WorktreeFulfiller>(std::move(trees), *out.folders);
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
