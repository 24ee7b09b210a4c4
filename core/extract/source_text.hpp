// A source as extraction reads it: its sentences without marks, their words, and where each word occurs.
//
// Every sentence knows the passage and the bytes it stands for, so that evidence is quoted verbatim. Words are compared
// by their stem: folded, without an English plural ending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/blocks.hpp"
#include "core/extract/chunks.hpp"
#include "core/extract/language.hpp"

namespace plumb::extract {

enum class SentenceKind : std::uint8_t { heading, prose, item, entry, row };

struct Sentence {
  SentenceKind kind = SentenceKind::prose;
  bool complete = false;  // ends as a sentence does
  bool aside = false;     // below a heading such as References, or in a list of changes: nothing is made of it
  bool foreign = false;   // in another language than the text: no question is asked in one of what is told in the other
  std::uint32_t chunk = 0;  // position in Reading::chunks
  TextSpan raw;             // in the passage's text
  TextSpan plain;           // in Reading::text
  std::size_t tag_to = 0;   // of an entry: where its tag ends in Reading::text; ": " and the explanation follow
  std::uint32_t first_word = 0;
  std::uint32_t words_end = 0;
};

constexpr std::uint32_t no_stem = static_cast<std::uint32_t>(-1);

struct SourceText {
  explicit SourceText(std::span<const Chunk> all);
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  std::string_view plain(const Sentence& sentence) const { return piece(text, sentence.plain); }
  std::string_view quote(const Sentence& sentence) const { return piece(chunks[sentence.chunk].text, sentence.raw); }
  std::size_t words_in(const Sentence& sentence) const { return sentence.words_end - sentence.first_word; }
  // The stem's number, or no_stem when the source has no such word.
  std::uint32_t stem_of(std::string_view folded) const;
  // The words with this stem, in order.
  std::span<const std::uint32_t> occurrences(std::uint32_t stem) const {
    return {places_.data() + stem_from_[stem], stem_from_[stem + 1] - stem_from_[stem]};
  }
  bool function_word(std::size_t word) const { return is_function_word(language, words->folded(word)); }
  bool is_capital(std::size_t word) const;
  // Whether it is where any word would have a capital.
  bool begins_sentence(std::size_t word) const { return sentences[sentence_of[word]].first_word == word; }

  std::span<const Chunk> chunks;
  std::string text;  // all sentences, one a line
  std::unique_ptr<text::Words> words;
  std::vector<Sentence> sentences;
  std::vector<Mark> marks;                 // in `text`, in order
  std::vector<std::uint32_t> stems;        // of each word
  std::vector<std::uint32_t> sentence_of;  // of each word
  Language language = Language::other;

 private:
  void read_block(std::uint32_t chunk, const Block& block);
  void read_plain(std::uint32_t chunk, TextSpan content, SentenceKind kind, TextSpan tag = {});
  bool aside_ = false;
  void index_words();

  std::vector<std::string_view> stem_text_;  // sorted
  std::vector<std::uint32_t> stem_from_;
  std::vector<std::uint32_t> places_;
};

std::string_view stem(std::string_view folded);

// The same bytes on every host: FNV-1a. For places in lists, never for equality.
std::uint32_t mix(std::string_view text);

}  // namespace plumb::extract
