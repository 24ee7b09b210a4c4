#include "core/wire/carried.hpp"

#include <array>

namespace plumb::wire {

namespace {

using enum Fate;

constexpr std::array<Carried, 40> rows = {{
    // name, to OpenAI, to Anthropic, to Ollama
    {"model", kept, kept, kept, "the target's name of the model"},
    {"stream", kept, kept, kept, ""},
    {"max_tokens", kept, kept, changed, "Ollama: `num_predict`"},
    {"max_completion_tokens", none, changed, changed, "Anthropic: `max_tokens`; Ollama: `num_predict`"},
    {"stop", none, changed, option, "Anthropic: `stop_sequences`"},
    {"stop_sequences", changed, none, changed, "`stop`"},
    {"temperature", kept, changed, option, "Anthropic: values above 1 become 1"},
    {"top_p", kept, kept, option, "Anthropic: dropped if there is a temperature"},
    {"top_k", dropped, kept, option, ""},
    {"min_p", dropped, dropped, option, ""},
    {"seed", kept, dropped, option, ""},
    {"frequency_penalty", kept, dropped, option, ""},
    {"presence_penalty", kept, dropped, option, ""},
    {"repeat_penalty", dropped, dropped, option, ""},
    {"reasoning_effort", none, dropped, changed, "Ollama: `think`"},
    {"thinking", dropped, none, changed, "Ollama: `think`"},
    {"verbosity", none, dropped, dropped, "`medium` has no effect"},
    {"prediction", none, dropped, dropped, ""},
    {"user", none, changed, dropped, "Anthropic: `metadata.user_id`"},
    {"metadata", changed, dropped, dropped, "OpenAI: its `user_id` becomes `user`"},
    {"store", none, dropped, dropped, ""},
    {"service_tier", dropped, dropped, dropped, ""},
    {"cache_control", dropped, dropped, dropped, ""},
    {"prompt_cache_key", none, dropped, dropped, ""},
    {"prompt_cache_retention", none, dropped, dropped, ""},
    {"safety_identifier", none, dropped, dropped, ""},
    {"response_format", none, changed, changed,
     "Anthropic: a tool that must be called, `json_object` is dropped; Ollama: `format`"},
    {"output_config", changed, none, changed, "its `format`; `effort` is dropped"},
    {"output_format", changed, none, changed, ""},
    {"tools", changed, changed, changed, "functions; the provider's own tools are refused"},
    {"tool_choice", changed, changed, refused, "Ollama: only `auto` and `none`"},
    {"parallel_tool_calls", none, changed, refused, "Anthropic: `disable_parallel_tool_use`"},
    {"n", none, refused, refused, "1 has no effect"},
    {"logprobs", none, refused, refused, "`false` has no effect"},
    {"top_logprobs", none, refused, refused, "0 has no effect"},
    {"logit_bias", none, refused, refused, "`{}` has no effect"},
    {"modalities", none, refused, refused, "`[\"text\"]` has no effect"},
    {"audio", none, refused, refused, ""},
    {"web_search_options", none, refused, refused, ""},
    {"mcp_servers", refused, none, refused, "`[]` has no effect"},
}};

constexpr std::array<Carried, 30> of_responses = {{
    {"model", kept, kept, kept, "the target's name of the model"},
    {"stream", kept, kept, kept, ""},
    {"stream_options", dropped, dropped, dropped, "`false` has no effect"},
    {"input", changed, changed, changed, "messages; reasoning is dropped, stored items are refused"},
    {"instructions", changed, changed, changed, "a system message"},
    {"max_output_tokens", changed, changed, changed, "Anthropic: `max_tokens`; Ollama: `num_predict`"},
    {"temperature", kept, changed, option, "Anthropic: values above 1 become 1"},
    {"top_p", kept, kept, option, "Anthropic: dropped if there is a temperature"},
    {"text", changed, changed, changed,
     "its `format` (Anthropic: not `json_object`); `verbosity` is kept for OpenAI, else dropped"},
    {"reasoning", changed, dropped, changed, "only its `effort`: `reasoning_effort`; Ollama: `think`"},
    {"tools", changed, changed, changed, "functions; the provider's own tools are refused"},
    {"tool_choice", changed, changed, refused, "Ollama: only `auto` and `none`"},
    {"parallel_tool_calls", kept, changed, refused, "Anthropic: `disable_parallel_tool_use`"},
    {"max_tool_calls", dropped, dropped, dropped, "for the provider's own tools"},
    {"user", kept, changed, dropped, "Anthropic: `metadata.user_id`"},
    {"metadata", dropped, dropped, dropped, ""},
    {"service_tier", kept, dropped, dropped, ""},
    {"prompt_cache_key", kept, dropped, dropped, ""},
    {"prompt_cache_retention", kept, dropped, dropped, ""},
    {"safety_identifier", kept, dropped, dropped, ""},
    {"client_metadata", dropped, dropped, dropped, ""},
    {"include", dropped, dropped, dropped, "none of its values are available"},
    {"truncation", dropped, dropped, dropped, "`disabled` has no effect"},
    {"store", refused, refused, refused, "`false` has no effect"},
    {"background", refused, refused, refused, "`false` has no effect"},
    {"previous_response_id", refused, refused, refused, "send the conversation as `input`"},
    {"conversation", refused, refused, refused, "send the conversation as `input`"},
    {"prompt", refused, refused, refused, "a stored prompt"},
    {"top_logprobs", refused, refused, refused, "0 has no effect"},
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
