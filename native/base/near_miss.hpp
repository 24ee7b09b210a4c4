// "Did you mean" for words of the command line and of plumb.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/suggest.hpp"

namespace plumb {

// " (did you mean 'X'?)", or nothing when no candidate is near.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto near = text::nearest(word, candidates);
  return near ? " (did you mean '" + std::string(candidates[*near]) + "'?)" : std::string();
}

}  // namespace plumb
