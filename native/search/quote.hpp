// The piece of a passage that answers best: the sentences or lines that hold the most of what was looked for.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::search {

// A place in a passage where a term of the query occurs.
struct TermPlace {
  text::TextSpan where;
  std::size_t term = 0;
};

struct Quote {
  text::TextSpan where;  // in the passage
  double weight = 0;     // of the different terms in it
};

inline constexpr std::size_t quote_bytes_max = 360;

// `weights`: of each term. Places in their order. Without any, the passage's first sentences.
Quote best_quote(std::string_view passage, const std::vector<TermPlace>& places, const std::vector<double>& weights);

}  // namespace plumb::search
