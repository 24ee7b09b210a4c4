// What was found in an answer, for those who look at the proxy: in words of its contract, and nothing of the answer
// itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"

namespace plumb::proxy {

struct FoundRule {
  static constexpr std::size_t kept_max = 20;  // of a call

  std::string rule;           // "minItems", at most 40 characters
  std::string_view severity;  // a text that stays
  std::string at;             // JSON Pointer into the answer; a name that the rule's place does not have is "*"
  std::string place;          // the rule's own, in the contract
};

// Adds those of a verdict that no other one hides, while there is room.
void add_found(std::vector<FoundRule>& found, const contract::Verdict& verdict);

}  // namespace plumb::proxy
