// FoundRule: a finding in an answer, for the proxy's live page. It uses the contract's words, and nothing of the
// answer itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"

namespace plumb::proxy {

struct FoundRule {
  static constexpr std::size_t kept_max = 20;  // per call

  std::string rule;           // "minItems", at most 40 characters
  std::string_view severity;  // a static text
  std::string at;             // JSON Pointer into the answer; names that the contract does not contain become "*"
  std::string place;          // the rule's place in the contract
};

// Adds the findings of a verdict that no other one hides, while there is room.
void add_found(std::vector<FoundRule>& found, const contract::Verdict& verdict);

}  // namespace plumb::proxy
