// Commands that the host's owner has declared, and no one else: what runs name, and what is run for it.
//
//   commands:                                 # in plumb.yaml
//     test: {run: [make, test], time: 10m}
//     lint: {run: npm run lint, env: [CI], network: true, repeatable: true}
//     count: {run: "ls | wc -l", shell: true}
//
// A developer may be one of the agents that people have, and what else is said of it goes before:
//
//   developers:
//     agent: {preset: codex, time: 30m}       # or claude-code, aider: agent_presets.hpp
//
// A word with {task_file} in it names the file in which the input of the command lies.
//
// No run, plan, journal or model adds to what is here: a run names a command, and its input is what the command reads.
// The only words that a run passes are the names of changed files, for {files} in a gate. A run is pinned to what was
// declared when it began, and a host that declares something else under the name does not run it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/base/setting.hpp"

namespace YAML {
class Node;
}

namespace plumb::command {

inline constexpr std::uint64_t time_ms_usual = 300'000;
inline constexpr std::uint64_t time_ms_max = std::uint64_t{6} * 3'600'000;

struct DeclaredCommand {
  std::string name;
  std::vector<std::string> argv;
  std::vector<std::string> env;       // names of variables that it is given as this process has them
  std::vector<std::string> home;      // paths below the owner's HOME, or absolute ones, that it may read
  std::vector<std::string> writable;  // folders beside its tree, absolute or below ~/, that it may write
  std::vector<std::string> path;      // folders that come first in its PATH: of its tree, absolute or below ~/
  bool shell = false;                 // `argv` is /bin/sh -c TEXT, as declared
  bool network = false;
  bool git = false;         // its tree is a git repository, with one commit of what it begins with
  bool repeatable = false;  // where a host was lost under it, it may be asked for once more
  std::uint64_t time_ms = time_ms_usual;
  std::uint64_t processes_max = 512;
};

// The keys of a command in plumb.yaml, and those that a developer has besides.
const SettingTable& command_settings();
// What is wrong with folders for PATH; empty: nothing.
std::string bad_program_folder(const std::vector<std::string>& folders);
// What a run is pinned to under command_pin(name): the declaration as one JSON object, the same for the same.
std::string command_text(const DeclaredCommand& command);
std::string command_pin(std::string_view name);

// The commands under `commands` in plumb.yaml; with `agents` they may be presets. Errors carry file, line and column.
Result<std::vector<DeclaredCommand>> read_commands(const std::string& file, const YAML::Node& node,
                                                   bool agents = false);

// nullptr where none of the name is declared.
const DeclaredCommand* find_command(const std::vector<DeclaredCommand>& commands, std::string_view name);
// "no command 'x' is declared; there are: a, b"
Error no_such_command(const std::vector<DeclaredCommand>& commands, std::string_view name);

}  // namespace plumb::command
