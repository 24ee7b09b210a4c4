// Makes the request to a provider for a client's call: the client's own body with the model's name replaced if both
// use the same wire format, else a translation, or a repair if the guard needs one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/guard/guard.hpp"
#include "core/result.hpp"
#include "core/wire/client_request.hpp"
#include "native/provider/structured_output.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/call.hpp"
#include "native/proxy/client_route.hpp"
#include "native/proxy/http_server.hpp"

namespace plumb::proxy {

struct UpstreamAsk {
  const wire::ClientRequest& request;
  std::string_view body;                 // of the client
  const HttpRequest& head;               // of the client
  const Step& step;                      // of kind ask
  provider::ContractShelf& shelf;        // source of known schemas
  guard::Guard* guard = nullptr;         // if it needs something of its own, that is sent
  guard::Want want = guard::Want::more;  // repair or judge, with a guard
  bool stream = false;                   // ask the provider for a stream
  wire::Wire wire = wire::Wire::openai;  // the provider's wire format
  KeptAsk kept = {};                     // about a kept response: no body
};

struct UpstreamRequest {
  provider::ExchangeRequest request;
  std::string structured_tool;  // for reading the answer
  std::string lost;             // settings that this wire format cannot express: "top_k, seed"
  bool usage_added = false;     // the provider was asked for usage that the client did not ask for
};

Result<UpstreamRequest> upstream_request(const UpstreamAsk& ask);

}  // namespace plumb::proxy
