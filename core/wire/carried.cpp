#include "core/wire/carried.hpp"

#include <array>

namespace plumb::wire {

namespace {

using enum Fate;

constexpr std::array<Carried, 40> rows = {{
    // name, to OpenAI, to Anthropic, to Ollama
    {"model", kept, kept, kept, "the name that the target has"},
    {"stream", kept, kept, kept, ""},
    {"max_tokens", kept, kept, changed, "Ollama: `num_predict`"},
    {"max_completion_tokens", none, changed, changed, "Anthropic: `max_tokens`; Ollama: `num_predict`"},
    {"stop", none, changed, option, "Anthropic: `stop_sequences`"},
    {"stop_sequences", changed, none, changed, "`stop`"},
    {"temperature", kept, changed, option, "Anthropic takes at most 1: more becomes 1"},
    {"top_p", kept, kept, option, "Anthropic: dropped beside a temperature"},
    {"top_k", dropped, kept, option, ""},
    {"min_p", dropped, dropped, option, ""},
    {"seed", kept, dropped, option, ""},
    {"frequency_penalty", kept, dropped, option, ""},
    {"presence_penalty", kept, dropped, option, ""},
    {"repeat_penalty", dropped, dropped, option, ""},
    {"reasoning_effort", none, dropped, changed, "Ollama: `think`"},
    {"thinking", dropped, none, changed, "Ollama: `think`"},
    {"verbosity", none, dropped, dropped, "`medium` says nothing"},
    {"prediction", none, dropped, dropped, ""},
    {"user", none, changed, dropped, "Anthropic: `metadata.user_id`"},
    {"metadata", changed, dropped, dropped, "OpenAI: `user`, where it has a `user_id`"},
    {"store", none, dropped, dropped, ""},
    {"service_tier", dropped, dropped, dropped, ""},
    {"cache_control", dropped, dropped, dropped, ""},
    {"prompt_cache_key", none, dropped, dropped, ""},
    {"prompt_cache_retention", none, dropped, dropped, ""},
    {"safety_identifier", none, dropped, dropped, ""},
    {"response_format", none, changed, changed, "Anthropic: a tool that must be called; Ollama: `format`"},
    {"output_config", changed, none, changed, "its `format`; `effort` is dropped"},
    {"output_format", changed, none, changed, ""},
    {"tools", changed, changed, changed, "functions; a tool of the provider's own is refused"},
    {"tool_choice", changed, changed, refused, "Ollama knows `auto` and `none`"},
    {"parallel_tool_calls", none, changed, refused, "Anthropic: `disable_parallel_tool_use`"},
    {"n", none, refused, refused, "1 says nothing"},
    {"logprobs", none, refused, refused, "`false` says nothing"},
    {"top_logprobs", none, refused, refused, "0 says nothing"},
    {"logit_bias", none, refused, refused, "`{}` says nothing"},
    {"modalities", none, refused, refused, "`[\"text\"]` says nothing"},
    {"audio", none, refused, refused, ""},
    {"web_search_options", none, refused, refused, ""},
    {"mcp_servers", refused, none, refused, "`[]` says nothing"},
}};

constexpr std::array<Carried, 30> of_responses = {{
    {"model", kept, kept, kept, "the name that the target has"},
    {"stream", kept, kept, kept, ""},
    {"stream_options", dropped, dropped, dropped, "`false` says nothing"},
    {"input", changed, changed, changed, "messages; reasoning is dropped, items that the provider keeps are refused"},
    {"instructions", changed, changed, changed, "a message of the system"},
    {"max_output_tokens", changed, changed, changed, "Anthropic: `max_tokens`; Ollama: `num_predict`"},
    {"temperature", kept, changed, option, "Anthropic takes at most 1: more becomes 1"},
    {"top_p", kept, kept, option, "Anthropic: dropped beside a temperature"},
    {"text", changed, changed, changed, "its `format`; `verbosity` is kept by OpenAI, else dropped"},
    {"reasoning", changed, dropped, changed, "`effort` alone: `reasoning_effort`; Ollama: `think`"},
    {"tools", changed, changed, changed, "functions; a tool of the provider's own is refused"},
    {"tool_choice", changed, changed, refused, "Ollama knows `auto` and `none`"},
    {"parallel_tool_calls", kept, changed, refused, "Anthropic: `disable_parallel_tool_use`"},
    {"max_tool_calls", dropped, dropped, dropped, "of a provider's own tools"},
    {"user", kept, changed, dropped, "Anthropic: `metadata.user_id`"},
    {"metadata", dropped, dropped, dropped, ""},
    {"service_tier", kept, dropped, dropped, ""},
    {"prompt_cache_key", kept, dropped, dropped, ""},
    {"prompt_cache_retention", kept, dropped, dropped, ""},
    {"safety_identifier", kept, dropped, dropped, ""},
    {"client_metadata", dropped, dropped, dropped, ""},
    {"include", dropped, dropped, dropped, "nothing that it names is there"},
    {"truncation", dropped, dropped, dropped, "`disabled` says nothing"},
    {"store", refused, refused, refused, "`false` says nothing"},
    {"background", refused, refused, refused, "`false` says nothing"},
    {"previous_response_id", refused, refused, refused, "send the conversation as `input`"},
    {"conversation", refused, refused, refused, "send the conversation as `input`"},
    {"prompt", refused, refused, refused, "one that the provider keeps"},
    {"top_logprobs", refused, refused, refused, "0 says nothing"},
    {"context_management", refused, refused, refused, ""},
}};

}  // namespace

std::string_view fate_name(Fate fate) {
  constexpr std::array<std::string_view, 6> names = {"kept", "option", "changed", "dropped", "refused", "-"};
  return names[static_cast<std::size_t>(fate)];
}

std::span<const Carried> carried_settings(Wire client) {
  return client == Wire::responses ? std::span<const Carried>(of_responses) : std::span<const Carried>(rows);
}

const Carried* carried_named(Wire client, std::string_view name) {
  for (const Carried& row : carried_settings(client)) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

Fate fate_of(const Carried& row, Wire upstream) {
  switch (upstream) {
    case Wire::openai:
      return row.openai;
    case Wire::anthropic:
      return row.anthropic;
    case Wire::responses:
    case Wire::ollama:
      break;
  }
  return row.ollama;
}

}  // namespace plumb::wire
