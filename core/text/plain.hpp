// What a text in Markdown says without its inline marks, and where each byte of that comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::text {

enum class MarkKind : std::uint8_t { bold, italic, code, quoted };

// What was marked in the text.
struct Mark {
  MarkKind kind = MarkKind::bold;
  TextSpan where;  // in Plain::text
};

// Text without marks, each run of white space one space. Links keep their words; images, footnote marks, citation
// numbers and HTML tags go, and so does the hyphen (U+2010) of a word that the end of a line divides.
struct Plain {
  std::string text;
  std::vector<std::uint32_t> places;  // for each byte of `text`, its place in the raw text
  std::vector<Mark> marks;
};
Plain plain_text(std::string_view raw);

}  // namespace plumb::text
