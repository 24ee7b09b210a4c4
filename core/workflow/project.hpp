// The gates that a project's files call for: of its tools, and of its parts where it has several.
//
//   std::vector<Detected> found = detect_gates(paths, texts);
//   write(project_yaml(found));          // the `workflow` section of plumb.yaml
//
// Recognised: Go, CMake, Cargo, package.json (npm, pnpm, Yarn), Python (uv, a venv, pytest and its `testpaths`,
// unittest), and a Makefile where nothing else is. Below the top, a folder with files of its own tool is a part with
// gates of its own, unless the tool of a folder above runs it (workspaces of npm, pnpm and Cargo, a CMake project, a
// Go module). Folders such as node_modules, vendor, testdata and examples are passed over.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/workflow/gates.hpp"

namespace plumb::workflow {

inline constexpr std::size_t parts_max = 12;  // of a project; no more are looked for

// A path of the project and the text of the file. Of files that is_project_file() names the texts are read, of others
// none is needed.
using ProjectText = std::pair<std::string, std::string>;
bool is_project_file(std::string_view path);

struct Detected {
  std::string preset;   // "cmake"
  std::string because;  // "web/package.json"
  std::string dir;      // of a part, from the top; empty: the top
  std::vector<Gate> gates;
  std::string setup;              // for a shell, in `dir`; empty: none is needed
  bool network = false;           // of the setup
  std::vector<std::string> path;  // folders of programs
};
// The top first, then parts by their path. Names of gates are unique: those of parts begin with the folder.
std::vector<Detected> detect_gates(std::span<const std::string> paths, std::span<const ProjectText> texts = {});

// plumb.yaml with these gates, and comments that say where they are from. `sops`: the project has SOPs.
std::string project_yaml(std::span<const Detected> found, bool sops);

}  // namespace plumb::workflow
