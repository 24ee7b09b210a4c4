// Positions as editors count them: lines and units of a line from 0, in UTF-16 or in bytes, whichever was agreed on.
// Lines end where ours do (core/json/positions.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::lsp {

enum class Units : std::uint8_t { utf16, utf8 };

struct Position {
  std::uint64_t line = 0;
  std::uint64_t character = 0;
  bool operator<=(const Position& other) const {
    return line < other.line || (line == other.line && character <= other.character);
  }
};

struct Range {
  Position from;
  Position to;
  // They have a place in common; what touches does too.
  bool meets(const Range& other) const { return from <= other.to && other.from <= to; }
};

// Half-open byte range.
struct Bytes {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// In one pass over the text, whatever is asked for.
std::vector<Range> ranges_of(std::string_view text, const std::vector<Bytes>& wanted, Units units);
// The byte of a position; beyond the end of its line: that end.
std::uint64_t byte_of(std::string_view text, Position position, Units units);
// The byte of a place as we count them: from 1, columns in UTF-16. 0 for line 0.
std::uint64_t byte_of_place(std::string_view text, std::uint64_t line, std::uint64_t column);

// The path of a file: URI; empty for any other.
std::string path_of_uri(std::string_view uri);

}  // namespace plumb::lsp
