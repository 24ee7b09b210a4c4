// Passages of a source: what plans, artifacts and judgements refer to as evidence.
//
//   Result<std::vector<Chunk>> passages = chunks(markdown_or_plain_text);
//
// A passage begins at each heading and wherever about 1,200 bytes are full, at the end of a paragraph, an item or, in a
// long paragraph, of a sentence; fenced code of up to 8 KB stays whole. Its text is verbatim from the source.
// Refused: a source of no words, one that is no UTF-8 or holds bytes that no text has, one of more than 4 MiB or 20,000
// passages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

inline constexpr std::size_t source_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t chunk_bytes_usual = 1'200;
inline constexpr std::size_t chunk_bytes_max = 8'192;
inline constexpr std::size_t chunks_max = 20'000;

struct Chunk {
  std::size_t index = 0;
  std::vector<std::string> headings;  // the path of headings it is under, its own included, outermost first
  std::string text;                   // verbatim
  text::TextSpan where;               // in the source
  bool in_code = false;               // begins inside fenced code that was too long for one passage
};

// How large passages are, in bytes or in what `size` measures. A passage of fewer than `min` goes together with its
// neighbour where both are at most `max`; code longer than `code_max` is cut at its lines.
struct ChunkBounds {
  std::size_t usual = chunk_bytes_usual;
  std::size_t paragraph_max = chunk_bytes_usual + chunk_bytes_usual / 2;  // longer ones are cut at sentences
  std::size_t code_max = chunk_bytes_max;
  std::size_t min = 0;
  std::size_t max = chunk_bytes_max;
  std::function<std::size_t(std::string_view)> size = {};
};

Result<std::vector<Chunk>> chunks(std::string_view source, const ChunkBounds& bounds = {});

// [{"chunk": 0, "headings": ["Photosynthesis"], "text": "...", "from": 0, "to": 1180}, ...]; `in_code` where true.
std::string chunks_json(std::span<const Chunk> chunks);
// Reads that form. Only `text` must be there: an item may be a string too; indices are then positions. The bounds of a
// source hold for the sum of the texts.
Result<std::vector<Chunk>> read_chunks(const json::Value& array);

}  // namespace plumb::extract
