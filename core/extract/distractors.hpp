// Wrong options for a question, all from the source and of the same kind as the right one.
//
// A term is offered with terms of its kind (noun, name, acronym, code) and number, first those that are defined by the
// same noun, follow the same words or end alike; a meaning with meanings that answer the same question word; a number
// with numbers that count the same thing or are about as large, a year with years. Nothing that the question itself
// contains is among them. Best first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/extract/terms.hpp"

namespace plumb::extract {

using Options = std::vector<std::string>;

inline constexpr std::size_t distractors_wanted = 3;
inline constexpr std::size_t distractors_most = 8;     // spare ones take the place of those that turn out to be right
inline constexpr std::size_t meaning_bytes_max = 170;  // of an option

// For a term that fills a gap. `plural`: the form that the gap wants.
Options term_distractors(const SourceText& reading, const Terms& terms, const Term& answer, const Occurrence& at);
// For a term asked for by its meaning.
Options name_distractors(const SourceText& reading, const Terms& terms, const Term& answer);
// For the meaning of a term.
Options meaning_distractors(const SourceText& reading, const Terms& terms, const Term& answer);

struct Number {
  std::uint32_t word = 0;
  std::uint32_t unit = no_stem;  // the stem of the word behind it
  bool year = false;
  bool whole = true;  // no decimals
  std::uint64_t thousandths = 0;
};
// The numbers in complete sentences, but for those that only number something (Figure 3, Article 5).
std::vector<Number> find_numbers(const SourceText& reading);
Options number_distractors(const SourceText& reading, const std::vector<Number>& numbers, const Number& answer);

// Whether `meaning` has one of the words of a term, or a word that begins as it does: a give-away.
bool gives_away(const SourceText& reading, const Term& term, TextSpan meaning);
// A definition's meaning as an option or on the back of a card.
std::string meaning_text(const SourceText& reading, const Definition& definition);

}  // namespace plumb::extract
