// The tool calls of the intake as models write them. Wires that hold an answer to a schema want an object at its top,
// so the list of the contract `intake` stands in a member of one: {"calls": [{"tool": ..., "arguments": {...}}]}. What
// comes is judged as the list. Internal to this folder.
#pragma once

#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::pipelines::research {

inline constexpr std::string_view lookup_tool = "quick_web_search";

// The contract of such an answer, from that of the list. `offered`: the look-up may be called, too.
std::string calls_contract(const json::Value& intake, bool offered);

// The list in an answer: of the object, or of the list or the one call that models write instead; else `text`.
std::string calls_of(std::string_view text);

}  // namespace plumb::pipelines::research
