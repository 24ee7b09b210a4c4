// Addresses: where the proxy listens, which origins pages may have, and which resolved addresses an upstream may have.
//
// A provider's name that resolves to a private address (this machine, a local network, a cloud's metadata service)
// would open the proxy's network to clients. Such an address is used only if plumb.yaml names it: as the provider's
// own address, or by a network in `proxy.private_upstreams`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/network.hpp"
#include "native/proxy/settings.hpp"

namespace plumb::proxy {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};
// Reads "127.0.0.1:8788", "[::1]:8788", "localhost:0", ":8788" (all addresses) or "8788" (this machine).
Result<ListenAddress> read_listen(std::string_view text);

// True for "https://app.example.org" or "http://localhost:5173": nothing may follow host and port.
bool is_origin(std::string_view text);

// Reads "10.0.0.0/8", "fd00::/8" or "192.168.1.7".
std::optional<Network> read_network(std::string_view text);
bool contains(const Network& network, const std::array<std::uint8_t, 16>& address);

// True for loopback, private, shared, link-local, unique local, multicast, unspecified, documentation and all other
// addresses outside the public network, also for IPv4 inside IPv6 (mapped, 6to4, NAT64).
bool is_private(const std::array<std::uint8_t, 16>& address);

// The client behind trusted proxies: the last address in X-Forwarded-For that is not a trusted proxy. `address` itself
// if it is not trusted, or if the list has no valid address.
std::string_view first_untrusted(const std::vector<Network>& trusted, std::string_view address,
                                 std::string_view forwarded_for);

// True if a connection may be made to `address`, an IPv4 or IPv6 address to which the upstream's host resolved.
bool may_connect(std::string_view address, const Upstream& upstream, const Settings& settings);

}  // namespace plumb::proxy
