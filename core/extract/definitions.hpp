// Sentences that say what something is.
//
//   English  X is a ..., X are ... that ..., X was the ..., X means ..., X refers to ..., ... is called X
//   German   X ist ein ..., X sind ..., X war die ...
//   Chinese  X是..., X是指...
//   any      list items and bold words with a colon or a dash (Stroma: the fluid ...), rows of a table of two columns
//
// A sentence that begins with a word pointing back (it, this), that says how good, big or early something is, or whose
// meaning has the term's own words in it, defines nothing here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/extract/reading.hpp"

namespace plumb::extract {

struct Definition {
  std::uint32_t sentence = 0;
  std::uint32_t first_word = 0;  // the term, without its article
  std::uint32_t words_end = 0;
  TextSpan meaning;                    // in Reading::text, without the full stop
  Wording wording = Wording::what_is;  // how to ask for it
  bool has_article = false;            // the word before the term: a chloroplast, the Calvin cycle
  bool listed = false;                 // from a list, a bold word or a table, not from a sentence
};

std::vector<Definition> find_definitions(const Reading& reading);

}  // namespace plumb::extract
