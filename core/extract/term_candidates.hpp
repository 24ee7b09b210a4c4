// Where terms may be: runs of words that a definition, bold letters or capitals make likely.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/extract/definitions.hpp"
#include "core/extract/source_text.hpp"

namespace plumb::extract {

inline constexpr std::uint32_t term_words_max = 6;

struct Candidate {
  std::uint32_t first_word = 0;
  std::uint32_t words_end = 0;
  std::string_view exact;  // with the signs around its words, where they matter
  bool bold = false;
  bool code = false;
  bool heading = false;
  bool name = false;
  std::int32_t definition = -1;
};

// In no order; the same words may come more than once. Linear, but for sorting, in the source.
std::vector<Candidate> term_candidates(const SourceText& reading, const std::vector<Definition>& definitions);

}  // namespace plumb::extract
