// What words alone tell of an item and its source, beneath every judge.
//
//   const Floor floor(passages);
//   const Item item = item_of(question);         what it says, and of a choice which option is the answer
//   floor.lacking(item.stated)                   "1802, Napoleon": numbers, dates and names that the source lacks
//   floor.contradicting(item)                    "Water and minerals": the option that the source gives as the answer
//   floor.holds_answer(item, quote)              whether the quote has what makes the answer true
//
// It accuses only where words are enough. A number counts by its value, written in digits or as a word (English,
// German, French, Chinese); 0 to 3 hold a sentence together and are never missed. A name counts by its words, where a
// text is not all in capitals; in languages other than English only names of several words are looked for, and in a
// language other than the source's none is missed. The source gives another option as the answer if a sentence has all
// words of the question and of that option, and none has those of the answer: of numbers, a part of a sentence between
// commas. A question with "not" or "except" asks for what the source does not say, and is never contradicted.
//
// A heading, such as a node of a map with nodes below it, is the author's summary: a quote about what stands below it
// is about it too.
//
// A quote holds an answer with all numbers of it and half of its words, compared without endings; words of the question
// do not count where the answer has others. In a language other than the source's only numbers and names count.
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
  // Whether one sentence, or one part of it, has all of these words.
  bool together(const std::vector<std::string>& words, bool in_part) const;

  std::vector<Part> parts_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> places_;  // beginnings of words: parts, in order
  std::uint8_t tongue_ = 0;
};

}  // namespace plumb::judge
