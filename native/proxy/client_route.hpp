// The paths that accept calls, with wire format and purpose. The front, logs, metrics and limits all use this table.
//
//   const ClientRoute* route = client_route("/v1/responses");
#pragma once

#include <span>
#include <string_view>

#include "core/wire/client_request.hpp"

namespace plumb::proxy {

inline constexpr std::string_view responses_path = "/v1/responses";

struct ClientRoute {
  std::string_view path;
  wire::Wire wire = wire::Wire::openai;
  wire::Wish wish = wire::Wish::answer;
  bool prompt = false;  // the body has a prompt instead of messages, and the answer a text (Ollama's generate)
  bool keeps_responses() const { return path == responses_path; }
};

std::span<const ClientRoute> client_routes();
// nullptr: the path accepts no calls.
const ClientRoute* client_route(std::string_view path);

// A request about a response that a provider keeps: "/v1/responses/ID", with what follows it and a query.
struct KeptAsk {
  std::string_view method;
  std::string_view id;
  std::string_view rest;  // "", "/cancel" or "/input_items", and the query
  bool there() const { return !id.empty(); }
  bool stream() const;  // true if the query asks for a stream
};

// Empty if the path is not one of these. The views point into `target`, which is path and query.
KeptAsk kept_ask(std::string_view method, std::string_view target);
// The methods that this path accepts; empty if it is not one of these.
std::string_view kept_methods(std::string_view target);

}  // namespace plumb::proxy
