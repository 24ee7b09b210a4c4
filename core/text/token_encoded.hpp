// What in a text is no word but bytes written as letters: base64 (its form for URLs too, as in signed tokens) and
// hexadecimal digits. Vocabularies have next to nothing of it, so that it costs several times what words of its length
// do.
//
//   base64_at("iVBORw0KGgoAAAANSUhEUgAA rest")    // {base64, 24}
//   hexadecimal_at("9f86d081884c7d65-rest")       // {hexadecimal, 16}
//
// Told by how often small letters, capitals, digits and marks change: in base64 at two of three characters, in
// identifiers and paths at one of three or fewer. Private to the estimate of tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/ascii.hpp"

namespace plumb::text::features {

enum class EncodedKind : std::uint8_t { none, base64, hexadecimal };

struct Encoded {
  EncodedKind kind = EncodedKind::none;
  std::size_t size = 0;  // of what was looked at: nothing else begins in it
};

// Letter, capital, digit, mark.
constexpr std::uint32_t encoded_class(unsigned char c) {
  return ascii::is_lower(c) ? 0U : ascii::is_upper(c) ? 1U : ascii::is_digit(c) ? 2U : 3U;
}

constexpr std::size_t encoded_size_min = 8;  // of hexadecimal digits; base64 has to be longer

constexpr bool is_encodable(unsigned char c) {
  return ascii::is_alphanumeric(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_';
}

// How much of the text's beginning could be base64 or hexadecimal at all.
inline std::size_t encodable_size(std::string_view text) {
  constexpr auto table = [] {
    std::array<bool, 256> out = {};
    for (unsigned c = 0; c < 256; ++c) {
      out[c] = is_encodable(static_cast<unsigned char>(c));
    }
    return out;
  }();
  std::size_t size = 0;
  while (size < text.size() && table[static_cast<unsigned char>(text[size])]) {
    ++size;
  }
  return size;
}

// At a letter or digit: the letters and digits from there on.
inline Encoded hexadecimal_at(std::string_view text) {
  std::size_t size = 0;
  std::size_t digits = 0;
  std::size_t capitals = 0;
  bool others = false;
  for (; size < text.size() && ascii::is_alphanumeric(static_cast<unsigned char>(text[size])); ++size) {
    const auto c = static_cast<unsigned char>(text[size]);
    const std::uint32_t one = encoded_class(c);
    others = others || (one != 2 && (c | 0x20U) > 'f');
    digits += one == 2 ? 1 : 0;
    capitals += one == 1 ? 1 : 0;
  }
  const std::size_t letters = size - digits;
  const bool found =
      size >= encoded_size_min && !others && digits > 0 && letters > 0 && (capitals == 0 || capitals == letters);
  return {found ? EncodedKind::hexadecimal : EncodedKind::none, size};
}

// At a letter or digit: that, and the marks of base64.
inline Encoded base64_at(std::string_view text) {
  constexpr std::size_t size_min = 16;
  std::size_t size = 0;
  std::size_t changes = 0;
  std::size_t of_class[4] = {};
  std::uint32_t last = 0;
  for (; size < text.size(); ++size) {
    const auto c = static_cast<unsigned char>(text[size]);
    if (!is_encodable(c)) {
      break;
    }
    const std::uint32_t one = encoded_class(c);
    changes += size > 0 && one != last ? 1 : 0;
    ++of_class[one];
    last = one;
  }
  const bool found =
      size >= size_min && changes * 20 >= size * 9 && of_class[0] > 0 && of_class[1] > 0 && of_class[3] * 8 <= size;
  return {found ? EncodedKind::base64 : EncodedKind::none, size};
}

}  // namespace plumb::text::features
