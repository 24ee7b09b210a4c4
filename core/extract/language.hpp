// The languages whose sentences are understood: how a definition is worded in them, and how a question is asked.
//
// A text in another language gets the questions that need no words of our own: a sentence with a gap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/sentences.hpp"

namespace plumb::extract {

enum class Language : std::uint8_t { english, german, chinese, other };

// By its function words and scripts. The first 20,000 words decide.
Language language_of(const text::Words& words);

// Articles, prepositions, pronouns, auxiliaries and their kin, folded.
bool is_function_word(Language language, std::string_view folded);
// the, a, der, eine ...
bool is_article(Language language, std::string_view folded);
// Words that point at another sentence when they stand at the beginning of one: it, this, however, dieser, auch.
bool points_back(Language language, std::string_view folded);
// Headings that name no topic: Introduction, Summary, Übersicht.
bool is_empty_heading(std::string_view folded);

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
