// The sentences in which each language says what something is; internal to definitions.cpp.
//
//   SentenceForms forms(reading);
//   forms.begin(sentence);
//   if (auto found = forms.spoken()) { found->term, found->meaning }
//
// What is found has no number of a sentence yet, and is not looked at for flaws.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/extract/definitions.hpp"

namespace plumb::extract {

inline constexpr std::uint32_t definition_words_max = 5;  // of a term
inline constexpr std::uint32_t unspaced_term_characters_max = 12;
inline constexpr std::size_t meaning_bytes_min = 12;

// Words with a blank on both sides, by Language.
using WordLists = std::string_view[6];

// Where "とは" ends a term; npos if nowhere. Japanese.
std::size_t says_what_it_is(std::string_view text);

class SentenceForms {
 public:
  explicit SentenceForms(const SourceText& reading)
      : r_(reading), w_(*reading.words), language_(static_cast<std::size_t>(reading.language)) {}

  void begin(const Sentence& sentence) { s_ = &sentence; }
  // What the sentence defines, in the forms of its language.
  std::optional<Definition> spoken() const;

  bool is_term(std::uint32_t from, std::uint32_t to) const;
  bool is_copula(std::uint32_t word) const;
  bool is_article_at(std::uint32_t word) const { return is_article(r_.language, folded(word)); }
  std::string_view folded(std::uint32_t word) const { return w_.folded(word); }
  std::string_view text(TextSpan span) const { return piece(r_.text, span); }
  // Up to the end of the sentence, or to a semicolon behind which something else is said.
  TextSpan rest_from(std::size_t from) const;
  TextSpan rest_from_word(std::uint32_t word) const { return rest_from(w_.span(word).from); }
  Definition definition(std::uint32_t from, std::uint32_t to, TextSpan meaning, Shape shape, Wording wording) const;

 private:
  bool is(std::uint32_t word, std::string_view text) const { return word < s_->words_end && folded(word) == text; }
  bool is_verb(std::uint32_t word) const;
  bool is_used(std::uint32_t verb) const;
  bool tells_what_it_does(std::uint32_t verb, bool article) const;
  bool defines(std::uint32_t verb, std::uint32_t object, std::uint32_t term_end) const;
  bool plural_before_function_word(std::uint32_t from) const;
  bool is_noun(std::uint32_t word) const;
  std::uint32_t subject_from() const;
  TextSpan trimmed(TextSpan span) const;
  std::optional<Definition> said() const;
  std::optional<Definition> called() const;
  std::optional<Definition> turned() const;
  std::optional<Definition> chinese() const;
  std::optional<Definition> japanese() const;

  const SourceText& r_;
  const text::Words& w_;
  std::size_t language_;
  const Sentence* s_ = nullptr;
};

}  // namespace plumb::extract
