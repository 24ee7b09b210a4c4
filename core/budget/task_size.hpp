// Is a task too large, and how it would be cut (seed 004, "Task sizing rules").
//
//   files    more than 3: a warning; more than 4: too large (004-4, both can be set)
//   tokens   of the files together: fewer than 40 % of the working memory, and at most the model's
//            recommended_max_file_tokens; else too large
//
// A task that is too large is not only refused: `parts` is a proposal, each part within the limits. Files that need
// others (`after`) are in the same part as these or in a later one; otherwise the order is the one given, so that
// what belongs together and is named together stays together. A file that exceeds the limit by itself is a part by
// itself and is said to be too large even alone: it has to be cut before it is read.
//
// Where the working memory is not known, tokens decide nothing: `tokens_max` has no value, and only files are counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/budget/tokens_of.hpp"

namespace plumb::budget {

struct TaskFile {
  Tokens tokens = 0;
  std::vector<std::uint32_t> after;  // indices of files that must come first
};

struct SizeLimits {
  std::uint32_t files_warn = 3;  // more than these
  std::uint32_t files_max = 4;
  Share share = percent(40);  // of the working memory, not reached
  std::optional<Tokens> working_memory;
  std::optional<Tokens> recommended_max_file_tokens;
};

enum class Size : std::uint8_t { fits, warn, too_large };

struct TaskPart {
  std::vector<std::uint32_t> files;
  Tokens tokens = 0;
  bool too_large = false;  // a single file beyond the limit
};

struct TaskSize {
  Size size = Size::fits;
  Tokens tokens = 0;                 // of all files
  std::optional<Tokens> tokens_max;  // the most that fits
  bool too_many_files = false;
  bool too_many_tokens = false;
  std::vector<TaskPart> parts;       // where it is too large
  std::vector<std::uint32_t> cycle;  // files that wait for each other; then there are no parts
};

TaskSize size_task(std::span<const TaskFile> files, const SizeLimits& limits = {});

}  // namespace plumb::budget
