// The keys of `providers:` and `limits:`.
#include "native/provider/settings.hpp"

namespace plumb::provider {

namespace {

SettingTable make_table() {
  const ModelCallLimits usual;
  const std::string calls = std::to_string(known_provider("ollama")->calls_usual_max) + " for Ollama, otherwise " +
                            std::to_string(known_provider("openai")->calls_usual_max);
  return {
      {"providers.default", "model", "extract", "the provider of all phases"},
      {"providers.PHASE", "model", "`providers.default`", "the provider of a phase"},
      {"providers.also", "list of models", "", "more providers that a request may name", "work.md"},
      {"providers.PROVIDER", "map", "", "the settings of a provider, or a provider of your own"},
      {"providers.PROVIDER.speaks", "one of openai, anthropic, ollama", "", "the protocol of a provider of your own"},
      {"providers.PROVIDER.base_url", "URL", "the usual address", "the address"},
      {"providers.PROVIDER.key_env", "text", "", "the environment variable that contains the key"},
      {"providers.PROVIDER.key_file", "file", "", "the file that contains the key"},
      {"providers.PROVIDER.key_credential", "text", "", "the systemd credential that contains the key"},
      {"providers.PROVIDER.calls_max", "number", calls, "calls in progress at once"},
      {"providers.PROVIDER.tries_max", "number", std::to_string(usual.tries_max), "attempts per call"},
      {"providers.PROVIDER.connect_ms", "milliseconds", std::to_string(usual.exchange.connect_ms), "time to connect"},
      {"providers.PROVIDER.first_byte_ms", "milliseconds", std::to_string(usual.exchange.first_byte_ms),
       "time until the first byte of an answer"},
      {"providers.PROVIDER.idle_ms", "milliseconds", std::to_string(usual.exchange.idle_ms),
       "time between two bytes of an answer"},
      {"providers.PROVIDER.tools", "true or false", "by model", "whether the provider supports tools"},
      {"providers.PROVIDER.streaming", "true or false", "by model", "whether the provider supports streaming"},
      {"providers.PROVIDER.temperature", "true or false", "by model", "whether the provider supports temperature"},
      {"providers.PROVIDER.structured", "one of none, json, schema, strict", "by provider",
       "the strongest structured output; for Ollama also `tool`"},
      {"providers.PROVIDER.responses", "true or false", "by address",
       "whether the provider has OpenAI's `/responses` beside chat completions"},
      {"providers.PROVIDER.token_limit", "one of max_tokens, max_completion_tokens", "by address",
       "name of the token limit in requests"},
      {"providers.PROVIDER.think", "one of false, true, low, medium, high", "false",
       "Ollama: whether models think before they answer"},
      {"providers.PROVIDER.num_ctx", "number", "by call", "Ollama: the context, in tokens"},
      {"limits.idle", "duration", "by pipeline", "time between two tokens of a model call"},
      {"limits.total", "duration", "by pipeline", "time of a whole model call"},
      {"limits.PHASE.idle", "duration", "`limits.idle`", "the same for one phase"},
      {"limits.PHASE.total", "duration", "`limits.total`", "the same for one phase"},
  };
}

}  // namespace

const SettingTable& provider_settings() {
  static const SettingTable table = make_table();
  return table;
}

}  // namespace plumb::provider
