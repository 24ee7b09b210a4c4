// Counting needs no decoding: every byte that does not continue a character (10xxxxxx) is one UTF-16 unit, every byte
// of 0xF0 and above one more. Over long stretches sums are kept in vectors, and the column is counted from the last
// line end, which is looked for from behind.
#include "core/json/positions.hpp"

#include <algorithm>
#include <cstring>

#include "core/require.hpp"

namespace plumb::json {

namespace {

struct Tally {
  std::uint64_t units = 0;    // UTF-16 code units
  std::uint64_t feeds = 0;    // LF
  std::uint64_t returns = 0;  // CR
};

constexpr std::uint64_t low_bits = 0x0101010101010101U;
constexpr std::uint64_t high_bits = 0x8080808080808080U;

std::uint64_t load_word(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

unsigned units_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x80 || byte >= 0xC0 ? 1U : 0U) + (byte >= 0xF0 ? 1U : 0U);
}

// Whether a byte of the word is beyond ASCII, LF or CR. May be true for nothing, never false for something.
bool is_special(std::uint64_t word) {
  const std::uint64_t feeds = word ^ (low_bits * '\n');
  const std::uint64_t returns = word ^ (low_bits * '\r');
  return ((word | (feeds - low_bits) | (returns - low_bits)) & high_bits) != 0;
}

void count_bytes(const char* p, const char* end, Tally& tally) {
  for (; p != end; ++p) {
    tally.units += units_of(*p);
    tally.feeds += *p == '\n' ? 1 : 0;
    tally.returns += *p == '\r' ? 1 : 0;
  }
}

// The marks (0x80 in each byte) of the bytes equal to `c`, exactly.
std::uint64_t marks_of(std::uint64_t word, char c) {
  const std::uint64_t other = word ^ (low_bits * static_cast<unsigned char>(c));
  return ~(((other & ~high_bits) + ~high_bits) | other) & high_bits;
}

std::uint64_t mark_count(std::uint64_t marks) { return ((marks >> 7U) * low_bits) >> 56U; }

// `size` bytes are in the word, the others are 0.
void count_word(std::uint64_t word, std::uint64_t size, Tally& tally) {
  tally.units += size;
  if (is_special(word)) {
    tally.feeds += mark_count(marks_of(word, '\n'));
    tally.returns += mark_count(marks_of(word, '\r'));
    const std::uint64_t beyond = word & high_bits;
    const std::uint64_t continuations = beyond & ~(word << 1U);
    const std::uint64_t pairs = beyond & (word << 1U) & (word << 2U) & (word << 3U);
    tally.units += mark_count(pairs) - mark_count(continuations);
  }
}

void count_words(const char* p, const char* end, Tally& tally) {
  if (end - p < 8) {
    count_bytes(p, end, tally);
    return;
  }
  for (; end - p >= 8; p += 8) {
    count_word(load_word(p), 8, tally);
  }
  if (p != end) {  // the last bytes, from a word that ends with the text
    const auto left = static_cast<unsigned>(end - p);
    count_word(load_word(end - 8) >> (64U - 8U * left), left, tally);
  }
}

#if defined(__SSE2__) || defined(__wasm_simd128__) || defined(__ARM_NEON)

using Bytes = unsigned char __attribute__((vector_size(16)));
using SignedBytes = signed char __attribute__((vector_size(16)));

std::uint64_t lane_sum(Bytes lanes) {
  constexpr std::uint64_t even = 0x00FF00FF00FF00FFU;
  std::uint64_t halves[2];
  std::memcpy(halves, &lanes, sizeof halves);
  std::uint64_t sum = 0;
  for (const std::uint64_t half : halves) {
    sum += (((half & even) + ((half >> 8U) & even)) * 0x0001000100010001U) >> 48U;
  }
  return sum;
}

void count(const char* p, const char* end, Tally& tally) {
  while (end - p >= 64) {
    // A comparison gives 255 (-1) in each lane where it holds; lanes must be emptied before they overflow.
    const std::size_t blocks = std::min<std::size_t>(static_cast<std::size_t>(end - p) / 16, 255);
    Bytes feeds = {};
    Bytes returns = {};
    Bytes continuations = {};
    Bytes pairs = {};
    for (std::size_t i = 0; i < blocks; ++i, p += 16) {
      Bytes block;
      std::memcpy(&block, p, sizeof block);
      feeds -= reinterpret_cast<Bytes>(block == '\n');
      returns -= reinterpret_cast<Bytes>(block == '\r');
      continuations -= reinterpret_cast<Bytes>(reinterpret_cast<SignedBytes>(block) < -64);
      pairs -= reinterpret_cast<Bytes>(block >= 0xF0);
    }
    tally.feeds += lane_sum(feeds);
    tally.returns += lane_sum(returns);
    tally.units += blocks * 16 + lane_sum(pairs) - lane_sum(continuations);
  }
  count_words(p, end, tally);
}

#else

void count(const char* p, const char* end, Tally& tally) { count_words(p, end, tally); }

#endif

std::uint64_t count_pairs(const char* p, const char* end) {
  std::uint64_t pairs = 0;
  for (const char* at = p; at + 1 < end;) {
    const void* const found = std::memchr(at, '\r', static_cast<std::size_t>(end - 1 - at));
    if (found == nullptr) {
      break;
    }
    at = static_cast<const char*>(found) + 1;
    pairs += *at == '\n' ? 1 : 0;
  }
  return pairs;
}

// After the last line end of a stretch that has one.
const char* last_line(const char* p, const char* end) {
  while (end != p && end[-1] != '\n' && end[-1] != '\r') {
    --end;
  }
  return end;
}

}  // namespace

void Positions::pass(const char* p, std::size_t size) {
  if (size == 0) {
    return;
  }
  const char* const end = p + size;
  Tally tally;
  if (size < 64) {
    count_words(p, end, tally);
  } else {
    count(p, end, tally);
  }
  here_.byte += size;
  here_.utf16 += tally.units;
  if (tally.feeds + tally.returns == 0) {
    here_.column += static_cast<std::uint32_t>(tally.units);
    after_return_ = false;
    return;
  }
  std::uint64_t line_ends = tally.feeds + tally.returns;
  if (after_return_ && *p == '\n') {
    --line_ends;
  }
  if (tally.returns != 0) {
    line_ends -= count_pairs(p, end);
  }
  here_.line += static_cast<std::uint32_t>(line_ends);
  const char* const line = last_line(p, end);
  Tally rest;
  count_words(line, end, rest);
  here_.column = static_cast<std::uint32_t>(rest.units + 1);
  after_return_ = end[-1] == '\r';
}

void Positions::locate(const char* chunk, std::size_t size, std::uint64_t chunk_start,
                       std::span<PlaceRequest> sorted_by_offset) {
  PLUMB_REQUIRE(chunk_start == here_.byte, "chunks follow each other without gaps");
  const std::uint64_t chunk_end = chunk_start + size;
  for (PlaceRequest& request : sorted_by_offset) {
    PLUMB_REQUIRE(request.byte >= here_.byte && request.byte <= chunk_end, "requests are sorted and lie in the chunk");
    pass(chunk + (here_.byte - chunk_start), static_cast<std::size_t>(request.byte - here_.byte));
    request.place = here_;
  }
  pass(chunk + (here_.byte - chunk_start), static_cast<std::size_t>(chunk_end - here_.byte));
}

Place place_at(std::string_view text, std::uint64_t byte) {
  Positions positions;
  positions.advance(text.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(byte, text.size()))));
  return positions.here();
}

}  // namespace plumb::json
