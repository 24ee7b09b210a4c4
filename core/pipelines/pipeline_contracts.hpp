// Contracts of artifacts that only pipelines make: core/contracts/discovery/*.json. They are built into the command and
// the module of runs, and not into the one that checks, which is loaded by every page.
#pragma once

#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"

namespace plumb::pipelines {

// In the order of their names.
const std::vector<contract::BuiltIn>& pipeline_contracts();
// Of these, or of those that are built in everywhere; nullptr when there is none.
const contract::BuiltIn* known_contract(std::string_view name);

}  // namespace plumb::pipelines
