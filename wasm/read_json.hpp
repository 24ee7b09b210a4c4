// Reads members of the JSON objects that the loader writes. Members that are absent or of another kind are read as
// empty, false or the number that is given: what the loader has not said, the core's defaults say.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::wasm {

// As the request holds it: valid while the request's arena lives.
inline std::string_view view_text(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->is(json::Kind::string) ? value->str() : std::string_view();
}

inline std::string read_text(const json::Value& object, std::string_view key) {
  return std::string(view_text(object, key));
}

inline bool read_flag(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->is(json::Kind::boolean) && value->boolean;
}

// A whole number from 0 to `max` written with digits only; anything else is `otherwise`.
inline std::uint64_t read_uint(const json::Value& value, std::uint64_t max, std::uint64_t otherwise) {
  const std::string_view digits = value.is(json::Kind::number) ? value.str() : std::string_view();
  std::uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') {
      return otherwise;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (max - digit) / 10) {
      return otherwise;
    }
    number = number * 10 + digit;
  }
  return digits.empty() ? otherwise : number;
}

inline std::uint64_t read_uint(const json::Value& object, std::string_view key, std::uint64_t otherwise = 0) {
  const json::Value* value = object.find(key);
  return value != nullptr ? read_uint(*value, std::numeric_limits<std::uint64_t>::max(), otherwise) : otherwise;
}

inline std::uint32_t read_uint32(const json::Value& object, std::string_view key, std::uint32_t otherwise = 0) {
  const json::Value* value = object.find(key);
  return value != nullptr
             ? static_cast<std::uint32_t>(read_uint(*value, std::numeric_limits<std::uint32_t>::max(), otherwise))
             : otherwise;
}

inline std::span<const json::Value> read_items(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr ? value->array() : std::span<const json::Value>();
}

inline std::span<const json::Member> read_members(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr ? value->object() : std::span<const json::Member>();
}

}  // namespace plumb::wasm
