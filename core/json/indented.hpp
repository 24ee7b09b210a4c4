// JSON on several lines, for people: the one layout that artifacts are handed over in, whoever does it.
//
//   indented(R"({"a":[1,2],"b":{"c":[]}})")      {
//                                                   "a": [1, 2],
//                                                   "b": { "c": [] }
//                                                 }
//
// A container that holds no other with something in it is written on one line where that line has at most
// `indented_columns_max` code points, its indent included. The value is the same: no number, text, order or duplicate
// is changed, and nothing is left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::json {

inline constexpr std::size_t indented_columns_max = 100;

std::string indented(const Value& value);
// Text that is no JSON stays as it is.
std::string indented(std::string_view text);

}  // namespace plumb::json
