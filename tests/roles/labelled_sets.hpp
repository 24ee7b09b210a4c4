// The labelled sets of tests/cases/roles, and how well the rules of the role contracts do on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::roles_test {

// A line of a set with what it is compared with.
struct Labelled {
  std::string labels;  // "ok", or letters
  std::string text;
  std::string missing;  // "entity; attribute; scope", or empty
  std::string earlier;
  int line = 0;
};

std::vector<Labelled> read_set(const std::string& path);

// How a rule did on a set. Positive means: the label says that the rule is broken.
struct Confusion {
  std::string set;              // objectives
  std::string rule;             // objective-concrete
  unsigned caught = 0;          // broken, and labelled so
  unsigned missed = 0;          // holds, though labelled broken
  unsigned left_open = 0;       // undecided, labelled broken
  unsigned wrongly_broken = 0;  // broken, though the label says that it holds
  unsigned open_though_good = 0;
  unsigned passed = 0;
  std::vector<std::string> faults;  // a line for each that is missed or wrongly broken

  unsigned precision_permille() const;
  unsigned recall_permille() const;
};

// `half`: tuning or heldout.
std::vector<Confusion> measure(const std::string& folder, std::string_view half);

// The table of one half, with precision and recall in per cent.
std::string table(const std::vector<Confusion>& all);

}  // namespace plumb::roles_test
