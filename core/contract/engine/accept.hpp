// Fast acceptance of scalars, by the keywords' own tests. The answer true means that the scalar holds. The answer
// false means nothing: the engine then judges the scalar in full.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

bool accepts_string(Engine& engine, const Node& node, std::string_view text);
bool accepts_number(const Node& node, std::string_view text);
// True if all schemas that are wanted at a string accept it.
bool accepts_wanted(Engine& engine, std::string_view text);
// Accepts a string in an array whose items are all asked for the same. [from, to) are its bytes in the artifact.
// `verbatim`: `text` stays where it is until the check is over.
bool accepts_item(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);

}  // namespace plumb::contract
