// Lists of models: read from a provider, and written as OpenAI's, Anthropic's and Ollama's clients expect them.
//
//   std::optional<std::string> answer = models_json({wire::Wire::anthropic, {"quiz"}}, provider_answer);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/model.hpp"

namespace plumb::proxy {

inline constexpr std::size_t listed_models_max = 10'000;

struct ModelQuery {
  wire::Wire client = wire::Wire::openai;
  std::vector<std::string> names = {};  // what plumb.yaml has for this caller
  std::string wanted = {};              // one model; empty: all of them
  bool takes_any = false;               // every other name is passed on to a provider
};

// The answer for a client, from `query.names` and then the provider's list (JSON of OpenAI, Anthropic or Ollama; at
// most `listed_models_max` names of it; text that is none of these counts as empty). Nothing if the wanted model is in
// neither. If names are passed on and the provider's list is empty, any name may be there.
std::optional<std::string> models_json(const ModelQuery& query, std::string_view provider_list);

}  // namespace plumb::proxy
