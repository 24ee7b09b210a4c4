// Rules that read other places: when they are judged, and what waits for them.
#pragma once

#include <cstdint>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// The instance of an evaluation has ended: its rules are judged, or deferred.
void cross_rules(Engine& engine, std::uint32_t index, const json::Value& own);
// Something that deferred rules wait for has been read in an open container, or the container closes.
void run_deferred(Engine& engine, std::uint32_t at, bool closing);

}  // namespace plumb::contract
