// The lines of a scorecard: one for each rule of `rules`, where it was decided and why.
#pragma once

#include <cstdint>

#include "core/contract/engine/evaluations.hpp"
#include "core/contract/verdict.hpp"

namespace plumb::contract {

void settle_rules(Engine& engine, std::uint32_t index);
// Whether it is the root's, and its rules are left to a judge whatever the text is.
bool only_asks(const Engine& engine, std::uint32_t index);
// The lines of such rules: they are the same for every text, so they are not written before somebody asks.
void write_asks(Engine& engine);
// A broken line takes over what its finding says and where that is; one that its check left open says why.
void give_reasons(const Engine& engine, Verdict& verdict);

}  // namespace plumb::contract
