// The contract for a revision's answer: a list of items under the items' own contract. A model held to this schema can
// send any valid item and nothing else.
#pragma once

#include <string>
#include <string_view>

#include "core/run/machine.hpp"

namespace plumb::pipelines {

// Returns the name of the pin that holds the revision contract for the items' contract pinned as this.
std::string revision_pin(std::string_view contract_pin);
// Adds that pin, built from the pinned items' contract and the pinned answer contract of the prompt boundary-revise.
// Uses the latter alone if it describes the item itself, or if the items' contract cannot be embedded.
void pin_revision(run::Pins& pins, std::string_view contract_pin);
// Of pins of which some were replaced: those that were made of them are made again.
void renew_revisions(run::Pins& pins);

}  // namespace plumb::pipelines
