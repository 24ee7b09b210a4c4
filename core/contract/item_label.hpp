// The label of a place in a complete artifact, as findings at that place have it. For findings that do not come from
// the engine, such as a judge's claims.
#pragma once

#include <string>
#include <string_view>

#include "core/contract/contract.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

struct PlaceLabel {
  std::string text;    // the nearest `itemLabel` at or above the place: "Question 1"; empty if there is none
  std::string prefix;  // text to put before messages; empty if the label has `"prefix": false`
};

// `pointer` is a JSON Pointer into `root`. Tokens that lead to nothing are ignored. All branches of anyOf and oneOf
// are assumed to hold: the first label wins.
PlaceLabel place_label(const Contract& contract, const json::Value& root, std::string_view pointer);

}  // namespace plumb::contract
