#include "native/proxy/forwarded_headers.hpp"

#include <algorithm>

#include "native/proxy/http_head.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view to_client[] = {
    "retry-after",    "retry-after-ms",       "x-should-retry", "request-id",
    "openai-version", "openai-processing-ms", "openai-model",   "system-fingerprint",
};
constexpr std::string_view to_client_beginnings[] = {"x-ratelimit-", "anthropic-ratelimit-"};

}  // namespace

void pass_to_upstream(const HttpRequest& request, const wire::Facet& upstream, std::string& lines) {
  for (const std::string_view passed : upstream.passed) {
    const std::string_view value = request.field(passed);
    if (value.empty()) {
      continue;
    }
    std::string name(passed);
    name += ": ";
    const std::size_t usual = lines.find("\r\n" + name);
    if (usual != std::string::npos) {
      lines.erase(usual + 2, lines.find("\r\n", usual + 2) - usual);
    }
    lines.append(name).append(value).append("\r\n");
  }
}

std::string passed_to_client(const provider::ExchangeHead& head, bool own_limits) {
  std::string lines;
  for (const provider::HeaderField& field : head.headers) {
    const bool listed =
        std::find(std::begin(to_client), std::end(to_client), field.name) != std::end(to_client) ||
        (!own_limits && std::any_of(std::begin(to_client_beginnings), std::end(to_client_beginnings),
                                    [&](std::string_view beginning) { return field.name.starts_with(beginning); }));
    if (!listed) {
      continue;
    }
    lines += field.name;
    lines += ": ";
    lines += field.value;
    lines += "\r\n";
  }
  return lines;
}

}  // namespace plumb::proxy
