// The text of a JSON string: UTF-8 as it must be, and escapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace plumb::json {

// The length of the UTF-8 sequence at p, whose first byte is not ASCII: 2 to 4; 0 when it is cut by `end`; -1 when it
// is broken, by the byte at p + bad_at.
inline int utf8_sequence(const char* p, const char* end, int& bad_at) {
  auto b = [&](int i) { return static_cast<unsigned char>(p[i]); };
  unsigned char lead = b(0);
  int length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    low = lead == 0xE0 ? 0xA0 : 0x80;
    high = lead == 0xED ? 0x9F : 0xBF;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    low = lead == 0xF0 ? 0x90 : 0x80;
    high = lead == 0xF4 ? 0x8F : 0xBF;
  } else {
    bad_at = 0;
    return -1;
  }
  for (int i = 1; i < length; ++i) {
    if (p + i == end) {
      return 0;
    }
    if (b(i) < low || b(i) > high) {
      bad_at = i;
      return -1;
    }
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

// Writes a code point, surrogates included, and returns its size: 1 to 4.
inline std::size_t encode_utf8(std::uint32_t cp, char (&b)[4]) {
  std::size_t n = 0;
  if (cp < 0x80) {
    b[n++] = static_cast<char>(cp);
  } else if (cp < 0x800) {
    b[n++] = static_cast<char>(0xC0U | (cp >> 6U));
    b[n++] = static_cast<char>(0x80U | (cp & 0x3FU));
  } else if (cp < 0x10000) {
    b[n++] = static_cast<char>(0xE0U | (cp >> 12U));
    b[n++] = static_cast<char>(0x80U | ((cp >> 6U) & 0x3FU));
    b[n++] = static_cast<char>(0x80U | (cp & 0x3FU));
  } else {
    b[n++] = static_cast<char>(0xF0U | (cp >> 18U));
    b[n++] = static_cast<char>(0x80U | ((cp >> 12U) & 0x3FU));
    b[n++] = static_cast<char>(0x80U | ((cp >> 6U) & 0x3FU));
    b[n++] = static_cast<char>(0x80U | (cp & 0x3FU));
  }
  return n;
}

// Decodes a string whose end comes before `end` into `out`: from p, plain up to the backslash at q. The byte after its
// closing quote, or null where nothing is decided: it is cut, wrong, or has half of a surrogate pair in it.
const char* decode_string(const char* p, const char* q, const char* end, std::string& out);

}  // namespace plumb::json
