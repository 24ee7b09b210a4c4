// What `extract` shows of the texts in this folder, and what a teacher who read it said of each item.
//
//   std::vector<Text> texts = items_of(folder);              every item that a person would be shown, by text
//   Marks marks = Marks::read(folder + "/marks.txt");        "keep", "drop" or unmarked
//   marks.of(text.name, item);
//
// An item is a question with its options, a card, or a branch of a mindmap, each on one line. What ends as a failure
// (an artifact that breaks its contract, or has a claim that its own judge refuses) is shown to nobody and has no item.
// marks.txt has a line `## TEXT` for each text, below it `MARK ITEM`, MARK being keep, drop or new (not read yet).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plumb::extract_texts {

struct Text {
  std::string name;  // dev/fr-eau.md
  std::vector<std::string> items;
  std::vector<std::string> left_out;  // `TERM: why it was not asked about`, or why there is no artifact
};

std::vector<Text> items_of(const std::string& folder, const std::string& half = {});

class Marks {
 public:
  static Marks read(const std::string& file);
  const std::string& of(const std::string& text, const std::string& item) const;
  // The file again: the items of `texts` with their marks, `new` before those that have none. Other texts stay.
  void write(const std::string& file, const std::vector<Text>& texts) const;

 private:
  std::map<std::pair<std::string, std::string>, std::string> marks_;
  std::vector<std::pair<std::string, std::string>> order_;
};

struct Counts {
  std::size_t shown = 0, kept = 0, unmarked = 0;  // items
  std::size_t texts = 0, with_three = 0;          // texts, and those with three questions or cards and more
};
Counts count(const std::vector<Text>& texts, const Marks& marks);

}  // namespace plumb::extract_texts
