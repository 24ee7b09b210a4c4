// How a run is called in lists: what it is for, and of what. Read from its first entry alone.
#pragma once

#include <string>
#include <string_view>

#include "core/run/journal.hpp"

namespace plumb::outcome {

struct RunName {
  std::string type;   // "quiz" of an artifact, else the pipeline's name
  std::string title;  // a heading of the source, a question, a title; empty where nothing names it
};

inline constexpr std::size_t title_code_points_max = 100;

// Of the run's first entry, with the texts that came with it. What cannot be read names nothing.
RunName run_name(std::string_view pipeline, const run::Stored& begin);

}  // namespace plumb::outcome
