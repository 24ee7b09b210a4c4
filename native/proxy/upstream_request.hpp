// What a provider is sent for a client's call: the client's own body with its model's name spliced where both speak the
// same, a translation where they do not, a repair where the guard wants one.
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
  provider::ContractShelf& shelf;        // where schemas are known from
  guard::Guard* guard = nullptr;         // wants something of its own: that is sent
  guard::Want want = guard::Want::more;  // repair or judge, where there is a guard
  bool stream = false;                   // that the provider streams
  wire::Wire wire = wire::Wire::openai;  // in which the provider is asked
  KeptAsk kept = {};                     // about a response that it keeps: there is no body
};

struct UpstreamRequest {
  provider::ExchangeRequest request;
  std::string structured_tool;  // for reading the answer
  std::string lost;             // settings that this wire has no word for: "top_k, seed"
  bool usage_added = false;     // the provider was asked for usage that the client did not ask for
};

Result<UpstreamRequest> upstream_request(const UpstreamAsk& ask);

}  // namespace plumb::proxy
