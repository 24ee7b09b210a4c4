// Text as people have it, as far as extraction needs it: which lines are headings, prose, list items, entries, table
// rows or code. What prose says without its marks is core/text/plain.hpp.
//
//   for (const Block& block : blocks(text)) { Plain plain = plain_text(piece(text, block.content)); }
//
// Markdown, and plain text that is laid out by indentation, as manual pages and RFCs are. Headings are `#` lines, lines
// underlined with === or ---, lines at the margin with an indented line right below, numbered lines by themselves
// (3.1. Fixed Header), and, where there are none with a mark, short lines by themselves before a paragraph. An entry
// is a short line with its explanation indented below, or behind two blanks: options and files of manual pages.
// Front matter, code, drawings, rules, HTML blocks, tables of contents, and headers and footers of pages are `other`:
// not prose. Linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/plain.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

using text::piece;
using text::TextSpan;

enum class BlockKind : std::uint8_t { heading, paragraph, item, entry, row, other };

struct Block {
  BlockKind kind = BlockKind::paragraph;
  unsigned level = 0;   // of a heading, from 1
  TextSpan where;       // whole lines, without the last line end
  TextSpan content;     // without the mark of a heading or an item
  TextSpan tag;         // of an entry: what is explained; the content is the explanation
  bool fenced = false;  // code that was still open at the end of the text
};

// `in_code`: the text begins inside fenced code.
std::vector<Block> blocks(std::string_view markdown, bool in_code = false);

using text::Mark;
using text::MarkKind;
using text::Plain;
using text::plain_text;

// A heading without its number: "3.1. Fixed Header", "Chapter 2. Overview".
std::string_view without_number(std::string_view title);
// Whether a line is the heading of one version in a list of changes: "Changes in 1.2.13 (13 Oct 2022)", "v2.0 - 2024".
bool is_version(std::string_view title);
// Whether most of it is signs and names, as in code, and no prose.
bool is_code(std::string_view text);

}  // namespace plumb::extract
