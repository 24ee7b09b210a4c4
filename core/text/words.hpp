// Where a text has its words.
//
// A word is a run of letters, marks, digits and underscores. A short English ending behind an apostrophe
// (firm's, don't), and a point, comma or colon between digits, belong to it (3.5, 1,000, 12:30), and so do `++` behind
// a letter and `#` behind a single one (C++, C#). In scripts that are written without spaces (Han, kana, Thai, Lao,
// Khmer, Myanmar, Tibetan and their kin) each letter with its marks is a word.
//
// Takes time linear in the text. Malformed UTF-8 separates words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::text {

// A half-open range of bytes.
struct TextSpan {
  std::size_t from = 0;
  std::size_t to = 0;

  friend bool operator==(const TextSpan& a, const TextSpan& b) { return a.from == b.from && a.to == b.to; }
};

inline std::string_view piece(std::string_view text, TextSpan span) {
  return text.substr(span.from, span.to - span.from);
}

// A list of words that is searched fast: sorted by bytes, which is checked when it is compiled.
template <std::size_t Size>
class WordList {
 public:
  explicit constexpr WordList(const std::string_view (&words)[Size]) : words_(words) {
    std::size_t i = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      begin_[byte] = static_cast<std::uint16_t>(i);
      while (i < Size && static_cast<unsigned char>(words[i][0]) == byte) {
        ++i;
        if (i < Size && !(words[i - 1] < words[i])) {
          not_sorted();
        }
      }
    }
    begin_[256] = static_cast<std::uint16_t>(i);
    if (i != Size) {
      not_sorted();
    }
  }

  bool contains(std::string_view word) const {
    if (word.empty()) {
      return false;
    }
    const auto byte = static_cast<unsigned char>(word[0]);
    for (std::size_t i = begin_[byte]; i < begin_[byte + 1U]; ++i) {
      if (words_[i] == word) {
        return true;
      }
    }
    return false;
  }

 private:
  static void not_sorted() {}  // not constexpr: reaching it does not compile

  const std::string_view (&words_)[Size];
  std::uint16_t begin_[257] = {};
};

// Whether `c` is a letter of a script that is written without spaces between words.
bool is_written_without_spaces(char32_t c);
// Letters, marks and digits of any script, and the underscore.
bool is_word_character(char32_t c);
bool is_letter_or_mark(char32_t c);
bool is_upper_case(char32_t c);  // and title case
bool is_lower_case(char32_t c);

// The words of a text, in order, each with its folded form: lower case, ’ written as ', soft hyphens left out.
// The text must stay valid; what lies beyond its first 2 GB is not read.
class Words {
 public:
  static constexpr std::size_t all = static_cast<std::size_t>(-1);

  // Reads at most `count_max` words.
  explicit Words(std::string_view text, std::size_t count_max = all);

  std::string_view text() const { return text_; }
  std::size_t size() const { return words_.size(); }
  bool complete() const { return complete_; }  // false: there are more than count_max
  TextSpan span(std::size_t i) const { return {words_[i].from, words_[i].to}; }
  std::string_view written(std::size_t i) const { return piece(text_, span(i)); }
  std::string_view folded(std::size_t i) const {
    const std::size_t from = words_[i].folded_from;
    const std::size_t to = i + 1 < words_.size() ? words_[i + 1].folded_from : folded_.size();
    return std::string_view(folded_).substr(from, to - from);
  }
  // One letter of a script that is written without spaces.
  bool is_single_letter(std::size_t i) const { return words_[i].single_letter; }
  // What is between word i and word i + 1.
  std::string_view gap(std::size_t i) const { return piece(text_, {words_[i].to, words_[i + 1].from}); }

 private:
  struct Word {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t folded_from = 0;
    bool single_letter = false;
  };
  std::string_view text_;
  std::string folded_;
  std::vector<Word> words_;
  bool complete_ = true;
};

// The bytes of the first `code_points_max` code points of `text`.
std::string_view first_code_points(std::string_view text, std::size_t code_points_max);

}  // namespace plumb::text
