// What OpenAI and Anthropic take of JSON Schema where they are to enforce it (`strict`): a list of what is known, not
// of what is not, as their documentation of structured outputs has it (docs/sample-provider.md names the documents).
//
//   takes_strict(Wire::anthropic, R"({"type":"object","additionalProperties":false,...})")
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

struct StrictProblem {
  std::string_view id;  // "openai-required", "anthropic-keyword": a row of core/stranger/refusals.hpp
  std::string message;
};

// Why the interface refuses the schema; nothing: it takes it. Not for Ollama, which has no such mode.
std::optional<StrictProblem> strict_problem(Wire wire, const json::Value& schema);
bool takes_strict(Wire wire, std::string_view schema);

}  // namespace plumb::wire
