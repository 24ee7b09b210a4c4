// Members of JSON objects, read where they may be missing or of another kind.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/number_text.hpp"
#include "core/json/value.hpp"

namespace plumb::pipelines::discovery {

inline std::string_view text_in(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found != nullptr && found->is(json::Kind::string) ? found->str() : std::string_view();
}

inline std::uint64_t number_in(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  std::uint64_t number = 0;
  return found != nullptr && found->is(json::Kind::number) && json::read_uint(found->str(), number) ? number : 0;
}

inline bool flag_in(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found != nullptr && found->boolean;
}

inline std::span<const json::Value> list_in(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found == nullptr ? std::span<const json::Value>() : found->array();
}

inline std::vector<std::string> texts_in(const json::Value& object, std::string_view name) {
  std::vector<std::string> out;
  for (const json::Value& one : list_in(object, name)) {
    if (one.is(json::Kind::string)) {
      out.emplace_back(one.str());
    }
  }
  return out;
}

}  // namespace plumb::pipelines::discovery
