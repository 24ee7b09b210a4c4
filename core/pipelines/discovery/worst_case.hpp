// How many calls of a model a stage can have made, of as much as it was given: what its checkpoint shows is enough to
// tell. Each call may be made once more where the world fails. docs/discovery.md has the same as a table.
#pragma once

#include <cstdint>

#include "core/json/value.hpp"

namespace plumb::pipelines::discovery {

inline constexpr std::uint64_t dialogue_rounds_max = 3;  // of a solution, and of a specification

std::uint64_t stage_calls_max(const json::Value& checkpoint);

}  // namespace plumb::pipelines::discovery
