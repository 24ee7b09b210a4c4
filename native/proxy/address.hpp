// Addresses: where the proxy listens, which origins pages have, and which resolved addresses an upstream may have.
//
// A provider's name that resolves to a private address (this machine, a local network, a cloud's metadata service)
// would make the proxy a way into the network it is in. So such an address is used only where plumb.yaml names it:
// as the provider's own address, or by a network in `proxy.private_upstreams`.
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
// "127.0.0.1:8788", "[::1]:8788", "localhost:0", ":8788" (all addresses), "8788" (this machine).
Result<ListenAddress> read_listen(std::string_view text);

// "https://app.example.org", "http://localhost:5173": nothing behind host and port.
bool is_origin(std::string_view text);

// "10.0.0.0/8", "fd00::/8", "192.168.1.7".
std::optional<Network> read_network(std::string_view text);
bool contains(const Network& network, const std::array<std::uint8_t, 16>& address);

// Loopback, private, shared, link-local, unique local, multicast, unspecified, documentation, and the rest that is no
// address of the public network; also as IPv4 within IPv6 (mapped, 6to4, NAT64).
bool is_private(const std::array<std::uint8_t, 16>& address);

// Who is behind trusted proxies: of the addresses that X-Forwarded-For lists, the last that is none of them; `address`
// itself where it is not trusted, or the list says nothing that is an address.
std::string_view first_untrusted(const std::vector<Network>& trusted, std::string_view address,
                                 std::string_view forwarded_for);

// Whether a connection may be made to `address`, a textual IPv4 or IPv6 address that the upstream's host resolved to.
bool may_connect(std::string_view address, const Upstream& upstream, const Settings& settings);

}  // namespace plumb::proxy
