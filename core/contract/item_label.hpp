// The label of a place in a whole artifact, as findings there carry it: for what is found without the engine, such as a
// judge's claims.
#pragma once

#include <string>
#include <string_view>

#include "core/contract/contract.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

struct PlaceLabel {
  std::string text;    // the nearest `itemLabel` at or above the place: "Question 1"; empty where there is none
  std::string prefix;  // what messages begin with, empty for a label that says `"prefix": false`
};

// `pointer`: a JSON Pointer into `root`. What of it is not there is not looked at. Branches of anyOf and oneOf count as
// if they all held: the first label wins.
PlaceLabel place_label(const Contract& contract, const json::Value& root, std::string_view pointer);

}  // namespace plumb::contract
