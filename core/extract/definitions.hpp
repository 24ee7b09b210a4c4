// Sentences, entries and rows that say what something is.
//
//   English   X is a ..., X are ... that ..., X was the ..., X means ..., X refers to ..., ... is called X,
//             the X provides ... (and its kin: what X does)
//   German    X ist ein ..., X sind ..., unter X versteht man ..., als X bezeichnet man ...
//   French    X est un ..., X sont ..., X désigne ..., on appelle X ...
//   Chinese   X是..., X是指..., 所谓X是指...
//   Japanese  Xとは...、X は...である
//   any       entries (a tag with its explanation), list items and bold words with a colon or a dash (Stroma: the
//             fluid ...), rows of a table of two columns
//
// A sentence that begins with a word pointing back (it, this), or that says how good, big or early something is,
// defines nothing here. One that cannot be shown alone is given with the reason.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/extract/source_text.hpp"

namespace plumb::extract {

enum class Shape : std::uint8_t { is, does, listed };

struct Definition {
  std::uint32_t sentence = 0;
  std::uint32_t first_word = 0;  // the term, without its article
  std::uint32_t words_end = 0;
  TextSpan term;                       // in Reading::text: `-a bind_address` is more than its words
  TextSpan meaning;                    // in Reading::text, without the full stop
  Wording wording = Wording::what_is;  // how to ask for it
  Shape shape = Shape::is;
  bool code = false;         // the name of a command or a variable: `xz`, `pri=`
  bool has_article = false;  // the word before the term: a chloroplast, the Calvin cycle
  std::string_view flaw;     // why it cannot be shown; empty where it can
};

std::vector<Definition> find_definitions(const SourceText& reading);

// Whether it refers to what is elsewhere: this, above, the following, siehe, 上述.
bool points_elsewhere(const SourceText& reading, TextSpan span);
// The number of the first word at or behind a place.
std::uint32_t first_word_from(const SourceText& reading, std::size_t at);

}  // namespace plumb::extract
