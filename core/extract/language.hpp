// The languages whose sentences are understood: how a definition is worded in them, and how a question is asked.
//
// A text in another language gets what needs no words of our own: entries of lists that say what something is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/sentences.hpp"

namespace plumb::extract {

enum class Language : std::uint8_t { english, german, french, chinese, japanese, other };
// Whether its words are written without spaces between them.
constexpr bool is_unspaced(Language language) {
  return language == Language::chinese || language == Language::japanese;
}

// Whether a word is in a list of words, each with a blank on both sides.
bool listed_in(std::string_view list, std::string_view word);

// By its function words and scripts. The first 20,000 words decide.
Language language_of(const text::Words& words);

// Articles, prepositions, pronouns, auxiliaries and their kin, folded.
bool is_function_word(Language language, std::string_view folded);
// Whether these words are of another language than the text: pages that are translated in part have such sentences.
bool is_foreign(Language language, const text::Words& words, std::size_t from, std::size_t to);
// the, a, der, eine ...
bool is_article(Language language, std::string_view folded);
// Words that refer to another sentence when they begin one: it, this, however, dieser, auch.
bool points_back(Language language, std::string_view folded);
// Adverbs of time, place, manner or importance that can come before "is" as a noun would: "Derzeit ist die Zahl der
// Arten unbekannt."
bool is_adverb(Language language, std::string_view folded);
// Headings of changelogs and their entries: Added, Fixed, Unreleased.
bool is_changelog_word(std::string_view folded);
// Headings that name no topic: Introduction, Summary, Übersicht.
bool is_empty_heading(std::string_view folded);
// Headings with nothing of the source's matter below them: References, Authors, Changelog, Siehe auch.
bool is_aside(std::string_view folded);

enum class Wording : std::uint8_t {
  what_is,       // What is {}?
  what_are,      // What are {}?
  what_was,      // What was {}?
  what_were,     // What were {}?
  what_means,    // What is meant by "{}"?
  which_term,    // Which term fits this description: "{}"?
  cloze_term,    // Which term completes this sentence? "{}"
  cloze_name,    // Which name completes this sentence? "{}"
  cloze_number,  // Which number completes this sentence? "{}"
  cloze_year,    // Which year completes this sentence? "{}"
  source_says,   // The source says: "{}"
};
// The sentence with `text` in the place of {}.
std::string worded(Language language, Wording wording, std::string_view text);

inline constexpr std::string_view gap = "____";

}  // namespace plumb::extract
