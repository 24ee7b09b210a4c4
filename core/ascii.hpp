// ASCII: what a byte is, and texts compared, folded and trimmed by their ASCII letters and blanks alone.
//
//   is_digit('7')                               true, of a char, a char32_t or whatever else holds a code
//   hex_value('f')                              15, and -1 of what is no such digit
//   lower("Content-TYPE")                       "content-type": other bytes stay as they are
//   trim(" a \r\n")                             "a"
//   trim("\t a\n", blanks)                      "a\n"
//   ends_in_any_case("Notes.MD", ".md")         true
//
// The sets are named by what they are: blanks are what is inside a line, spaces what JSON calls white space (RFC
// 8259, section 2). For texts of people, with their letters and spaces of all scripts, see core/text/unicode.hpp and
// fold.hpp. Nothing here knows a locale. Everything takes time in the length of its text.
#pragma once

#include <string>
#include <string_view>

namespace plumb::ascii {

constexpr bool is_digit(auto c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(auto c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(auto c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(auto c) { return is_lower(c) || is_upper(c); }
constexpr bool is_alphanumeric(auto c) { return is_letter(c) || is_digit(c); }
// A letter, a digit or `_`: the \w of patterns.
constexpr bool is_word(auto c) { return is_alphanumeric(c) || c == '_'; }
constexpr bool is_hex(auto c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool is_blank(auto c) { return c == ' ' || c == '\t'; }
constexpr bool is_space(auto c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
// A letter, or a byte of a character that UTF-8 writes in several.
constexpr bool is_letter_or_beyond(char byte) { return is_letter(byte) || static_cast<signed char>(byte) < 0; }

inline constexpr std::string_view digits = "0123456789";
inline constexpr std::string_view hex_digits = "0123456789abcdef";
inline constexpr std::string_view blanks = " \t";
inline constexpr std::string_view spaces = " \t\r\n";
// Spaces in a line that was taken off its LF.
inline constexpr std::string_view line_blanks = " \t\r";

// 0 to 15, or -1 of what is no hexadecimal digit.
constexpr int hex_value(auto c) {
  if (is_digit(c)) {
    return static_cast<int>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<int>(c - 'a') + 10;
  }
  return c >= 'A' && c <= 'F' ? static_cast<int>(c - 'A') + 10 : -1;
}

constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
std::string lower(std::string_view text);
std::string upper(std::string_view text);

// Whether two texts are one but for the case of their letters, and whether one ends so.
bool equal_in_any_case(std::string_view a, std::string_view b);
bool ends_in_any_case(std::string_view text, std::string_view end);

// Whether every byte is one of `set`: true of the empty text.
inline bool only(std::string_view text, std::string_view set) {
  return text.find_first_not_of(set) == std::string_view::npos;
}
// "a%20b" as "a b" (RFC 3986, section 2.1); a percent sign without two digits behind it stays.
std::string percent_decoded(std::string_view text);

// `text` without what it has of `set` at its beginning, at its end, at both.
std::string_view trim_front(std::string_view text, std::string_view set = spaces);
std::string_view trim_back(std::string_view text, std::string_view set = spaces);
std::string_view trim(std::string_view text, std::string_view set = spaces);

}  // namespace plumb::ascii
