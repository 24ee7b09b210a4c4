// Document: what a file says, as lines that know where in the file they are.
//
//   Document page = html_document(bytes);
//   page.title                      "Chapter 2. Debian package management"
//   page.line(page.lines[7])        a line of its text; page.lines[7].line: the line of the file it comes from
//
// A heading has a level from 1. Text that came out of a file as it is (plain text, Markdown) keeps its bytes;
// what was marked up (HTML, man pages) is given as a reader sees it, without menus, scripts and styles. A line end of
// the file always ends a line of the text too, so that a citation names the line in which the words are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::search {

struct DocumentLine {
  std::uint32_t from = 0;  // bytes of the text, without the line end
  std::uint32_t to = 0;
  std::uint32_t line = 0;     // of the file, from 1
  std::uint32_t heading = 0;  // its level, or 0
};

struct Document {
  std::string text;
  std::vector<DocumentLine> lines;
  std::string title;  // empty where the file names none

  std::string_view line(const DocumentLine& one) const {
    return std::string_view(text).substr(one.from, one.to - one.from);
  }
};

// Underlined lines, numbered lines and lines in capitals by themselves are headings.
Document plain_document(std::string text);
// # headings and underlined ones; what is fenced is text, whatever it looks like.
Document markdown_document(std::string text);
Document html_document(std::string_view html);
// The source of a manual page, with the macros of man or mdoc.
Document man_document(std::string_view source);
// What pdftotext gives: each page is a heading of its own.
Document paged_document(std::string text);

// Appends the character that &NAME; stands for (without the marks), or gives false.
bool append_entity(std::string_view name, std::string& out);

}  // namespace plumb::search
