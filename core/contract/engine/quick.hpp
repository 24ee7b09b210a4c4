// Quick tests: whether a scalar holds, by tests that only ever say yes. No is left to the engine.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

bool quick_string(Engine& engine, const Node& node, std::string_view text);
bool quick_number(const Node& node, std::string_view text);
// Whether all schemas wanted at a string hold.
bool quick_wanted(Engine& engine, std::string_view text);
// A string in an array whose items are all alike.
bool quick_item(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);

}  // namespace plumb::contract
