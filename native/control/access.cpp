#include "native/control/access.hpp"

#include <openssl/evp.h>

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/sha256.hpp"

namespace plumb::control {

namespace {

// "localhost:8787" -> "localhost"; "[::1]:8787" -> "::1".
std::string host_name(std::string_view host) {
  if (!host.empty() && host.front() == '[') {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? "" : ascii::lower(host.substr(1, end - 1));
  }
  return ascii::lower(host.substr(0, host.find(':')));
}

bool is_any_address(std::string_view host) { return host == "0.0.0.0" || host == "::"; }

bool is_ipv4(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return ascii::is_digit(c) || c == '.'; });
}

// What follows the user name in `Basic`; nothing where that cannot be read.
std::string basic_password(std::string_view encoded) {
  if (encoded.size() > 2 * token_bytes_max || encoded.size() % 4 != 0) {
    return "";
  }
  std::string decoded(encoded.size(), '\0');
  const int size =
      ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(decoded.data()),
                        reinterpret_cast<const unsigned char*>(encoded.data()), static_cast<int>(encoded.size()));
  // The padding is decoded too, as zeros, which no token has.
  decoded.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  while (!decoded.empty() && decoded.back() == '\0') {
    decoded.pop_back();
  }
  const std::size_t colon = decoded.find(':');
  return colon == std::string::npos ? "" : decoded.substr(colon + 1);
}

std::optional<Error> bad_token(const std::string& token, const char* where) {
  const bool visible = std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (token.size() >= token_bytes_min && token.size() <= token_bytes_max && visible) {
    return std::nullopt;
  }
  return Error{ErrorCode::invalid_argument,
               "the token must have " + std::to_string(token_bytes_min) + " to " + std::to_string(token_bytes_max) +
                   " visible ASCII characters; `openssl rand -hex 32` makes one",
               where, 0, 0};
}

// What a whole header holds: a token or a key. Empty: nothing that can be read.
std::string presented(std::string_view authorization) {
  const std::size_t space = authorization.find(' ');
  const std::string scheme = space == std::string_view::npos ? "" : ascii::lower(authorization.substr(0, space));
  if (scheme != "bearer" && scheme != "basic") {
    return "";
  }
  std::string_view rest = authorization.substr(space + 1);
  while (!rest.empty() && rest.front() == ' ') {
    rest.remove_prefix(1);
  }
  return scheme == "basic" ? basic_password(rest) : std::string(rest);
}

// Whether it holds what has this digest.
bool presents(std::string_view authorization, const std::string& wanted) {
  const std::string said = presented(authorization);
  // Digests have one length and tell nothing of the token, and all of them is compared.
  const std::string digest = json::sha256_hex(said);
  unsigned difference = 0;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    difference |= static_cast<unsigned char>(digest[i]) ^ static_cast<unsigned char>(wanted[i]);
  }
  return difference == 0;
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_ipv4(host));
}

Result<Access> Access::make(const std::string& host, const std::string& token, const std::vector<std::string>& names) {
  Access access;
  access.host_ = ascii::lower(host);
  for (const std::string& name : names) {
    access.names_.push_back(ascii::lower(name));
  }
  if (token.empty()) {
    if (!is_loopback(access.host_)) {
      return Error{ErrorCode::invalid_argument,
                   "other machines can reach this address, so a token is required: set PLUMB_TOKEN (or --token) to a "
                   "secret, `openssl rand -hex 32` makes one; clients then send it as `Authorization: Bearer TOKEN`",
                   "--host " + host, 0, 0};
    }
    return access;
  }
  if (std::optional<Error> error = bad_token(token, "--token")) {
    return *error;
  }
  access.token_digest_ = json::sha256_hex(token);
  return access;
}

std::optional<Error> Access::set_metrics_token(const std::string& token) {
  if (std::optional<Error> error = bad_token(token, "--metrics-token")) {
    return error;
  }
  metrics_digest_ = json::sha256_hex(token);
  if (metrics_digest_ == token_digest_) {
    return Error{ErrorCode::invalid_argument, "is the server's own token; one that only reads must be another",
                 "--metrics-token", 0, 0};
  }
  return std::nullopt;
}

bool Access::allows(std::string_view authorization) const {
  return !wants_token() || presents(authorization, token_digest_);
}

Admitted Access::admit(std::string_view authorization) const {
  const bool token = wants_token() && presents(authorization, token_digest_);
  if (const std::string said = token || !find_key_ ? std::string() : presented(authorization); !said.empty()) {
    FoundKey found = find_key_(said);
    if (!found.project.empty() || !found.refused.empty()) {
      return {found.refused.empty(), std::move(found.project), std::move(found.refused)};
    }
  }
  if (token || !wants_token()) {
    return {true, "", ""};
  }
  return {false, "", "Send the server's token, or a key of a project: `Authorization: Bearer TOKEN`."};
}

Access::AdmittedClient Access::admit_client(std::string_view authorization) const {
  if (wants_token() && presents(authorization, token_digest_)) {
    return {true, "", ""};
  }
  std::string said = presented(authorization);
  const FoundKey found = said.empty() || !find_key_ ? FoundKey{} : find_key_(said);
  if (found.client) {
    return {true, std::move(said), ""};
  }
  return {false, "",
          found.refused.empty() ? std::string("Send the server's token, or a client key: `Authorization: Bearer KEY`.")
                                : found.refused};
}

std::optional<Error> Access::set_origins(std::vector<std::string> origins) {
  for (const std::string& one : origins) {
    const std::size_t name = one.find("://");
    const bool good = (one.starts_with("https://") || one.starts_with("http://")) && name + 3 < one.size() &&
                      one.find_first_of("/?#@ \t\r\n", name + 3) == std::string::npos;
    if (!good) {
      return Error{ErrorCode::invalid_argument,
                   "'" + one + "' is not an origin: https://app.example.org is, without a path", "--allow-origin", 0,
                   0};
    }
  }
  if (!origins.empty() && !wants_token()) {
    return Error{ErrorCode::invalid_argument,
                 "pages of other origins may use this port only with a token: set PLUMB_TOKEN", "--allow-origin", 0, 0};
  }
  origins_ = std::move(origins);
  return std::nullopt;
}

bool Access::allows_origin(std::string_view origin) const {
  return !origin.empty() && std::find(origins_.begin(), origins_.end(), origin) != origins_.end();
}

bool Access::allows_metrics(std::string_view authorization) const {
  return allows(authorization) || (!metrics_digest_.empty() && presents(authorization, metrics_digest_));
}

bool Access::is_our_host(std::string_view host_header) const {
  if (is_any_address(host_)) {
    return true;
  }
  const std::string name = host_name(host_header);
  return is_loopback(name) || name == host_ || std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool Access::is_our_origin(std::string_view origin_header, std::string_view host_header) {
  if (origin_header.empty()) {
    return true;
  }
  const std::size_t scheme = origin_header.find("://");
  return scheme != std::string_view::npos &&
         ascii::lower(origin_header.substr(scheme + 3)) == ascii::lower(host_header);
}

}  // namespace plumb::control
