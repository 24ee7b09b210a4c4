#include "core/stranger/refusals.hpp"

#include <array>
#include <utility>

#include "core/require.hpp"

namespace plumb::stranger {

namespace {

using wire::Wire;

constexpr std::string_view openai_guide = "OpenAI, guide \"Structured outputs\", supported schemas";
constexpr std::string_view openai_reference = "OpenAI, API reference, \"Create chat completion\"";
constexpr std::string_view openai_reasoning = "OpenAI, guide \"Reasoning models\", and the API's own message";
constexpr std::string_view azure_guide = "Microsoft, Azure OpenAI, \"Structured outputs\" (the same subset)";
constexpr std::string_view claude_guide = "Anthropic, \"Structured outputs\", JSON Schema limitations";
constexpr std::string_view claude_reference = "Anthropic, API reference, \"Create a Message\"";
constexpr std::string_view ollama_api = "Ollama, docs/api.md, \"Generate a chat completion\"";

constexpr std::array<Refusal, 39> table = {{
    {"openai-body", Wire::openai, "A body that is not a JSON object, or has no model or no messages.", openai_reference,
     "2026-02"},
    {"openai-model", Wire::openai, "A model that does not exist (404).", openai_reference, "2026-02"},
    {"openai-member", Wire::openai, "A member of the body that the interface does not know.", openai_reference,
     "2026-02"},
    {"openai-role", Wire::openai, "A role other than developer, system, user, assistant, tool and function.",
     openai_reference, "2026-02"},
    {"openai-tool-answer", Wire::openai,
     "A tool message without a call in the assistant's message before it, and a call without an answer.",
     openai_reference, "2026-02"},
    {"openai-temperature", Wire::openai, "A temperature below 0 or above 2.", openai_reference, "2026-02"},
    {"openai-stop", Wire::openai, "More than four stop sequences.", openai_reference, "2026-02"},
    {"openai-tools", Wire::openai, "More than 128 tools; a choice of a missing tool.", openai_reference, "2026-02"},
    {"openai-name", Wire::openai,
     "A name of a tool or schema with other characters than letters, digits, _ and -, or more than 64.",
     openai_reference, "2026-02"},
    {"openai-stream-options", Wire::openai, "stream_options without stream.", openai_reference, "2026-02"},
    {"openai-json-word", Wire::openai, "JSON mode without the word JSON in a message.",
     "OpenAI, guide \"Structured outputs\", JSON mode", "2026-02"},
    {"openai-sampling", Wire::openai, "A temperature other than 1 with a model that accepts none.", openai_reasoning,
     "2025-08"},
    {"openai-notools", Wire::openai, "Tools with a model that accepts none.", openai_reasoning, "2025-08"},
    {"openai-context", Wire::openai, "More tokens than the context of the model.",
     "OpenAI, guide \"Conversation state\", context window, and the API's own message", "2026-02"},
    {"openai-root", Wire::openai, "A schema whose root is not an object, or is an anyOf.", openai_guide, "2026-02"},
    {"openai-closed", Wire::openai, "strict: an object without additionalProperties: false.", openai_guide, "2026-02"},
    {"openai-required", Wire::openai, "strict: an object that does not require every property.", openai_guide,
     "2026-02"},
    {"openai-keyword", Wire::openai,
     "strict: a keyword that is not supported: allOf, oneOf, not, if, then, else, dependentRequired, dependentSchemas, "
     "patternProperties, unevaluatedProperties, propertyNames, minProperties, maxProperties, unevaluatedItems, "
     "prefixItems, contains, minContains, maxContains, uniqueItems, minLength, maxLength, default.",
     azure_guide, "2025-12"},
    {"openai-type", Wire::openai, "strict: a schema without type, enum, const, anyOf or $ref.", openai_guide,
     "2026-02"},
    {"openai-reference", Wire::openai, "strict: a $ref that leads nowhere, or out of the schema.", openai_guide,
     "2026-02"},
    {"openai-depth", Wire::openai, "strict: more than 10 levels of nesting.", openai_guide, "2026-02"},
    {"openai-size", Wire::openai,
     "strict: more than 5,000 properties, 120,000 characters of names and constants, 1,000 enum values, or 15,000 "
     "characters in an enum of more than 250.",
     openai_guide, "2026-02"},
    {"anthropic-body", Wire::anthropic, "A body that is not a JSON object, or has no model, max_tokens or messages.",
     claude_reference, "2026-02"},
    {"anthropic-model", Wire::anthropic, "A model that does not exist (404).", claude_reference, "2026-02"},
    {"anthropic-member", Wire::anthropic, "A member of the body that the interface does not know.", claude_reference,
     "2026-02"},
    {"anthropic-role", Wire::anthropic,
     "A role other than user and assistant, or a first message that is not the user's.", claude_reference, "2026-02"},
    {"anthropic-empty", Wire::anthropic, "A text block without text.", claude_reference, "2026-02"},
    {"anthropic-tool-answer", Wire::anthropic,
     "A tool_result without its tool_use in the message before it, and a tool_use without its result.",
     claude_reference, "2026-02"},
    {"anthropic-temperature", Wire::anthropic, "A temperature below 0 or above 1.", claude_reference, "2026-02"},
    {"anthropic-tools", Wire::anthropic,
     "A tool whose name has other characters than letters, digits, _ and -, or more than 128; whose input_schema is "
     "not the schema of an object; a choice of a missing tool.",
     claude_reference, "2026-02"},
    {"anthropic-notools", Wire::anthropic, "Tools with a model that accepts none.", claude_reference, "2026-02"},
    {"anthropic-context", Wire::anthropic, "More tokens than the context of the model.",
     "Anthropic, \"Context windows\", and the API's own message", "2025-12"},
    {"anthropic-closed", Wire::anthropic,
     "strict tools and output formats: an object without additionalProperties: false.", claude_guide, "2025-11"},
    {"anthropic-keyword", Wire::anthropic,
     "strict tools and output formats: minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, "
     "maxLength, maxItems, uniqueItems, minItems other than 0 or 1, other keywords that are not supported, patterns "
     "with look-around, back-references or \\b.",
     claude_guide, "2025-11"},
    {"anthropic-recursive", Wire::anthropic, "strict tools and output formats: a recursive schema, an external $ref.",
     claude_guide, "2025-11"},
    {"ollama-body", Wire::ollama, "A body that is not a JSON object, or has no model.", ollama_api, "2025-12"},
    {"ollama-model", Wire::ollama, "A model that does not exist (404).", ollama_api, "2025-12"},
    {"ollama-format", Wire::ollama, "A format that is neither \"json\" nor a schema of an object.", ollama_api,
     "2025-12"},
    {"ollama-notools", Wire::ollama, "Tools with a model that accepts none.", ollama_api, "2025-12"},
}};

}  // namespace

std::span<const Refusal> refusals() { return table; }

Refused refuse(std::string_view id, std::string message, std::string code, int status) {
  for (const Refusal& row : table) {
    if (row.id == id) {
      return {&row, status, std::move(message), std::move(code)};
    }
  }
  PLUMB_REQUIRE(false, "every refusal has a row in the table");
  return {};
}

}  // namespace plumb::stranger
