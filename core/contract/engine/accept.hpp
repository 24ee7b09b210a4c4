// Fast acceptance: whether a scalar holds, by the keywords' own tests, which only ever say yes. No is left to the
// engine.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

bool accepts_string(Engine& engine, const Node& node, std::string_view text);
bool accepts_number(const Node& node, std::string_view text);
// Whether all schemas wanted at a string hold.
bool accepts_wanted(Engine& engine, std::string_view text);
// A string in an array whose items are all alike.
bool accepts_item(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);

}  // namespace plumb::contract
