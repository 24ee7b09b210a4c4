// Finds the files that a gate or its fix runs: its script, the Makefile, the scripts of package.json, the configuration
// of its runner. Changing these files changes what the gate checks.
//
//   std::vector<RunFile> files = files_run_by(gate, read);     // "make test": Makefile, ci/test.sh, ...
//   if (fits(files[0], path) && differs(files[0], was, is)) ...
//
// A table in run_files.cpp says for each program which arguments are files and which files configure it. Shell scripts,
// recipes and npm scripts are followed, up to 5 levels and 100 files. In these texts, $PWD, $(CURDIR), $(dirname "$0"),
// variables with a plain text and the words of a `for` loop are put in. Then a word counts if a shell, an interpreter,
// `find` or a loop takes it for a script, if it has the suffix of a script, or if the file that it names begins with
// `#!`. So do the files of `awk -f`, of `sh < FILE` and of `cat FILE | sh`. Operands of compilers, linters and test
// runners are data. Imports of programs in other languages, and scripts that only a glob names, are not followed. Test
// files are excluded; they have rules of their own.
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

// The part of a file that a gate uses.
enum class Counts : std::uint8_t {
  whole,
  members,   // of a JSON object, at its top
  sections,  // of TOML or an INI file, those with one of the words in their heading
  lines,     // lines with one of the words; none may be removed
};
std::span<const std::string_view> names_of(Counts);

struct RunFile {
  std::string pattern;  // of paths, as of tasks (core/budget/risk.hpp)
  Counts counts = Counts::whole;
  std::vector<std::string> words = {};
  bool operator==(const RunFile&) const = default;
  static std::span<const json::Field> fields();
};

// Reads a file as it was before the change; nullopt if it did not exist.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

// `cut` is set if there are more files or levels than are followed.
std::vector<RunFile> files_run_by(const Gate& gate, const ReadText& read, bool* cut = nullptr);

bool fits(const RunFile& file, std::string_view path);
// Returns whether the part that counts differs; nullopt: the file does not exist.
bool differs(const RunFile& file, const std::optional<std::string>& was, const std::optional<std::string>& is);

}  // namespace plumb::workflow
