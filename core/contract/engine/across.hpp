// Cross rules read other places of the text. Here they are judged, or deferred until those places have been read.
#pragma once

#include <cstdint>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// Judges or defers the rules of an evaluation whose instance has ended. `own` is that instance.
void cross_rules(Engine& engine, std::uint32_t index, const json::Value& own);
// Judges rules deferred at the open container `at`, after something that they wait for was read there. `closing`: the
// container closes, so none may wait any longer.
void run_deferred(Engine& engine, std::uint32_t at, bool closing);

}  // namespace plumb::contract
