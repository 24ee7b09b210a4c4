// Source text for looking at what it declares. Private to outlines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ascii.hpp"
#include "core/workflow/outline.hpp"

namespace plumb::workflow {

// The same text twice, byte for byte as long, line ends kept: comments and preprocessor lines are blanks in both, and
// in `code` what strings hold as well, so that every bracket and word of it is one of the program.
struct CodeText {
  std::string code;
  std::string shown;
};
CodeText code_text(std::string_view text, Language language);

// [from, to) of `shown` on one line, white space single, at most outline_line_max bytes.
inline constexpr std::size_t outline_line_max = 200;
inline constexpr std::size_t outline_lines_max = 20'000;
std::string one_line(std::string_view shown);

std::vector<OutlineLine> outline_of_statements(const CodeText& text, Language language);  // C, C++, Java
std::vector<OutlineLine> outline_of_lines(const CodeText& text, Language language);  // Go, Rust, JavaScript, TypeScript
std::vector<OutlineLine> outline_of_indents(const CodeText& text);                   // Python

constexpr bool is_name_byte(char c) { return ascii::is_word(c) || c == '$' || static_cast<unsigned char>(c) >= 0x80; }
// The word that begins at `at`.
std::string_view word_at(std::string_view text, std::size_t at);
bool has_code_word(std::string_view text, std::string_view word);

}  // namespace plumb::workflow
