// Front matter: what a text says of itself in YAML, between a first line `---` and the next one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace plumb {

struct FrontMatter {
  std::string json;                                          // an object; empty: the text has no front matter
  std::size_t bytes = 0;                                     // of the text before its body
  std::size_t lines = 0;                                     // likewise
  std::vector<std::pair<std::string, std::size_t>> members;  // and the line that each begins in
};

// The error, with line and column in the text: no YAML, no map, a key that is there twice, not closed, or more than the
// bounds: 64 KB, 10,000 values (what an alias stands for counts each time), 64 levels.
Result<FrontMatter> front_matter(std::string_view text, const std::string& file);

}  // namespace plumb
