// Warnings and held-back items of a boundary, reported beside its items. The items themselves cannot hold them if their
// contract allows no further members, or if they are not objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::outcome {

// {"decision", "items": [...], "warnings": [...], "held_back": [...], "unverified": [...], "quality_flags", "tokens",
// "tokens_wasted"}, where `items` is what is handed over. Empty where the view has no result.
std::string boundary_envelope(const json::Value& view);

// One line for each warning and each held-back item. Empty for other pipelines. At most 1,000 lines; a last line counts
// the rest.
std::vector<std::string> beside_lines(std::string_view pipeline, const json::Value& view);

}  // namespace plumb::outcome
