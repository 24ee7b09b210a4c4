// What a revision is answered with: the items' own contract, in the list of the prompt's answer. So a model that is
// held to the schema can send whatever an item may be, and nothing else.
#pragma once

#include <string>
#include <string_view>

#include "core/run/machine.hpp"

namespace plumb::pipelines {

// The pin of what revisions of the items of this contract, a pin, are answered with.
std::string revision_pin(std::string_view contract_pin);
// Pins it, from the contract and the answer of the prompt boundary-revise, which are pinned already. It is that answer
// as it is where it says itself what an item is, or where the contract cannot be part of another.
void pin_revision(run::Pins& pins, std::string_view contract_pin);
// Of pins of which some were replaced: those that were made of them are made again.
void renew_revisions(run::Pins& pins);

}  // namespace plumb::pipelines
