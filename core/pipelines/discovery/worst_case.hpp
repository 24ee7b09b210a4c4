// How many calls of a model a stage can have made, of as much as it was given: what it has left is enough to
// tell. Each call may be made once more where the world fails. docs/discovery.md has the same as a table.
#pragma once

#include <cstdint>

#include "core/pipelines/discovery/records.hpp"

namespace plumb::pipelines::discovery {

inline constexpr std::uint64_t dialogue_rounds_max = 3;  // of a solution, and of a specification

// `explorers`: of an exploration; `opportunities`: of the stages behind it, how many there are in the end.
std::uint64_t stage_calls_max(Stage stage, const std::vector<ExplorerCoverage>& explorers, std::size_t opportunities);

}  // namespace plumb::pipelines::discovery
