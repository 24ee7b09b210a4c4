// What facts are read by: the words of a text, which of them a fact has taken, and what tells numbers and dates apart.
// For facts.cpp and fact_dates.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/words.hpp"

namespace plumb::text {

class FactText {
 public:
  explicit FactText(std::string_view text) : text_(text), words_(text), used_(words_.size(), 0) {}

  std::string_view text() const { return text_; }
  const Words& words() const { return words_; }
  // A word that no fact has taken.
  bool has(std::size_t i) const { return i < words_.size() && used_[i] == 0; }
  // The bytes around a word.
  char after(std::size_t i) const { return words_.span(i).to < text_.size() ? text_[words_.span(i).to] : '\0'; }
  char before(std::size_t i) const { return words_.span(i).from > 0 ? text_[words_.span(i).from - 1] : '\0'; }
  // English plural, or one without s.
  bool is_plural(std::size_t i) const;

 protected:
  std::string_view text_;
  Words words_;
  std::vector<std::uint8_t> used_;  // 1 where a fact has taken the word
};

bool all_digits(std::string_view text);
// Of digits, six at most.
int value_of(std::string_view digits);
// Bytes of the currency sign at `at`, and of that which ends at `end`; 0 where there is none.
std::size_t currency_at(std::string_view text, std::size_t at);
std::size_t currency_before(std::string_view text, std::size_t end);
bool is_blank_gap(std::string_view gap);
// Words that belong to the number before them.
bool is_unit(std::string_view folded);

// Behind the last word of the date that begins with word `i`; `i` where none does.
std::size_t date_end(const FactText& text, std::size_t i);
// The name of a month or of a day.
bool is_date_word(std::string_view folded);

}  // namespace plumb::text
