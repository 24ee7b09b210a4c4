// Where the words of a sample come from, when it is to speak of something: a text's own words and sentences, the values
// that its data gives to members of a name, and how many items are asked for.
//
//   Vocabulary words;
//   words.sentences = {"Water boils at 100 degrees."};
//   words.values = {{"rule", {"\"answerable\"", "\"grounded\""}}};       JSON
//   options.vocabulary = &words;
//
// A value that does not fit the contract is not taken. Without a vocabulary samples use the list of words.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::sample {

struct Vocabulary {
  using Values = std::pair<std::string, std::vector<std::string>>;

  std::vector<std::string> words;
  std::vector<std::string> sentences;
  std::vector<std::string> quotes;                            // sentences of what may be quoted
  std::vector<Values> values;                                 // by the name of a member, as JSON
  std::vector<std::string> ids;                               // for members that are said to hold ids, as JSON
  std::vector<std::vector<Values>> rows;                      // items of a list, each with its members
  std::vector<std::pair<std::string, std::uint64_t>> counts;  // items of the list of that name
  std::uint64_t items = 3;                                    // of a list, where nothing asks for another number
  bool copies = true;                                         // sentences stay as they are; else their words are mixed

  bool speaks() const { return !words.empty(); }
  const std::vector<std::string>* values_of(std::string_view name) const {
    for (const Values& one : values) {
      if (one.first == name) {
        return &one.second;
      }
    }
    return nullptr;
  }
  std::uint64_t count_of(std::string_view name) const {
    for (const auto& [list, count] : counts) {
      if (list == name) {
        return count;
      }
    }
    return 0;
  }
};

}  // namespace plumb::sample
