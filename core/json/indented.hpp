// JSON on several lines, for people. Every command, route and module writes artifacts in this one layout.
//
//   indented(R"({"a":[1,2],"b":{"c":[]}})")      {
//                                                   "a": [1, 2],
//                                                   "b": { "c": [] }
//                                                 }
//
// A container with no non-empty container inside goes on one line if that line, with its indent, has at most
// `indented_columns_max` code points. Only white space changes: numbers, strings, order and duplicates are kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::json {

inline constexpr std::size_t indented_columns_max = 100;

std::string indented(const Value& value);
// Returns text that is not valid JSON unchanged.
std::string indented(std::string_view text);

}  // namespace plumb::json
