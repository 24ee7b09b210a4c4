// `workflow` in plumb.yaml: what a project's work is held to, and who may do it.
//
//   workflow:
//     gates:                                   # or {preset: cmake, overrides: [...], additional: [...]}
//       - {name: build, command: cmake --build build}
//       - {name: test, command: ctest --test-dir build, after: [build]}
//     setup: {run: [cmake, -S, ., -B, build]}  # once a base, before any gate; a command as under `commands`
//     caches: [build]                          # folders of it that every gate begins with, as copies
//     path: [.venv/bin]                        # folders that come first in PATH: of the tree, absolute, below ~/
//     developers: {fixer: {run: [./fix, "{task_file}"], time: 10m}}
//     developer: fixer                         # who develops where nobody is named
//     sops: docs/sops                          # beside .semspec/sources/docs/sops
//     protected: ["tests/**"]                  # what no task changes that does not name it
//     tests: ["qa/**"]                         # tests beside those that their names tell
//     parallel: true                           # gates side by side where `after` allows, in `check` and `prove`
//     protect: strict                          # of files that gates run and of tests in `check`: warn, strict
//     waivers: ci/waivers.yaml                 # in place of .plumb/waivers.yaml
//     developer_reads: [sops]                  # what developers see beside their task
//     base_failures: warn                      # of gates that fail before any change: refuse, warn
//     on_unverified: pass                      # land what nobody proved: hold, pass
//     times: {develop: 10m, gates: 5m, review: 5m, task: 30m}
//
// Gates also come from `gates` in .semspec/config.yaml, in the same form; those of plumb.yaml go before. What is to be
// run is a declared command under the names `gate.NAME`, `fix.NAME`, `setup` and `developer.NAME`; of a file that was
// merely found it holds once it is trusted (trust.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/workflow/gates.hpp"
#include "native/command/declared_command.hpp"

namespace YAML {
class Node;
}

namespace plumb {

struct WorkflowSection {
  bool there = false;
  std::vector<workflow::Gate> gates;
  bool gates_said = false;
  std::vector<command::DeclaredCommand> commands;  // of gates, setup and developers
  std::vector<std::string> caches, developers, sops, protect, developer_reads, tests, path;
  bool protect_said = false;
  bool strict = false;    // protect: strict
  bool parallel = false;  // gates run side by side where `after` allows
  std::string developer, base_failures, on_unverified;
  std::string waivers = ".plumb/waivers.yaml";  // the file of waivers, from the top of the repository
  std::map<std::string, std::uint64_t> times;   // "develop_ms" and so on
  struct Line {
    std::string name;  // of the command
    std::size_t line = 0;
  };
  std::vector<Line> lines;
};

// Errors carry file, line and column.
Result<WorkflowSection> read_workflow_section(const std::string& file, const YAML::Node& node);
// `gates` of .semspec/config.yaml; what else is in it is not ours.
Result<WorkflowSection> read_semspec_gates(const std::string& file, const std::string& text);

}  // namespace plumb
