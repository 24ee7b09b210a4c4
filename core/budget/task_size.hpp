// TaskSize: decides whether a task is too large, and proposes parts (seed 004, "Task sizing rules").
//
//   files    more than 3: a warning; more than 4: too large (004-4, both can be set)
//   tokens   of all files together: less than 40 % of the working memory, and at most the model's
//            recommended_max_file_tokens; otherwise too large
//
// For a task that is too large, `parts` is a proposal, each part within the limits. A file comes in the same part as
// the files that it needs (`after`), or in a later one. Otherwise the given order is kept, so that files named
// together stay together. A file that exceeds the limit alone is a part of its own, marked as too large: it must be
// cut before it is read.
//
// If the working memory is unknown, tokens decide nothing: `tokens_max` has no value, and only files are counted.
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
  std::uint32_t files_warn = 3;  // a warning above this number
  std::uint32_t files_max = 4;
  Share share = percent(40);  // of the working memory; must not be reached
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
  std::optional<Tokens> tokens_max;  // upper limit for a task that fits
  bool too_many_files = false;
  bool too_many_tokens = false;
  std::vector<TaskPart> parts;       // if it is too large
  std::vector<std::uint32_t> cycle;  // files that wait for each other; there are then no parts
};

TaskSize size_task(std::span<const TaskFile> files, const SizeLimits& limits = {});

}  // namespace plumb::budget
