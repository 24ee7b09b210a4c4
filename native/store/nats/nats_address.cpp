#include "native/store/nats/nats_address.hpp"

#include <algorithm>
#include <charconv>

namespace plumb::store {

namespace {

constexpr std::size_t servers_max = 16;
constexpr std::size_t name_max = 32;

Error wrong(std::string message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

// With the port that it has when it names none. Empty: it is none.
std::string server_of(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  const std::string_view host = has_port ? text.substr(0, colon) : text;
  const bool bare_colon = bracket == std::string_view::npos && host.find(':') != std::string_view::npos;
  const bool sound = !host.empty() && !bare_colon && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(".-_:[]").find(c) != std::string_view::npos;
  });
  if (!sound || (has_port && !is_port(text.substr(colon + 1)))) {
    return {};
  }
  return std::string(host) + ":" + std::string(has_port ? text.substr(colon + 1) : "4222");
}

bool read_options(std::string_view text, NatsAddress& address) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (one == "replicas=1" || one == "replicas=3" || one == "replicas=5") {
      address.replicas = one.back() - '0';
    } else if (one == "sync=always") {
      address.sync_always = true;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_nats_address(std::string_view text) { return text.rfind("nats://", 0) == 0 || text.rfind("tls://", 0) == 0; }

void set_login(NatsAddress& address, std::string_view login) {
  while (!login.empty() && (login.back() == '\n' || login.back() == '\r')) {
    login.remove_suffix(1);
  }
  const std::size_t colon = login.find(':');
  address.user = colon == std::string_view::npos ? std::string_view() : login.substr(0, colon);
  address.password = colon == std::string_view::npos ? std::string_view() : login.substr(colon + 1);
  address.token = colon == std::string_view::npos ? login : std::string_view();
}

Result<NatsAddress> read_nats_address(std::string_view text) {
  NatsAddress out;
  out.tls = text.rfind("tls://", 0) == 0;
  const std::string scheme = out.tls ? "tls://" : "nats://";
  std::string_view rest = text.substr(scheme.size());
  const std::size_t at = rest.rfind('@', rest.find('/'));
  if (at != std::string_view::npos) {
    set_login(out, rest.substr(0, at));
    rest.remove_prefix(at + 1);
  }
  out.shown = scheme + std::string(rest);
  const std::size_t slash = rest.find('/');
  std::string_view hosts = rest.substr(0, slash);
  const std::string_view path = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  const std::size_t question = path.find('?');
  out.name = path.substr(0, question);
  while (!hosts.empty()) {
    const std::string_view one = hosts.substr(0, hosts.find(','));
    hosts.remove_prefix(std::min(hosts.size(), one.size() + 1));
    const std::string server = server_of(one);
    if (server.empty() || out.servers.size() == servers_max) {
      return wrong(server.empty() ? "'" + std::string(one) + "' is not a HOST or HOST:PORT"
                                  : "names more than " + std::to_string(servers_max) + " servers",
                   out.shown);
    }
    out.servers.push_back(scheme + server);
  }
  const bool plain = std::all_of(out.name.begin(), out.name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (out.servers.empty() || out.name.empty() || out.name.size() > name_max || !plain) {
    return wrong("an address of a store is " + scheme +
                     "HOST:PORT[,HOST2:PORT2...]/NAME, where NAME is letters, digits, "
                     "'-' and '_', at most 32",
                 out.shown);
  }
  if (question != std::string_view::npos && !read_options(path.substr(question + 1), out)) {
    return wrong("after '?' there may be replicas=1, replicas=3, replicas=5 and sync=always, with '&' between",
                 out.shown);
  }
  return out;
}

}  // namespace plumb::store
