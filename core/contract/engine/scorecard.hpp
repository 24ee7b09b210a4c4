// The lines of a scorecard: one per rule of `rules`, with the place and the reason of its outcome.
#pragma once

#include <cstdint>

#include "core/contract/engine/evaluations.hpp"
#include "core/contract/verdict.hpp"

namespace plumb::contract {

void settle_rules(Engine& engine, std::uint32_t index);
// True if the evaluation is the root's, and its rules need a judge whatever the text is.
bool only_asks(const Engine& engine, std::uint32_t index);
// Writes the lines of such rules. They are equal for every text, so they are written only when somebody asks.
void write_asks(Engine& engine);
// Sets the reasons. A broken line takes the message and place of its finding. A line that its check left open gives
// the reason.
void give_reasons(const Engine& engine, Verdict& verdict);

}  // namespace plumb::contract
