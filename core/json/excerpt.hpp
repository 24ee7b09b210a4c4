// Excerpts of JSON texts that are JSON texts themselves: what a finding shows of a long value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::json {

// A compact JSON text of at most `code_points_max` code points as it is. Of a longer string the beginning, with an
// ellipsis before the closing quote; of any other value its beginning as a string, since a cut value is none.
std::string excerpt_json(std::string_view json, std::size_t code_points_max);

}  // namespace plumb::json
