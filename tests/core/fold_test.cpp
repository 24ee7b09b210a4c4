#include "core/text/fold.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

using plumb::text::fold;
using plumb::text::fold_append;
using plumb::text::is_blank;
using plumb::text::trim;

TEST_CASE("fold: trim and lower case are independent") {
  CHECK(fold("  Paris ", {.trim = true, .lowercase = true}) == "paris");
  CHECK(fold("  Paris ", {.trim = true, .lowercase = false}) == "Paris");
  CHECK(fold("  Paris ", {.trim = false, .lowercase = true}) == "  paris ");
  CHECK(fold("  Paris ", {}) == "  Paris ");
  CHECK(fold("", {.trim = true, .lowercase = true}).empty());
}

TEST_CASE("fold: all white space of Unicode is trimmed, and nothing else") {
  for (char32_t c = 0; c < 0x3100; ++c) {
    std::string text;
    plumb::text::append_utf8(text, c);
    text += "x";
    plumb::text::append_utf8(text, c);
    CAPTURE(c);
    CHECK((trim(text) == "x") == plumb::text::is_white_space(c));
  }
  // Not White_Space: zero width space, byte order mark, Mongolian vowel separator.
  CHECK(trim("\u200b\ufeff\u180e") == "\u200b\ufeff\u180e");
}

TEST_CASE("fold: blank means white space only") {
  CHECK(is_blank(""));
  CHECK(is_blank(" \t\r\n\u00a0\u3000\u2028"));
  CHECK_FALSE(is_blank("\u200b"));
  CHECK_FALSE(is_blank(" . "));
  CHECK_FALSE(is_blank("\xa0"));  // a malformed byte is not blank
}

TEST_CASE("fold: every ASCII byte at every place of a word of eight has its lower case") {
  for (std::size_t place = 0; place < 19; ++place) {
    for (int c = 0; c < 128; ++c) {
      std::string text(19, 'Q');
      text[place] = static_cast<char>(c);
      std::string want(19, 'q');
      want[place] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      CHECK(fold(text, {.trim = false, .lowercase = true}) == want);
    }
  }
}

TEST_CASE("fold: lower case is the full default mapping") {
  const plumb::text::Fold lower{.trim = false, .lowercase = true};
  CHECK(fold("\u00c4PFEL", lower) == "\u00e4pfel");
  CHECK(fold("\u041c\u041e\u0421\u041a\u0412\u0410", lower) == "\u043c\u043e\u0441\u043a\u0432\u0430");
  CHECK(fold("\u0130", lower) == "i\u0307");             // one character becomes two
  CHECK(fold("\u023a", lower) == "\u2c65");              // two bytes become three
  CHECK(fold("\u212a", lower) == "k");                   // three bytes become one
  CHECK(fold("\U00010400", lower) == "\U00010428");      // beyond U+FFFF
  CHECK(fold("\u039f\u03a3", lower) == "\u03bf\u03c3");  // no rule for the sigma at the end of a word
  CHECK(fold("stra\u00dfe", lower) == "stra\u00dfe");
}

TEST_CASE("fold: malformed bytes and lone surrogates stay as they are") {
  const plumb::text::Fold both{.trim = true, .lowercase = true};
  CHECK(fold("A\xff\xc3", both) == "a\xff\xc3");
  CHECK(fold("\xed\xa0\xbd"
             "B",
             both) ==
        "\xed\xa0\xbd"
        "b");
  CHECK(fold("\x80\x80\x80", both) == "\x80\x80\x80");
}

TEST_CASE("fold: folding twice changes nothing") {
  const plumb::text::Fold both{.trim = true, .lowercase = true};
  for (char32_t c = 0; c < 0x20000; ++c) {
    std::string text;
    plumb::text::append_utf8(text, c);
    const std::string once = fold(text, both);
    CHECK(fold(once, both) == once);
  }
}

TEST_CASE("fold: appending leaves what was there") {
  std::string out = "KEEP ";
  fold_append("  Abc ", {.trim = true, .lowercase = true}, out);
  CHECK(out == "KEEP abc");
}
