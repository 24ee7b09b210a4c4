// How the encodings cut a text into pieces before they look anything up. Their patterns, tried in this order at each
// place (L letters, M marks, N numbers, U upper and title case, l lower case):
//
//   cl100k_base   's 't 're 've 'm 'll 'd | [^\r\n L N]?L+ | N{1,3} | ' '?[^ white L N]+[\r\n]* | white*[\r\n]+
//                 | white+ (not before a character that is not white) | white+
//   o200k_base    [^\r\n L N]?[U Lm Lo M]*[l Lm Lo M]+('s...)? | [^\r\n L N]?[U Lm Lo M]+[l Lm Lo M]*('s...)?
//                 | N{1,3} | ' '?[^ white L N]+[\r\n/]* | white*[\r\n]+ | white+ (as above) | white+
//
// The short forms are taken in any case. Every character is in a piece. Linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/tokens.hpp"

namespace plumb::text {

// What the patterns ask of a character, as bits.
enum PieceKind : std::uint8_t {
  kind_letter = 1,    // L
  kind_number = 2,    // N
  kind_white = 4,     // White_Space
  kind_line_end = 8,  // \r or \n
  kind_head = 16,     // Lu, Lt, Lm, Lo, M: may begin a word of o200k_base
  kind_tail = 32,     // Ll, Lm, Lo, M: may end one
};

// The kinds of all characters, looked up in a table for those below U+10000.
class CharacterKinds {
 public:
  CharacterKinds();
  std::uint8_t of(char32_t c) const { return c < table_.size() ? table_[c] : of_category(c); }

 private:
  static std::uint8_t of_category(char32_t c);
  std::vector<std::uint8_t> table_;
};

// The end of the piece that begins at `from`, which is before the end of the text.
std::size_t piece_end(std::string_view utf8, std::size_t from, Encoding encoding, const CharacterKinds& kinds);

}  // namespace plumb::text
