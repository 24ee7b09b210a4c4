// The ways in: which paths take a call, in whose wire, and what for. One table, which the front, logs, metrics and
// limits go by.
//
//   const ClientRoute* route = client_route("/v1/responses");
#pragma once

#include <span>
#include <string_view>

#include "core/wire/client_request.hpp"

namespace plumb::proxy {

struct ClientRoute {
  std::string_view path;
  wire::Wire wire = wire::Wire::openai;
  wire::Wish wish = wire::Wish::answer;
};

std::span<const ClientRoute> client_routes();
// nullptr: no call is made there.
const ClientRoute* client_route(std::string_view path);

// What is asked of a response that a provider keeps: "/v1/responses/ID", with a query, and what may follow it.
struct KeptAsk {
  std::string_view method;
  std::string_view id;
  std::string_view rest;  // "", "/cancel" or "/input_items", and the query
  bool there() const { return !id.empty(); }
  bool stream() const;  // its query asks for one
};

// Empty where the path is none of these. `target`: path and query, which the views are of.
KeptAsk kept_ask(std::string_view method, std::string_view target);
// The methods that its path takes; empty: it is none of these.
std::string_view kept_methods(std::string_view target);

inline constexpr std::string_view responses_path = "/v1/responses";

}  // namespace plumb::proxy
