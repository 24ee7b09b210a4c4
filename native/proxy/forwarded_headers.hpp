// The headers that pass between client and provider. Only listed headers pass: no cookies, keys, lengths, or headers
// about a connection.
#pragma once

#include <string>
#include <string_view>

#include "core/wire/facet.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/http_server.hpp"

namespace plumb::proxy {

// From the client to a provider with that wire format: betas and the interface version. They replace the provider's
// usual ones in `lines`.
void pass_to_upstream(const HttpRequest& request, const wire::Facet& upstream, std::string& lines);
inline void pass_to_upstream(const HttpRequest& request, wire::Wire upstream, std::string& lines) {
  pass_to_upstream(request, facet_of(upstream), lines);
}

// From the provider to the client, as lines: rate limits (unless we send `own_limits`), retry-after, the provider's
// request id.
std::string passed_to_client(const provider::ExchangeHead& head, bool own_limits);

}  // namespace plumb::proxy
