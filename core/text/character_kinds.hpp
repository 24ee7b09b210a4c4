// What a character is to words and sentences, for the sources that read texts character by character.
//
// A few ranges that most text lies in tell it; the tables of core/text/unicode.hpp, which are slower, answer for the
// rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/utf8.hpp"

namespace plumb::text {

// single: a letter of a script that is written without spaces
enum class CharacterKind : std::uint8_t { other, letter, mark, digit, single };

struct AsciiKinds {
  CharacterKind kinds[128] = {};

  constexpr AsciiKinds() {
    for (char c = 'a'; c <= 'z'; ++c) {
      kinds[static_cast<unsigned char>(c)] = CharacterKind::letter;
      kinds[static_cast<unsigned char>(c - 0x20)] = CharacterKind::letter;
    }
    for (char c = '0'; c <= '9'; ++c) {
      kinds[static_cast<unsigned char>(c)] = CharacterKind::digit;
    }
    kinds[static_cast<unsigned char>('_')] = CharacterKind::letter;
  }
};
inline constexpr AsciiKinds ascii_kinds;

CharacterKind kind_beyond_ascii(char32_t c);
inline CharacterKind kind(char32_t c) { return c < 0x80 ? ascii_kinds.kinds[c] : kind_beyond_ascii(c); }

inline Decoded decode_at(std::string_view text, std::size_t at) {
  return decode(text.data() + at, text.data() + text.size());
}

// The kind of the character at `at`; `other` at the end and for malformed bytes.
inline CharacterKind kind_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return CharacterKind::other;
  }
  const Decoded c = decode_at(text, at);
  return c.valid ? kind(c.code_point) : CharacterKind::other;
}

// Appends a character as words are compared: in lower case, ’ as ', nothing for a soft hyphen.
void append_folded(std::string& out, char32_t c);

}  // namespace plumb::text
