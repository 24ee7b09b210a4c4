// Named lists of phrases that a contract's `avoids` may name.
//
//   vague            says that something is wanted, not what: "more about", "learn about", "and so on"
//   exploratory      sets out to look around: "explore", "look into", "deep dive", "an overview of"
//   opinion          asks for taste or counsel, which no evidence settles: "should we", "do you think", "the nicest"
//   vibe             praise that cannot be checked: "good", "well researched", "easy to read"
//   search-operators the syntax of search engines: AND, OR, site:, -word, "*" for a word, 2010..2020
// and of the whole text:
//   keyword-soup     keywords in a row in place of a sentence
//   bare-topic       a subject of which nothing is asked          core/text/completeness.hpp
//   unanchored       points at what was not named: "its", "this company"
//
// A phrase is found as whole words, in any case, whatever white space or hyphens separate its words; other punctuation
// between them breaks it. The English phrases are the arrays at the top of phrases.cpp, those with choices and of other
// languages (German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish, Russian, Arabic, Hindi, Korean,
// Chinese, Japanese, Thai) the tables of phrase_patterns.cpp.
//
// Search operators are told from prose by their form: AND and OR only in capitals, with only white space around, in a
// text that is not all capitals, NOT only behind AND or OR; a field (site:) only with its value right after it; - and +
// only before a letter and behind a space inside a line.
//
// Keyword soup: five words or more in Latin letters, not one of them a function word of the languages known here, no ?
// and no sentence end inside, and all in lower case or seven words long; or eight words of which at most one is a
// function word and one content word occurs three times. Fewer words without any, a text with letters beyond ASCII that
// is shorter than six words or not all in lower case, and a text in another script are undecided: find_phrases() then
// finds nothing, judge_phrases() says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/text/function_words.hpp"
#include "core/text/sentences.hpp"

namespace plumb::text {

enum class PhraseList : std::uint8_t {
  vague,
  exploratory,
  search_operators,
  keyword_soup,
  opinion,
  vibe,
  bare_topic,
  unanchored
};
inline constexpr unsigned phrase_lists_count = 8;

// Nothing for a name that is no list.
std::optional<PhraseList> phrase_list_named(std::string_view name);
std::string_view phrase_list_name(PhraseList list);

struct PhraseHit {
  TextSpan where;
  std::string_view phrase;  // as the list has it ("more about", "site:"), the pattern, or the list's name
};

// All hits in order, at most 1,000; where phrases begin at the same word, the longest. Linear in the text.
std::vector<PhraseHit> find_phrases(std::string_view text, PhraseList list);
// A name that is no list finds nothing: ask phrase_list_named() when the name is read.
std::vector<PhraseHit> find_phrases(std::string_view text, std::string_view list_name);

// broken: the list has hits; undecided: it cannot be told; holds: none. `hits` may be left out.
Judgement judge_phrases(std::string_view text, PhraseList list, std::vector<PhraseHit>* hits = nullptr);
// For several lists about one text: its words (all of them) are read once.
Judgement judge_phrases(const Words& words, PhraseList list, std::vector<PhraseHit>* hits = nullptr);

// broken: the text is keyword soup; holds: it is plainly none; a blank text is none.
Judgement judge_keyword_soup(std::string_view text);

// The phrases of a list in the order of phrases.cpp; for opinion and vibe a few examples; empty for what is judged of
// the whole text.
std::span<const std::string_view> phrases_of(PhraseList list);

}  // namespace plumb::text
