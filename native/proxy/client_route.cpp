#include "native/proxy/client_route.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"

namespace plumb::proxy {

namespace {

constexpr std::array<ClientRoute, 7> routes = {{
    {"/v1/chat/completions", wire::Wire::openai, wire::Wish::answer},
    {"/v1/messages", wire::Wire::anthropic, wire::Wish::answer},
    {"/v1/messages/count_tokens", wire::Wire::anthropic, wire::Wish::input_tokens},
    {responses_path, wire::Wire::responses, wire::Wish::answer},
    {"/v1/embeddings", wire::Wire::openai, wire::Wish::embeddings},
    {"/api/chat", wire::Wire::ollama, wire::Wish::answer},
    {"/api/generate", wire::Wire::ollama, wire::Wish::answer, true},
}};

constexpr std::size_t id_bytes_max = 200;

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= id_bytes_max &&
         std::all_of(text.begin(), text.end(), [](char c) { return ascii::is_word(c) || c == '-'; });
}

struct Kept {
  std::string_view id;
  std::string_view behind;  // of the path
  std::string_view rest;    // with the query
};

Kept kept_path(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with(responses_path) || path.size() <= responses_path.size() + 1 ||
      path[responses_path.size()] != '/') {
    return {};
  }
  const std::size_t from = responses_path.size() + 1;
  const std::size_t to = std::min(path.find('/', from), path.size());
  Kept kept{path.substr(from, to - from), path.substr(to), target.substr(to)};
  return is_id(kept.id) ? kept : Kept{};
}

}  // namespace

std::span<const ClientRoute> client_routes() { return routes; }

const ClientRoute* client_route(std::string_view path) {
  for (const ClientRoute& route : routes) {
    if (route.path == path) {
      return &route;
    }
  }
  return nullptr;
}

bool KeptAsk::stream() const {
  const std::size_t query = rest.find('?');
  std::string_view left = query == std::string_view::npos ? std::string_view() : rest.substr(query + 1);
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('&'), left.size());
    if (left.substr(0, end) == "stream=true") {
      return true;
    }
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return false;
}

std::string_view kept_methods(std::string_view target) {
  const Kept kept = kept_path(target);
  if (kept.id.empty()) {
    return {};
  }
  return kept.behind.empty()             ? "GET, DELETE, OPTIONS"
         : kept.behind == "/input_items" ? "GET, OPTIONS"
         : kept.behind == "/cancel"      ? "POST, OPTIONS"
                                         : std::string_view();
}

KeptAsk kept_ask(std::string_view method, std::string_view target) {
  const std::string_view methods = kept_methods(target);
  for (std::string_view rest = methods; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, comma) == method && method != "OPTIONS") {
      const Kept kept = kept_path(target);
      return {method, kept.id, kept.rest};
    }
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  return {};
}

}  // namespace plumb::proxy
