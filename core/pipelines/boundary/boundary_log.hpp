// The lines that tell of a boundary in the log of whatever pipeline it stands in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::pipelines {

// Of a note INPUT_VALIDATION or `boundary`; none of any other.
std::vector<std::string> boundary_lines(std::string_view note, const json::Value& value);

}  // namespace plumb::pipelines
