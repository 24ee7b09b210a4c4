// A check by words alone of an item against its source. It runs beneath every judge.
//
//   const Floor floor(passages);
//   const Item item = item_of(question);         its claims; for multiple choice also which option is the answer
//   floor.lacking(item.stated)                   "1802, Napoleon": numbers, dates and names that the source lacks
//   floor.contradicting(item)                    "Water and minerals": the option that the source gives as the answer
//   floor.holds_answer(item, quote)              whether the quote has what makes the answer true
//
// It reports an error only if words are enough to decide.
//
// - Numbers are compared by value, in digits or as words (English, German, French, Chinese). 0 to 3 are too common in
//   ordinary sentences and are never reported.
// - Names are compared word by word, unless the text is all in capitals. In languages other than English, only names of
//   several words are checked. If the item is in another language than the source, no name is reported.
// - The source contradicts an answer if one sentence contains all words of the question and of another option, and no
//   sentence contains those of the question and the answer. One part of that sentence between commas must have most
//   words of the question with some of the option, and the sentence none that only the answer has: else it may give the
//   answer in other words. For numbers, the part counts instead of the sentence. Questions with "not" or "except" are
//   never contradicted.
// - A heading, such as a node of a mind map with nodes below it, summarises those nodes: a quote about them is also
//   about the heading.
// - A quote contains an answer if it has all numbers and half of the words of the answer, compared without endings.
// Words
//   of the question do not count if the answer has others. If the languages differ, only numbers and names count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::judge {

// A passage that claims may quote.
struct Passage {
  std::uint64_t number = 0;
  std::string_view text;
};

struct Item {
  std::string said;                      // of a choice only what was chosen
  std::string stated;                    // the same without lists, whose texts may be wrong options
  std::string below;                     // what the items of lists in it say, each judged by itself
  std::string_view question;             // of a choice; views of the artifact
  std::string_view answer;               // empty: it is no choice
  std::vector<std::string_view> others;  // the other options
};
Item item_of(const json::Value& value);

// Whether a word or a number is in it that says something; "x" and "a" say nothing.
bool says_something(std::string_view said);

class Floor {
 public:
  explicit Floor(std::span<const Passage> passages);

  // At most five, as they are written; empty: the source has them all.
  std::string lacking(std::string_view said) const;
  std::string_view contradicting(const Item& item) const;
  bool holds_answer(const Item& item, std::string_view quote) const;
  bool is_foreign(std::string_view said) const;  // in another language than the source

 private:
  struct Part {  // of a sentence; the whole sentence has the same number
    std::uint32_t sentence = 0;
    std::vector<std::string> words;
  };
  bool has(std::string_view word) const;
  struct Range {  // of parts
    std::size_t from = 0;
    std::size_t to = 0;
  };
  Range sentence_of(std::size_t part) const;
  bool has_in(const Range& range, std::string_view word) const;
  // The sentences, or the parts of some, that have all of these words.
  std::vector<Range> together(const std::vector<std::string>& words, bool in_part) const;
  // Whether it answers what is asked by the other words, and says nothing of the answer there.
  bool says_instead(const std::vector<std::string>& asked, const std::vector<std::string>& answer,
                    const std::vector<std::string>& other, bool number) const;

  std::vector<Part> parts_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> places_;  // beginnings of words: parts, in order
  std::uint8_t tongue_ = 0;
};

}  // namespace plumb::judge
