// The report of a discovery run, for people: what was looked at, and each opportunity with its evidence.
#pragma once

#include <string>

#include "core/contract/render.hpp"
#include "core/json/value.hpp"

namespace plumb::outcome {

std::string discovery_text(const json::Value& view, const contract::TextStyle& style);

}  // namespace plumb::outcome
