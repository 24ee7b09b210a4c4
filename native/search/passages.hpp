// Passages: a document cut into pieces that can be found and cited.
//
//   for (const Passage& one : passages_of(document)) ...
//
// A passage is in one section, holds whole lines and ends where a paragraph ends, at about 1,200 bytes; a line that
// is longer than that is cut after a sentence or a blank. Its heading is the path of the sections around it. No text
// is lost, and none is in two passages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native/search/document.hpp"

namespace plumb::search {

struct Passage {
  std::string heading;               // "The source package > Build-Depends"
  std::string text;                  // lines, each but the last with its end
  std::vector<std::uint32_t> lines;  // for each line of the text the line of the file
};

inline constexpr std::size_t passage_bytes = 1200;
inline constexpr std::size_t passages_max = 1U << 20U;  // of one document; the rest is left out, and `cut` says so

std::vector<Passage> passages_of(const Document& document, bool* cut = nullptr);

// Lines as the index keeps them: "12" where they follow one another, else "12,14,15".
std::string lines_text(const std::vector<std::uint32_t>& lines);
// The line of the file for line `index` of the passage.
std::uint32_t line_of(std::string_view lines, std::size_t index);

}  // namespace plumb::search
