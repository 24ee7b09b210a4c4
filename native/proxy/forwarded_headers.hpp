// Which headers pass between client and provider. Only those listed do: neither cookies nor anybody's keys, neither
// lengths nor anything about a connection.
#pragma once

#include <string>
#include <string_view>

#include "core/wire/model.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/http_server.hpp"

namespace plumb::proxy {

// From the client to a provider of that wire, in place of the provider's usual ones in `lines`: betas and the version
// of the interface.
void pass_to_upstream(const HttpRequest& request, wire::Wire upstream, std::string& lines);

// From the provider to the client, as lines: rate limits (not where we tell `own_limits`), retry-after, the provider's
// own request id.
std::string passed_to_client(const provider::ExchangeHead& head, bool own_limits);

}  // namespace plumb::proxy
