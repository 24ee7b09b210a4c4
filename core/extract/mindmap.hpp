// A tree of topics: the headings of a source and the terms below them, or, where it has no headings, its terms. A topic
// without anything below it is left out. Every label is in the source, and once in the tree.
#pragma once

#include <string>
#include <vector>

#include "core/extract/plan.hpp"

namespace plumb::extract {

struct Topic {
  std::string name;
  const Sentence* evidence = nullptr;
};

std::string main_topic(const SourceText& reading, const Terms& terms);
// What is right below the root.
std::vector<Topic> main_topics(const SourceText& reading, const Terms& terms, std::size_t depth);

std::string mindmap_json(const SourceText& reading, const Terms& terms, const Plan& plan);

}  // namespace plumb::extract
