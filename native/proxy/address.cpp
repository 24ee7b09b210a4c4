#include "native/proxy/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/ascii.hpp"
#include "native/control/access.hpp"

namespace plumb::proxy {

namespace {

using Bytes = std::array<std::uint8_t, 16>;

std::optional<Bytes> read_address(std::string_view text) {
  const std::string zero_ended(text.substr(0, text.find('%')));  // without the zone of a link-local address
  Bytes bytes = {};
  if (::inet_pton(AF_INET6, zero_ended.c_str(), bytes.data()) == 1) {
    return bytes;
  }
  std::array<std::uint8_t, 4> four = {};
  if (::inet_pton(AF_INET, zero_ended.c_str(), four.data()) != 1) {
    return std::nullopt;
  }
  bytes[10] = bytes[11] = 0xFF;
  std::copy(four.begin(), four.end(), bytes.begin() + 12);
  return bytes;
}

bool is_mapped(const Bytes& address) {
  return std::all_of(address.begin(), address.begin() + 10, [](std::uint8_t b) { return b == 0; }) &&
         address[10] == 0xFF && address[11] == 0xFF;
}

Bytes mapped(const std::uint8_t* four) {
  Bytes bytes = {};
  bytes[10] = bytes[11] = 0xFF;
  std::copy(four, four + 4, bytes.begin() + 12);
  return bytes;
}

// What is no address of the public network (the special-purpose registries of RFC 6890).
constexpr std::string_view private_networks[] = {
    "0.0.0.0/8",    "10.0.0.0/8",    "100.64.0.0/10",  "127.0.0.0/8",   "169.254.0.0/16",  "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24",  "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4",  "240.0.0.0/4",   "::/127",         "fc00::/7",      "fe80::/10",       "fec0::/10",
    "ff00::/8",     "2001:db8::/32", "100::/64",       "64:ff9b:1::/48"};

bool is_host_text(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    return ascii::is_lower(c) || ascii::is_digit(c) || c == '-' || c == '.' || c == ':' || c == '[' || c == ']' ||
           c == '_';
  });
}

Error refused(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

}  // namespace

Result<ListenAddress> read_listen(std::string_view text) {
  ListenAddress out{"127.0.0.1", 0};
  const std::size_t colon = text.rfind(':');
  const bool only_port = colon == std::string_view::npos;
  const std::string_view port = only_port ? text : text.substr(colon + 1);
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (port.empty() || failed != std::errc() || end != port.data() + port.size()) {
    return refused("must be an address and a port, such as 127.0.0.1:8788; 0 chooses a free port");
  }
  if (only_port) {
    return out;
  }
  std::string_view host = text.substr(0, colon);
  if (host.empty()) {
    out.host = "0.0.0.0";
    return out;
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return refused("an IPv6 address is written in brackets: [::1]:8788");
  }
  if (host != "localhost" && !read_address(host)) {
    return refused("'" + std::string(host) + "' is not an address of this machine; 0.0.0.0 is all of them");
  }
  out.host = host;
  return out;
}

bool is_origin(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.starts_with(scheme)) {
      return is_host_text(text.substr(scheme.size()));
    }
  }
  return false;
}

std::optional<Network> read_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<Bytes> address = read_address(text.substr(0, slash));
  if (!address) {
    return std::nullopt;
  }
  Network network{*address, 128};
  if (slash == std::string_view::npos) {
    return network;
  }
  const bool four = text.find(':') == std::string_view::npos;
  const std::string_view digits = text.substr(slash + 1);
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), network.bits);
  if (digits.empty() || failed != std::errc() || end != digits.data() + digits.size() ||
      network.bits > (four ? 32U : 128U)) {
    return std::nullopt;
  }
  if (four) {
    network.bits += 96;
  }
  return network;
}

bool contains(const Network& network, const std::array<std::uint8_t, 16>& address) {
  for (unsigned bit = 0; bit < network.bits; bit += 8) {
    const unsigned left = std::min(8U, network.bits - bit);
    const auto mask = static_cast<std::uint8_t>(0xFFU << (8U - left));
    if (((network.address[bit / 8] ^ address[bit / 8]) & mask) != 0) {
      return false;
    }
  }
  return true;
}

bool is_private(const std::array<std::uint8_t, 16>& address) {
  static const std::vector<Network> networks = [] {
    std::vector<Network> out;
    for (const std::string_view text : private_networks) {
      out.push_back(*read_network(text));
    }
    return out;
  }();
  const auto inside = [](const Bytes& bytes) {
    return std::any_of(networks.begin(), networks.end(), [&](const Network& one) { return contains(one, bytes); });
  };
  if (inside(address)) {
    return true;
  }
  if (is_mapped(address)) {
    return false;
  }
  // IPv4 carried within IPv6: compatible (::a.b.c.d), NAT64 (64:ff9b::a.b.c.d), 6to4 (2002:a.b.c.d::).
  static const Network compatible = *read_network("::/96");
  static const Network nat64 = *read_network("64:ff9b::/96");
  static const Network six_to_four = *read_network("2002::/16");
  if (contains(compatible, address) || contains(nat64, address)) {
    return inside(mapped(address.data() + 12));
  }
  return contains(six_to_four, address) && inside(mapped(address.data() + 2));
}

std::string_view first_untrusted(const std::vector<Network>& trusted, std::string_view address,
                                 std::string_view forwarded_for) {
  const auto is_trusted = [&](const Bytes& bytes) {
    return std::any_of(trusted.begin(), trusted.end(), [&](const Network& one) { return contains(one, bytes); });
  };
  std::string_view found = address;
  std::optional<Bytes> bytes = read_address(address);
  while (bytes && is_trusted(*bytes) && !forwarded_for.empty()) {
    const std::size_t comma = forwarded_for.rfind(',');
    std::string_view one = comma == std::string_view::npos ? forwarded_for : forwarded_for.substr(comma + 1);
    forwarded_for = comma == std::string_view::npos ? std::string_view() : forwarded_for.substr(0, comma);
    one = ascii::trim(one, ascii::blanks);
    bytes = read_address(one);
    found = bytes ? one : found;
  }
  return found;
}

bool may_connect(std::string_view address, const Upstream& upstream, const Settings& settings) {
  const std::optional<Bytes> bytes = read_address(address);
  if (!bytes) {
    return false;
  }
  if (!is_private(*bytes)) {
    return true;
  }
  const std::string& host = upstream.endpoint.base.origin.host;
  if (const std::optional<Bytes> named = read_address(host); named && *named == *bytes) {
    return true;
  }
  static const Network loopback_four = *read_network("127.0.0.0/8");
  static const Network loopback_six = *read_network("::1");
  if (control::is_loopback(host) && (contains(loopback_four, *bytes) || contains(loopback_six, *bytes))) {
    return true;
  }
  return std::any_of(settings.private_upstreams.begin(), settings.private_upstreams.end(), [&](const auto& text) {
    const std::optional<Network> network = read_network(text);
    return network && contains(*network, *bytes);
  });
}

}  // namespace plumb::proxy
