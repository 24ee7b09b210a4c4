// Phrases that are written as small patterns, in several languages: what the lists of core/text/phrases.hpp say beyond
// their fixed English phrases.
//
// A pattern is words with one space between them. A word is one of these, and matches a folded word of the text:
//   learn|study     one of these words
//   more?           this word, or none
//   explor*         any word that begins so (each alternative may)
//   _               any one word
//   ^ first         the pattern matches only where a sentence of the text begins
// Between the words of a match come only white space, hyphens and apostrophes. Scripts that are written without spaces
// have lists of their own, of plain pieces of text.
//
// The tables are the top of phrase_patterns.cpp, for reading: one long text a list, which is what costs least in a
// module that is loaded over the network.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/phrases.hpp"

namespace plumb::text {

// The hits of a list's patterns in the order of their places, at most 1,000. The `phrase` of a hit is the pattern.
// Linear in the text for a given table.
std::vector<PhraseHit> find_patterns(const Words& words, PhraseList list);

// Words that name a kind of evidence: source, price, percentage, date.
std::vector<PhraseHit> find_evidence(std::string_view text);

// Function words of languages besides those of function_words.cpp (Polish, Czech, Turkish, Nordic, Romanian), folded.
bool is_far_function_word(std::string_view folded);

}  // namespace plumb::text
