// Markdown, as far as extraction needs it: which lines are headings, prose, list items, table rows or code, and what
// the prose says without its marks.
//
//   for (const Block& block : blocks(text)) { Plain plain = plain_text(piece(text, block.content)); }
//
// Plain text without any mark is Markdown too: paragraphs between blank lines. Headings are `#` lines, lines underlined
// with === or ---, and, where there are none of these, short lines that stand alone before a paragraph. Tables are
// lines that begin with a bar. Front matter, fenced and indented code, rules and HTML blocks are `other`: not prose.
// Linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::extract {

using text::piece;
using text::TextSpan;

enum class BlockKind : std::uint8_t { heading, paragraph, item, row, other };

struct Block {
  BlockKind kind = BlockKind::paragraph;
  unsigned level = 0;   // of a heading, from 1
  TextSpan where;       // whole lines, without the last line end
  TextSpan content;     // without the mark of a heading or an item
  bool fenced = false;  // code that was still open at the end of the text
};

// `in_code`: the text begins inside fenced code.
std::vector<Block> blocks(std::string_view markdown, bool in_code = false);

enum class MarkKind : std::uint8_t { bold, italic, code, quoted };

// What stood out in the text.
struct Mark {
  MarkKind kind = MarkKind::bold;
  TextSpan where;  // in Plain::text
};

// Text without marks, each run of white space one space. Links keep their words; images, footnote marks, citation
// numbers and HTML tags go.
struct Plain {
  std::string text;
  std::vector<std::uint32_t> places;  // for each byte of `text`, its place in the raw text
  std::vector<Mark> marks;
};
Plain plain_text(std::string_view raw);

}  // namespace plumb::extract
