#include "core/ascii.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/wording.hpp"

using namespace plumb;

namespace {

// Bytes for which `is` holds, in their order.
template <class Is>
std::string bytes_that(Is is) {
  std::string out;
  for (int byte = 1; byte < 256; ++byte) {
    if (is(static_cast<char>(byte))) {
      out += static_cast<char>(byte);
    }
  }
  return out;
}

const std::string small_letters = "abcdefghijklmnopqrstuvwxyz";
const std::string capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

}  // namespace

TEST_CASE("ascii: each set has its bytes and no others") {
  CHECK(bytes_that(ascii::is_digit<char>) == ascii::digits);
  CHECK(bytes_that(ascii::is_upper<char>) == capitals);
  CHECK(bytes_that(ascii::is_lower<char>) == small_letters);
  CHECK(bytes_that(ascii::is_letter<char>) == capitals + small_letters);
  CHECK(bytes_that(ascii::is_alphanumeric<char>) == std::string(ascii::digits) + capitals + small_letters);
  CHECK(bytes_that(ascii::is_word<char>) == std::string(ascii::digits) + capitals + "_" + small_letters);
  CHECK(bytes_that(ascii::is_hex<char>) == "0123456789ABCDEFabcdef");
  CHECK(bytes_that(ascii::is_blank<char>) == "\t ");
  CHECK(bytes_that(ascii::is_space<char>) == "\t\n\r ");
  CHECK(bytes_that(ascii::is_letter_or_beyond).size() == 52 + 128);
  CHECK_FALSE(ascii::is_letter(U'é'));
  CHECK_FALSE(ascii::is_digit(U'\u0660'));
  CHECK(ascii::is_digit(U'7'));
}

TEST_CASE("ascii: the value of a hexadecimal digit, and -1 of any other byte") {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::size_t at = ascii::hex_digits.find(ascii::lower(c));
    CHECK(ascii::hex_value(c) == (at == std::string_view::npos ? -1 : static_cast<int>(at)));
    CHECK(ascii::hex_value(static_cast<char32_t>(byte)) == ascii::hex_value(c));
  }
}

TEST_CASE("ascii: letters change their case, and nothing else changes") {
  CHECK(ascii::lower("Plumb-LINE Ä@[`{ 7") == "plumb-line Ä@[`{ 7");
  CHECK(ascii::upper("Plumb-LINE ä@[`{ 7") == "PLUMB-LINE ä@[`{ 7");
  CHECK(ascii::equal_in_any_case("Content-Type", "content-TYPE"));
  CHECK_FALSE(ascii::equal_in_any_case("[", "{"));
  CHECK_FALSE(ascii::equal_in_any_case("a", "ab"));
  CHECK(ascii::ends_in_any_case("Notes.MD", ".md"));
  CHECK(ascii::ends_in_any_case(".md", ".md"));
  CHECK_FALSE(ascii::ends_in_any_case("md", ".md"));
}

TEST_CASE("ascii: what is trimmed is at the ends") {
  CHECK(ascii::trim(" \t\r\n a b \n") == "a b");
  CHECK(ascii::trim("\t a\n", ascii::blanks) == "a\n");
  CHECK(ascii::trim_front("  a ") == "a ");
  CHECK(ascii::trim_back("  a ") == "  a");
  CHECK(ascii::trim(" \n ").empty());
  CHECK(ascii::trim("").empty());
  CHECK(ascii::only("", ascii::blanks));
  CHECK(ascii::only(" \t ", ascii::blanks));
  CHECK_FALSE(ascii::only(" \n", ascii::blanks));
}

TEST_CASE("ascii: percent signs are read where two digits follow") {
  CHECK(ascii::percent_decoded("a%20b%C3%A4") == "a bä");
  CHECK(ascii::percent_decoded("100%, %4, %zz%4") == "100%, %4, %zz%4");
  CHECK(ascii::percent_decoded("%2") == "%2");
  CHECK(ascii::percent_decoded("") == "");
}

TEST_CASE("wording: a number with its noun, and texts in a row") {
  CHECK(counted(0, "finding") == "0 findings");
  CHECK(counted(1, "finding") == "1 finding");
  CHECK(counted(2, "finding") == "2 findings");
  CHECK(counted(1, "entry is", "entries are") == "1 entry is");
  CHECK(counted(18446744073709551615U, "entry is", "entries are") == "18446744073709551615 entries are");
  CHECK(joined(std::vector<std::string>{}) == "");
  CHECK(joined(std::vector<std::string>{"a"}) == "a");
  CHECK(joined(std::vector<std::string_view>{"", "a", "", "c"}) == "a, , c");
  CHECK(joined(std::vector<std::string>{"a", "b"}, " or ") == "a or b");
}
