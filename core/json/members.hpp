// Members of JSON objects, read whatever they are: what is no text, number, flag or list gives an empty one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::json {

std::string_view text_of(const Value& object, std::string_view key);
// A whole number, else `otherwise`.
std::uint64_t number_of(const Value& object, std::string_view key, std::uint64_t otherwise = 0);
bool flag_of(const Value& object, std::string_view key);
std::span<const Value> list_of(const Value& object, std::string_view key);
// The texts of a list; what is no text is left out.
std::vector<std::string> texts_of(const Value& object, std::string_view key);

}  // namespace plumb::json
