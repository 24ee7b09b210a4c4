// Contracts of artifacts that only pipelines make: core/contracts/discovery/*.json. They are built into the command
// and into the module for runs. The module for checks, which every page loads, does without them.
#pragma once

#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"

namespace plumb::pipelines {

// All of them, in the order of their names.
const std::vector<contract::BuiltIn>& pipeline_contracts();
// One of these, or of the contracts that are built in everywhere; nullptr if there is none.
const contract::BuiltIn* known_contract(std::string_view name);

}  // namespace plumb::pipelines
