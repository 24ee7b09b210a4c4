// What the HTML reader and the gamebook say beside the story's own texts: in English, German and French by the story's
// language, else in English, or as a file has it: {"begin": "Inizia", "back": "Indietro"}. Words that the file leaves
// out stay as they are for the language. `%` stands for a number or a word.
//
//   Result<ReaderWords> words = reader_words(book.language, "{\"begin\": \"Inizia\"}");
//   words.value()[Word::begin]
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::story {

// clang-format off
enum class Word : std::uint8_t {
  begin, resume, back, again, again_question, keep_reading, looks, text_size, smaller, larger, colours,
  automatic, light, dark, keys, passage, saved, not_saved, draft, end, no_script,
  rules, words, write_down, turn_to, if_word, otherwise_if, otherwise, look_at, go_back, conjunction
};  // clang-format on
inline constexpr std::size_t word_count = 31;

class ReaderWords {
 public:
  const std::string& operator[](Word word) const { return texts[static_cast<std::size_t>(word)]; }
  // With `%` filled in.
  std::string with(Word word, std::string_view text) const;

  std::array<std::string, word_count> texts;
};

std::string_view name_of(Word word);
// `file`: JSON of at most 64 KB, or empty. The error names the member and what it may be.
Result<ReaderWords> reader_words(std::string_view language, std::string_view file = {});
// The labels of ways that the author gave none: the only way on, and the way back from something to look at. In
// languages other than English, German and French they are signs.
struct WayWords {
  std::string_view go_on, go_back;
};
WayWords way_words(std::string_view language);
// A word to write down that says nothing of the story, in the story's language; different for different numbers.
std::string neutral_word(std::string_view language, std::size_t number);

}  // namespace plumb::story
