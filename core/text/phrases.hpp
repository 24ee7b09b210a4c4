// Named lists of phrases that a contract's `avoids` may name, and the words that only hold a sentence together.
//
//   vague            says that something is wanted, not what: "more about", "learn about", "and so on"
//   exploratory      sets out to look around: "explore", "look into", "deep dive", "an overview of"
//   search-operators the syntax of search engines: AND, OR, site:, -word, "*" for a word, 2010..2020
//   keyword-soup     keywords in a row in place of a sentence; judged of the whole text
//
// The lists are arrays at the top of phrases.cpp, for reading. They are English. A phrase is found as whole words, in
// any case, whatever white space or hyphens stand between its words; punctuation between them separates.
//
// Search operators are told from prose by their form: AND and OR only in capitals, with only white space around, in a
// text that is not all capitals, NOT only behind AND or OR; a field (site:) only with its value right behind; - and +
// only before a letter and behind a space inside a line.
//
// Keyword soup: five words or more in Latin letters, not one of them a function word of the languages known here
// (English, German, French, Spanish, Italian, Portuguese, Dutch), no ? and no sentence end inside; or eight words of
// which at most one is such a word and one content word stands three times. Three or four words without any, a text
// with letters beyond ASCII but no known function word, and a text in another script are undecided: find_phrases() then
// finds nothing, judge_keyword_soup() says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::text {

enum class PhraseList : std::uint8_t { vague, exploratory, search_operators, keyword_soup };
inline constexpr unsigned phrase_lists_count = 4;

// Nothing for a name that is no list.
std::optional<PhraseList> phrase_list_named(std::string_view name);
std::string_view phrase_list_name(PhraseList list);

struct PhraseHit {
  TextSpan where;
  std::string_view phrase;  // as the list has it ("more about", "site:"); "keyword soup" for the whole text
};

// All hits in order, at most 1,000; where phrases begin at the same word, the longest. Linear in the text.
std::vector<PhraseHit> find_phrases(std::string_view text, PhraseList list);
// A name that is no list finds nothing: ask phrase_list_named() when the name is read.
std::vector<PhraseHit> find_phrases(std::string_view text, std::string_view list_name);

// broken: the text is keyword soup; holds: it is plainly none; a blank text is none.
Judgement judge_keyword_soup(std::string_view text);

// The phrases of a list in the order of phrases.cpp; empty for keyword_soup.
std::span<const std::string_view> phrases_of(PhraseList list);

// Words without content of their own (the, of, is, what), folded. English only.
bool is_function_word(std::string_view folded);
// Verbs that a request begins with (find, list, compare), folded. English only.
bool is_request_word(std::string_view folded);

}  // namespace plumb::text
