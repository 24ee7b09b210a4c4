// Paint for texts that people read, only where the style has colours.
#pragma once

#include <string>
#include <string_view>

#include "core/contract/render.hpp"

namespace plumb::outcome {

std::string bold(std::string_view text, const contract::TextStyle& style);
std::string dim(std::string_view text, const contract::TextStyle& style);
std::string red(std::string_view text, const contract::TextStyle& style);
std::string yellow(std::string_view text, const contract::TextStyle& style);
std::string green(std::string_view text, const contract::TextStyle& style);
std::string cyan(std::string_view text, const contract::TextStyle& style);

}  // namespace plumb::outcome
