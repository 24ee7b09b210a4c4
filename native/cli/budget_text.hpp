// The answers of budget operations for people: first what follows, then the figures.
#pragma once

#include <string>
#include <string_view>

#include "core/contract/render.hpp"
#include "core/json/value.hpp"

namespace plumb::cli {

std::string budget_text(std::string_view operation, const json::Value& answer, const contract::TextStyle& style);

}  // namespace plumb::cli
