// The files of a repository that a gate runs: its script, the Makefile, the scripts of package.json, what configures
// its runner. Who may change these decides what the gate says.
//
//   std::vector<RunFile> files = files_run_by(gate, read);     // "make test": Makefile, ci/test.sh, ...
//   if (fits(files[0], path) && differs(files[0], was, is)) ...
//
// One table (run_files.cpp) says of each program which of its words are files and what configures it. Scripts of a
// shell, recipes of the targets that are made and scripts of package.json are read and followed, five deep, 100 files;
// what a program of another language imports is not. A file that is a test is left out: tests have rules of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/workflow/gates.hpp"

namespace plumb::workflow {

// What of a file counts.
enum class Counts : std::uint8_t {
  whole,
  members,   // of a JSON object, at its top
  sections,  // of TOML or an INI file, those with one of the words in their heading
  lines,     // with one of the words in them: none may go
};
std::span<const std::string_view> names_of(Counts);

struct RunFile {
  std::string pattern;  // of paths, as of tasks (core/budget/risk.hpp)
  Counts counts = Counts::whole;
  std::vector<std::string> words = {};
  bool operator==(const RunFile&) const = default;
  static std::span<const json::Field> fields();
};

// The text of a file before any change; nothing where there is none.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

std::vector<RunFile> files_run_by(const Gate& gate, const ReadText& read);

bool fits(const RunFile& file, std::string_view path);
// Whether a change of the file changes what counts of it; nothing: the file is not there.
bool differs(const RunFile& file, const std::optional<std::string>& was, const std::optional<std::string>& is);

}  // namespace plumb::workflow
