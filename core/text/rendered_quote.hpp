// Whether a quote occurs in its source as people read both: Markdown and HTML rendered, any white space, case, dashes,
// quotation marks and other punctuation alike.
//
//   QuoteResult found = find_rendered_quote("the process by which plants",
//                                           "**Photosynthesis** is *the process* by which plants");
//   if (found.status == QuoteStatus::found) show(piece(source, found.where));  // "*the process* by which plants"
//
// What is compared are words in their order; a point or comma between digits and signs of mathematics and currency
// count as well, so 3.5 is not 35 and < is not >. A quote begins and ends with whole words, except in scripts that are
// written without spaces. It must have two words, or four letters of such a script, and six letters in all: finding
// less somewhere proves nothing. Linear in both texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/quotes.hpp"

namespace plumb::text {

QuoteResult find_rendered_quote(std::string_view quote, std::string_view source);

// The same for many quotes in one source.
class RenderedSource {
 public:
  explicit RenderedSource(std::string_view source);
  QuoteResult find(std::string_view quote) const;
  // Of any length, where the whole of `said` is in the quote: what says no more than a word is proved by that word.
  QuoteResult find_all_of(std::string_view said, std::string_view quote) const;

  struct Letter {
    char32_t character = 0;  // ' ' between words
    std::uint32_t from = 0;  // in the source
    std::uint32_t to = 0;
    bool wide = false;  // of a script without spaces
  };

 private:
  QuoteResult find_letters(const std::vector<Letter>& wanted) const;

  std::string_view source_;
  std::vector<Letter> letters_;
};

// Whether the two texts share a word that says something: not "the" or "with", compared but for endings; in scripts
// without spaces, two letters in a row.
bool shares_content_word(std::string_view a, std::string_view b);

}  // namespace plumb::text
