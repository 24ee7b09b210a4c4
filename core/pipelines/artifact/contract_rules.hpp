// The rules of an artifact's contract as prompts list them. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "core/contract/contract.hpp"

namespace plumb::pipelines::artifact {

// The contract's rules, in its order.
struct Rule {
  std::string schema_location;
  std::string place;  // "questions/*/options", or empty
  std::string text;   // "At least 4 items"
  bool is_outline;    // an outline of the answer says it as well: which members there are
};
std::vector<Rule> rules_of(const contract::Contract& contract);
// The same as numbered lines, one for each place, and one more if there is one; beside an outline, without what that
// says.
std::string rules_text(const contract::Contract& contract, bool outlined, const std::string& more);

}  // namespace plumb::pipelines::artifact
