// Members of JSON objects, read whatever they are, and objects written. Internal to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/run/data.hpp"

namespace plumb::pipelines::research {

// What is no text, number or list gives an empty one, or `otherwise`.
std::string_view text_of(const json::Value& object, std::string_view key);
std::uint64_t number_of(const json::Value& object, std::string_view key, std::uint64_t otherwise = 0);
bool flag_of(const json::Value& object, std::string_view key);
std::span<const json::Value> list_of(const json::Value& object, std::string_view key);
std::vector<std::string> texts_of(const json::Value& object, std::string_view key);

template <class Write>
run::Data object(Write write) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write(json);
  json.end_object();
  return run::Data::written(std::move(out));
}
void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts);

}  // namespace plumb::pipelines::research
