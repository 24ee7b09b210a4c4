// Outlines: what a file declares, line by line, so that a reviewer sees where it is without its body (004-36).
//
//   for (const OutlineLine& one : outline("core/json/value.hpp", text)) ...    // {14, 0, "struct Value {"}
//
// C, C++, Go, Python, JavaScript, TypeScript, Java and Rust by the file's ending; other files by their headings (as
// Markdown). No parser: strings, comments and preprocessor lines are left out, and what is at the top of the file,
// of a namespace, or of a class is looked at for what a declaration looks like. Linear in the text; at most 16 MB,
// 20,000 lines, 200 bytes each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

enum class Language : std::uint8_t { none, c, cpp, go, python, javascript, typescript, java, rust };
std::string_view language_name(Language language);
Language language_of(std::string_view path);

struct OutlineLine {
  std::uint32_t line = 0;   // from 1
  std::uint32_t level = 0;  // 0: of the file or a namespace; 1: a member
  std::string text;         // the declaration on one line, without body
};
std::vector<OutlineLine> outline(std::string_view path, std::string_view text);

// "14  struct Value {\n20    std::string_view str() const;\n"
std::string outline_text(const std::vector<OutlineLine>& lines);

}  // namespace plumb::workflow
