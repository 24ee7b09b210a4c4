// What stands beside the items that a boundary hands over: warnings, and the items that are held back. The list of
// items alone cannot hold them where a contract closes its objects, or where items are no objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::outcome {

// {"decision", "items": [...], "warnings": [...], "held_back": [...], "quality_flags"}, where `items` is what is handed
// over. Empty where the view has no result.
std::string boundary_envelope(const json::Value& view);

// A line for each warning and each item that is held back; none of other pipelines. At most 1,000: the last line then
// counts the others.
std::vector<std::string> beside_lines(std::string_view pipeline, const json::Value& view);

}  // namespace plumb::outcome
