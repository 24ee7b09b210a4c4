// From what was said on the command line to the files that are checked: sorted by path, each once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/path_filter.hpp"
#include "native/config/config_file.hpp"

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
  std::uint64_t left_out = 0;  // files, and directories with all that is in them, by the filter
};

struct InputOptions {
  bool all_lines = false;  // every file holds one artifact a line
  PathFilter filter;
};

// *.json, *.jsonl and *.ndjson.
bool is_artifact_name(std::string_view path);
// One artifact a line: *.jsonl, *.ndjson.
bool is_lines_name(std::string_view path);

// `words`: files, directories, globs and "-". Directories are searched for *.json, *.jsonl and *.ndjson without hidden
// directories and node_modules; links to directories inside them are not followed. At most 10 million files.
// '!GLOB' among the words takes files out, as the filter of the options does.
Inputs collect_inputs(const std::vector<std::string>& words, InputOptions options);

// Everything that the globs of a plumb.yaml find.
Inputs collect_configured(const ConfigFile& config, InputOptions options);

}  // namespace plumb::cli
