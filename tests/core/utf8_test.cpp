#include "core/text/utf8.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace plumb::text;

TEST_CASE("utf8: every code point is read back as it was written") {
  for (std::uint32_t i = 0; i <= code_point_last; ++i) {
    const auto c = static_cast<char32_t>(i);
    char bytes[4];
    const std::size_t size = encode(c, bytes);
    const Decoded read = decode(bytes, bytes + size);
    if (!read.valid || read.code_point != c || read.size != size || utf8_size(c) != size) {
      CAPTURE(i);
      CHECK(false);
    }
    if (is_utf8({bytes, size}) == is_surrogate(c)) {
      CAPTURE(i);
      CHECK(false);
    }
    if (code_points({bytes, size}) != 1 || utf16_length({bytes, size}) != (i > 0xFFFF ? 2U : 1U)) {
      CAPTURE(i);
      CHECK(false);
    }
  }
}

TEST_CASE("utf8: of all strings of two bytes only the well-formed ones are valid") {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      const char bytes[2] = {static_cast<char>(a), static_cast<char>(b)};
      const bool ascii = a < 0x80 && b < 0x80;
      const bool two = a >= 0xC2 && a < 0xE0 && b >= 0x80 && b < 0xC0;
      CHECK(is_utf8({bytes, 2}) == (ascii || two));
    }
  }
}

TEST_CASE("utf8: the first malformed byte is found") {
  CHECK(utf8_error("abc") == utf8_valid);
  CHECK(utf8_error("abcdefgh\xff") == 8);
  CHECK(utf8_error("abcdefghi\xc3") == 9);  // cut short
  CHECK(utf8_error("\xc0\xaf") == 0);       // not the shortest form
  CHECK(utf8_error("\xe0\x80\xaf") == 0);
  CHECK(utf8_error("\xf0\x80\x80\xaf") == 0);
  CHECK(utf8_error("\xf4\x90\x80\x80") == 0);  // beyond U+10FFFF
  CHECK(utf8_error("\xf8\x88\x80\x80\x80") == 0);
  CHECK(utf8_error("a\xed\xa0\x80") == 1);  // a surrogate
  CHECK(utf8_error("a\xed\x9f\xbf\xee\x80\x80") == utf8_valid);
}

TEST_CASE("utf8: malformed bytes are read one at a time as U+FFFD") {
  const std::string text = "\xe2\x82";
  const Decoded c = decode(text.data(), text.data() + text.size());
  CHECK_FALSE(c.valid);
  CHECK(c.code_point == replacement_character);
  CHECK(c.size == 1);
}

TEST_CASE("utf8: a lone surrogate is read, not accepted") {
  const std::string text = "\xed\xa0\xbd";
  const Decoded c = decode(text.data(), text.data() + text.size());
  CHECK(c.valid);
  CHECK(c.code_point == 0xD83D);
  CHECK_FALSE(is_utf8(text));
}

TEST_CASE("utf8: counting agrees with reading, at every length and alignment") {
  const char32_t sample[] = {'a', 0xE9, 0x20AC, 0x1F600, '\n', 0x7FF, 0xFFFF, 0x10000};
  std::string text;
  std::size_t points = 0;
  std::size_t units = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const char32_t c = sample[(i * 5 + i / 7) % 8];
    append_utf8(text, c);
    ++points;
    units += c > 0xFFFF ? 2U : 1U;
    CHECK(code_points(text) == points);
    CHECK(utf16_length(text) == units);
    const std::string shifted = "xyz" + text;
    const std::string_view tail = std::string_view(shifted).substr(3);
    CHECK(code_points(tail) == points);
    CHECK(utf16_length(tail) == units);
  }
}
