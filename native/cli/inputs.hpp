// From what was said on the command line to the files that are checked: sorted by path, each once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/config_file.hpp"

namespace plumb::cli {

struct InputFile {
  std::string path;        // as it is shown; "-" is standard input
  bool lines = false;      // one artifact a line
  bool named = false;      // said itself, not found in a directory or by a glob
  std::uint64_t size = 0;  // bytes, where the system knows
};

// Something that was asked for and cannot be checked. The rest goes on; the exit code becomes 2.
struct InputProblem {
  std::string path;
  std::string message;  // what is wrong and what to do
};

struct Inputs {
  std::vector<InputFile> files;
  std::vector<InputProblem> problems;
};

// `words`: files, directories, globs and "-". Directories are searched for *.json, *.jsonl and *.ndjson without hidden
// directories and node_modules; links to directories inside them are not followed. At most 10 million files.
Inputs collect_inputs(const std::vector<std::string>& words, bool all_lines);

// Everything that the globs of a plumb.yaml find.
Inputs collect_configured(const ConfigFile& config, bool all_lines);

}  // namespace plumb::cli
