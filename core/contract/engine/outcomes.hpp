// What follows when an evaluation is broken, or done: for its group, for its branch, and for who asked. A keyword that
// decides by the outcome of others (anyOf, if, contains, rules, ...) has its say here.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/engine/evaluations.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

// It is broken: so are its askers, at once, but for those that have alternatives.
void break_evaluation(Engine& engine, std::uint32_t index);
// A property that tells branches apart has been read: from now on the branch that it names counts alone.
void discriminate(Engine& engine, std::uint32_t owner, std::string_view key, json::Kind kind, std::string_view text,
                  bool boolean);
// A child is done: holds, broken or undecided. `counted`: the asker has been waiting for it.
void tell_asker(Engine& engine, const Evaluation& child, std::uint32_t parent, std::uint32_t group,
                std::uint32_t number, bool counted);
// Its instance has closed: it is settled when all that it asked for is done.
void close(Engine& engine, std::uint32_t index);
// It waits for another place; so do its askers. What it will have to say is about where it is now.
void wait(Engine& engine, std::uint32_t index);
void settle(Engine& engine, std::uint32_t index);

}  // namespace plumb::contract
