#include "core/text/fold.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/ascii.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {

namespace {

constexpr std::uint64_t each_byte = 0x0101010101010101U;
constexpr std::uint64_t high_bits = each_byte * 0x80;

// Lower case of eight ASCII bytes at once: adding moves the bytes from 'A' on, and those beyond 'Z', to 0x80 and above.
constexpr std::uint64_t lower_ascii(std::uint64_t word) {
  const std::uint64_t from_a = word + each_byte * (0x80 - 'A');
  const std::uint64_t after_z = word + each_byte * (0x80 - 'Z' - 1);
  return word | ((from_a & ~after_z & high_bits) >> 2U);
}

// The number of bytes of white space that `text` begins with, one character at most.
std::size_t leading_space(const char* at, const char* end) {
  const Decoded c = decode(at, end);
  return c.valid && is_white_space(c.code_point) ? c.size : 0;
}

// The number of bytes of white space that end at `end`, one character at most. White space takes one, two or three
// bytes.
std::size_t trailing_space(const char* begin, const char* end) {
  const auto last = static_cast<unsigned char>(end[-1]);
  if (last < 0x80) {
    return is_white_space(last) ? 1 : 0;
  }
  for (std::size_t size = 2; size <= 3 && size <= static_cast<std::size_t>(end - begin); ++size) {
    const char* at = end - size;
    if (!is_continuation(*at)) {
      const Decoded c = decode(at, end);
      return c.valid && c.size == size && is_white_space(c.code_point) ? size : 0;
    }
  }
  return 0;
}

void lower_append(std::string_view text, std::string& out) {
  // Room for everything at once; only U+0130 (two bytes become three) and U+023A, U+023E (two become three) need more.
  const std::size_t base = out.size();
  out.resize(base + text.size());
  char* to = out.data() + base;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    if ((word & high_bits) != 0) {
      break;
    }
    word = lower_ascii(word);
    std::memcpy(to, &word, 8);
    at += 8;
    to += 8;
  }
  while (at != end && static_cast<unsigned char>(*at) < 0x80) {
    *to++ = ascii::lower(*at);
    ++at;
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
  while (at != end) {
    const Decoded c = decode(at, end);
    if (!c.valid) {
      out += *at;
    } else if (c.code_point < 0x80) {
      out += ascii::lower(*at);
    } else {
      char32_t lower[2];
      const std::uint32_t size = to_lower(c.code_point, lower);
      for (std::uint32_t i = 0; i < size; ++i) {
        append_utf8(out, lower[i]);
      }
    }
    at += c.size;
  }
}

}  // namespace

std::string_view trim(std::string_view text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  while (begin != end) {
    const std::size_t size = leading_space(begin, end);
    if (size == 0) {
      break;
    }
    begin += size;
  }
  while (begin != end) {
    const std::size_t size = trailing_space(begin, end);
    if (size == 0) {
      break;
    }
    end -= size;
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

bool is_blank(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const std::size_t size = leading_space(at, end);
    if (size == 0) {
      return false;
    }
    at += size;
  }
  return true;
}

void fold_append(std::string_view text, Fold fold, std::string& out) {
  if (fold.trim) {
    text = trim(text);
  }
  if (fold.lowercase) {
    lower_append(text, out);
  } else {
    out.append(text);
  }
}

std::string fold(std::string_view text, Fold fold) {
  std::string out;
  fold_append(text, fold, out);
  return out;
}

}  // namespace plumb::text
