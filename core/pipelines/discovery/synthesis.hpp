// Findings of an explorer's batches, made one list: the same pattern, found in several batches, is one finding with all
// of its evidence. Internal to this folder.
//
// Patterns are the same where their names say the same in as good as the same words (core/text/novelty.hpp); other
// words for one thing stay apart, for the framing to see. Of two that are one, the name and the description of the
// first stay, the second's description is added where it says something else, the more severe assessment and the lower
// confidence hold, and how many are affected is told by the pieces that show it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::pipelines::discovery {

// Whether two names say the same in as good as the same words.
bool same_pattern(std::string_view a, std::string_view b);

struct Finding {
  std::string pattern, description, severity, users, confidence;
  std::vector<std::string> evidence;  // ids of units, each once
  std::size_t merged = 1;             // findings that it was made of
};

class Synthesis {
 public:
  // `units`: ids that evidence may name. `piece`: what they are called, "conversations".
  Synthesis(std::vector<std::string> units, std::string piece);
  // A finding as a model wrote it; what is wrong with it is told in `warnings`.
  void add(const json::Value& said, std::vector<std::string>& warnings);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  void merge(Finding& known, Finding more) const;

  std::unordered_map<std::string, bool> units_;
  std::string piece_;
  std::vector<Finding> findings_;
};

}  // namespace plumb::pipelines::discovery
