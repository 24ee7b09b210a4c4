// The contracts of stories: core/contracts/story/*.json. They are built in where stories are made or checked.
#pragma once

#include <vector>

#include "core/contract/contract.hpp"

namespace plumb::story {

// In the order of their names.
const std::vector<contract::BuiltIn>& story_contracts();

}  // namespace plumb::story
