#include "core/wire/facet.hpp"

#include <array>

namespace plumb::wire {

namespace {

constexpr std::array<std::string_view, 1> openai_passed = {"openai-beta"};
constexpr std::array<std::string_view, 2> anthropic_passed = {"anthropic-version", "anthropic-beta"};

constexpr Facet openai = {
    .name = "openai",
    .title = "OpenAI",
    .base = "https://api.openai.com/v1",
    .call = "/chat/completions",
    .list = "/models",
    .list_member = "data",
    .key_header = "authorization",
    .key_before = "Bearer ",
    .passed = openai_passed,
    .done = "data: [DONE]\n\n",
    .id_before = "chatcmpl-",
};

constexpr Facet anthropic = {
    .name = "anthropic",
    .title = "Anthropic",
    .base = "https://api.anthropic.com",
    .call = "/messages",
    .list = "/models?limit=1000",
    .versioned = true,
    .list_member = "data",
    .key_header = "x-api-key",
    .version_header = "anthropic-version",
    .version = "2023-06-01",
    .passed = anthropic_passed,
    .embeds = false,
    .counts_tokens = true,
    .id_before = "msg_",
};

constexpr Facet ollama = {
    .name = "ollama",
    .title = "Ollama",
    .base = "http://127.0.0.1:11434",
    .call = "/api/chat",
    .list = "/api/tags",
    .list_member = "models",
    .key_header = "authorization",
    .key_before = "Bearer ",
    .local = true,
    .bare_schema = true,
    .lines = true,
    .id_before = "msg_",
};

constexpr Facet responses = {
    .name = "responses",
    .title = "OpenAI's responses",
    .base = openai.base,
    .call = "/responses",
    .list = openai.list,
    .list_member = "data",
    .key_header = "authorization",
    .key_before = "Bearer ",
    .id_before = "resp_",
};

constexpr std::array<const Facet*, 4> facets = {&openai, &anthropic, &ollama, &responses};

}  // namespace

const Facet& facet_of(Wire wire) { return *facets[static_cast<std::size_t>(wire)]; }

std::string_view wire_name(Wire wire) { return facet_of(wire).name; }

std::string_view stream_type(const Facet& facet) {
  return facet.lines ? "application/x-ndjson" : "text/event-stream; charset=utf-8";
}

}  // namespace plumb::wire
