// Lists of models: read from a provider, and written as OpenAI's, Anthropic's and Ollama's clients expect them.
//
//   std::vector<std::string> names = listed_models(body);        // a provider's answer
//   model_list_json(wire::Wire::anthropic, names)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/wire/model.hpp"

namespace plumb::proxy {

inline constexpr std::size_t listed_models_max = 10'000;

// The names in a list of any of the three. Empty if the text is not one. At most `listed_models_max`.
std::vector<std::string> listed_models(std::string_view body);

// One model, as OpenAI's or Anthropic's clients read it.
void write_model(json::Writer& json, wire::Wire client, std::string_view name);
std::string model_list_json(wire::Wire client, const std::vector<std::string>& names);

}  // namespace plumb::proxy
