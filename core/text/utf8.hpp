// UTF-8: decode, encode, validate, count.
//
// Text in the core is UTF-8. Text that came out of JSON escapes may hold lone surrogates in their three-byte form
// (WTF-8); decode() reads those, utf8_error() does not accept them. Nothing here reads beyond the end it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace plumb::text {

constexpr char32_t code_point_last = 0x10FFFF;
constexpr char32_t replacement_character = 0xFFFD;

constexpr bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }
constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The bytes that `c` takes in UTF-8.
constexpr std::size_t utf8_size(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

struct Decoded {
  char32_t code_point = 0;
  std::uint32_t size = 0;  // bytes read: 1 where they are malformed
  bool valid = false;      // false: malformed, the code point is U+FFFD
};

// Reads the character that begins at `at`; `at` must be before `end`. Lone surrogates are read as they are.
inline Decoded decode(const char* at, const char* end) {
  const auto byte = [at](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  const std::uint32_t lead = byte(0);
  const auto left = static_cast<std::size_t>(end - at);
  if (lead < 0x80) {
    return {static_cast<char32_t>(lead), 1, true};
  }
  if (lead >= 0xC2 && lead < 0xE0 && left >= 2 && is_continuation(at[1])) {
    return {static_cast<char32_t>((lead & 0x1FU) << 6U | (byte(1) & 0x3FU)), 2, true};
  }
  if (lead >= 0xE0 && lead < 0xF0 && left >= 3 && is_continuation(at[1]) && is_continuation(at[2])) {
    const std::uint32_t c = (lead & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    if (c >= 0x800) {
      return {static_cast<char32_t>(c), 3, true};
    }
  }
  if (lead >= 0xF0 && lead < 0xF5 && left >= 4 && is_continuation(at[1]) && is_continuation(at[2]) &&
      is_continuation(at[3])) {
    const std::uint32_t c =
        (lead & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U | (byte(3) & 0x3FU);
    if (c >= 0x10000 && c <= code_point_last) {
      return {static_cast<char32_t>(c), 4, true};
    }
  }
  return {replacement_character, 1, false};
}

// Writes `c` to `out`, which has room for four bytes; gives the number of bytes written.
inline std::size_t encode(char32_t c, char* out) {
  const auto v = static_cast<std::uint32_t>(c);
  const std::size_t size = utf8_size(c);
  if (size == 1) {
    out[0] = static_cast<char>(v);
    return 1;
  }
  const auto shift = static_cast<std::uint32_t>(size - 1) * 6;
  out[0] = static_cast<char>((0xF00U >> size & 0xFFU) | v >> shift);
  for (std::size_t i = 1; i < size; ++i) {
    out[i] = static_cast<char>(0x80U | (v >> (shift - i * 6) & 0x3FU));
  }
  return size;
}

inline void append_utf8(std::string& out, char32_t c) {
  char bytes[4];
  out.append(bytes, encode(c, bytes));
}

constexpr std::size_t utf8_valid = static_cast<std::size_t>(-1);

// The place of the first byte that is not part of well-formed UTF-8 (RFC 3629: no surrogates, shortest forms only), or
// utf8_valid.
inline std::size_t utf8_error(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      if ((word & 0x8080808080808080U) == 0) {
        at += 8;
        continue;
      }
    }
    const Decoded c = decode(at, end);
    if (!c.valid || is_surrogate(c.code_point)) {
      return static_cast<std::size_t>(at - text.data());
    }
    at += c.size;
  }
  return utf8_valid;
}

inline bool is_utf8(std::string_view text) { return utf8_error(text) == utf8_valid; }

// How many code points `text` has: the bytes that are no continuation bytes.
inline std::size_t code_points(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  std::size_t continuations = 0;
  while (end - at >= 8) {
    // A continuation byte has its highest bit set and the next one clear.
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    const std::uint64_t found = (word >> 7U) & (~word >> 6U) & 0x0101010101010101U;
    continuations += static_cast<std::size_t>((found * 0x0101010101010101U) >> 56U);
    at += 8;
  }
  for (; at != end; ++at) {
    continuations += is_continuation(*at) ? 1U : 0U;
  }
  return text.size() - continuations;
}

// How many UTF-16 code units `text` has: one for each code point, one more for each beyond U+FFFF.
inline std::size_t utf16_length(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  std::size_t beyond = 0;
  while (end - at >= 8) {
    // A lead byte of four has its four highest bits set.
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    const std::uint64_t found = (word >> 7U) & (word >> 6U) & (word >> 5U) & (word >> 4U) & 0x0101010101010101U;
    beyond += static_cast<std::size_t>((found * 0x0101010101010101U) >> 56U);
    at += 8;
  }
  for (; at != end; ++at) {
    beyond += static_cast<unsigned char>(*at) >= 0xF0 ? 1U : 0U;
  }
  return code_points(text) + beyond;
}

}  // namespace plumb::text
