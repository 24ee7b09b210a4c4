// Outcomes: passes the result of an evaluation, broken or done, to its group, its branch and its asker. Keywords that
// decide by the outcome of others (anyOf, if, contains, rules, ...) are decided here.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/engine/evaluations.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

// Marks an evaluation as broken. Its askers break too, at once, except those that have alternatives.
void break_evaluation(Engine& engine, std::uint32_t index);
// A property that identifies branches has been read. From now on only the branch that it names counts.
void discriminate(Engine& engine, std::uint32_t owner, std::string_view key, json::Kind kind, std::string_view text,
                  bool boolean);
// Tells an asker that a child is done: it holds, is broken or is undecided. `counted`: the asker has waited for it.
void tell_asker(Engine& engine, const Evaluation& child, std::uint32_t parent, std::uint32_t group,
                std::uint32_t number, bool counted);
// The evaluation's instance has closed. It is settled as soon as everything that it asked for is done.
void close(Engine& engine, std::uint32_t index);
// The evaluation waits for another place, and so do its askers. Keeps its place for later findings.
void wait(Engine& engine, std::uint32_t index);
void settle(Engine& engine, std::uint32_t index);

}  // namespace plumb::contract
