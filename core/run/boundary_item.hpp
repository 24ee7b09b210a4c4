// What crosses a boundary (boundary.hpp): an item, why it is rejected, and what the rules without a model decide on it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/run/data.hpp"

namespace plumb::run {

struct BoundaryItem {
  std::string id;    // unique among the items
  std::string name;  // for people and models; may be empty or repeated
  Data value;
  Data upstream;  // its source, for its revision; null if there is none
};

// Why an item was rejected.
struct Rejection {
  std::string rule;
  std::string reason;
  std::string suggestion;
  std::string action;       // the rule's `action`
  bool structural = false;  // the item breaks its contract
  static std::span<const json::Field> fields();
};

// What the rules without a model decide on an item.
struct Gate {
  bool open = false;  // the model must judge it too
  std::optional<Rejection> rejected;
  std::optional<Rejection> observed;  // by rules that are only observed
};

// Rules that are only observed: what they would have rejected is counted, and nothing is sent back.
struct ObservedRules {
  std::vector<std::string> rules;
  bool all = false;  // and the structure
  bool has(std::string_view rule) const;
};

}  // namespace plumb::run
