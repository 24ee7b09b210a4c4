#include "native/provider/endpoint.hpp"

#include <algorithm>
#include <charconv>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/wire/facet.hpp"

namespace plumb::provider {

namespace {

constexpr std::size_t url_bytes_max = 2'048;
constexpr std::size_t key_bytes_max = 4'096;
constexpr std::uint16_t ollama_port = 11'434;

std::string below(const BaseUrl& base, std::string_view path, bool versioned) {
  return (base.path + (versioned && !base.path.ends_with("/v1") ? "/v1" : "")).append(path);
}

Error refused(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

bool is_host_character(char c) { return ascii::is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; }

bool is_address_character(char c) { return ascii::is_hex(c) || c == ':' || c == '.'; }

// "host", "host:port", "[::1]:port" into `origin`, whose port is set already.
bool read_authority(std::string_view text, Origin& origin) {
  std::string_view port;
  bool has_port = false;
  if (!text.empty() && text.front() == '[') {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) {
      return false;
    }
    origin.host = text.substr(1, end - 1);
    if (!std::all_of(origin.host.begin(), origin.host.end(), is_address_character)) {
      return false;
    }
    text.remove_prefix(end + 1);
    if (!text.empty()) {
      if (text.front() != ':') {
        return false;
      }
      has_port = true;
      port = text.substr(1);
    }
  } else {
    const std::size_t colon = text.find(':');
    has_port = colon != std::string_view::npos;
    origin.host = text.substr(0, colon);
    port = has_port ? text.substr(colon + 1) : std::string_view();
    if (!std::all_of(origin.host.begin(), origin.host.end(), is_host_character)) {
      return false;
    }
  }
  if (origin.host.empty() || origin.host.size() > 253) {
    return false;
  }
  if (has_port) {
    const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), origin.port);
    if (failed != std::errc() || end != port.data() + port.size() || origin.port == 0) {
      return false;
    }
  }
  origin.host = ascii::lower(origin.host);
  return true;
}

}  // namespace

std::string Origin::text() const {
  std::string out;
  append_to(out);
  return out;
}

void Origin::append_to(std::string& out) const {
  const bool of_six = host.find(':') != std::string::npos;
  out.append(of_six ? "[" : "").append(host).append(of_six ? "]" : "");
  if (port != (tls ? 443 : 80)) {
    out += ':';
    json::append_uint(out, port);
  }
}

std::string BaseUrl::text() const { return (origin.tls ? "https://" : "http://") + origin.text() + path; }

Result<BaseUrl> read_base_url(std::string_view text) {
  BaseUrl base;
  std::string_view rest = text;
  if (rest.size() > url_bytes_max) {
    return refused("the address is longer than 2,048 bytes");
  }
  for (char c : rest) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7F || c == '\\' || c == '"') {
      return refused("the address has a blank or a character that belongs in no address");
    }
  }
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    base.origin.tls = true;
    base.origin.port = 443;
    rest.remove_prefix(8);
  } else {
    return refused("an address begins with http:// or https://");
  }
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return refused("the address has a query or a fragment (? or #), which belongs in no base address");
  }
  const std::size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return refused("the address has a user name or key before an @: keys come from a variable or a file");
  }
  if (!read_authority(authority, base.origin)) {
    return refused("the address has no host and port that can be read");
  }
  base.path = slash == std::string_view::npos ? "" : rest.substr(slash);
  while (!base.path.empty() && base.path.back() == '/') {
    base.path.pop_back();
  }
  return base;
}

Result<BaseUrl> read_ollama_host(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '"')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '"')) {
    text.remove_suffix(1);
  }
  if (text.empty()) {
    return read_base_url("http://127.0.0.1:" + json::uint_text(ollama_port));
  }
  std::string url(text);
  if (text.find("://") == std::string_view::npos) {
    url = "http://" + std::string(text.front() == ':' ? "127.0.0.1" : "") + url;
    const std::size_t path = url.find('/', 7);
    const std::string_view authority = std::string_view(url).substr(7, path == std::string::npos ? path : path - 7);
    const std::size_t bracket = authority.rfind(']');
    if (authority.find(':', bracket == std::string_view::npos ? 0 : bracket) == std::string_view::npos) {
      url.insert(7 + authority.size(), ":" + std::to_string(ollama_port));
    }
  }
  Result<BaseUrl> base = read_base_url(url);
  if (base && base.value().origin.host == "0.0.0.0") {
    base.value().origin.host = "127.0.0.1";
  }
  return base;
}

Result<std::string> read_key(std::string_view text) {
  const std::string_view key = ascii::trim(text);
  if (key.empty()) {
    return refused("the key is empty");
  }
  if (key.size() > key_bytes_max) {
    return refused("the key is longer than 4,096 bytes");
  }
  for (char c : key) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7F) {
      return refused("the key has a blank, a line end or a character outside ASCII in it");
    }
  }
  return std::string(key);
}

std::string_view usual_base(wire::Wire wire) { return facet_of(wire).base; }

std::string Endpoint::target_of(std::string_view operation) const {
  const wire::Facet& facet = facet_of(wire);
  return below(base, "/", facet.versioned || facet.local).append(operation);
}

std::string Endpoint::target(wire::Wire in) const { return below(base, facet_of(in).call, facet_of(in).versioned); }

std::string Endpoint::list_target() const { return below(base, facet_of(wire).list, facet_of(wire).versioned); }

std::vector<HeaderField> Endpoint::headers(bool stream) const {
  const wire::Facet& facet = facet_of(wire);
  std::vector<HeaderField> fields = {{"content-type", "application/json"},
                                     {"accept", stream && !facet.lines ? "text/event-stream" : "application/json"},
                                     {"accept-encoding", "identity"},
                                     {"user-agent", "plumb/" PLUMB_VERSION}};
  if (!facet.version_header.empty()) {
    fields.push_back({std::string(facet.version_header), std::string(facet.version)});
  }
  if (!key.empty()) {
    fields.push_back({std::string(facet.key_header), std::string(facet.key_before) + key});
  }
  return fields;
}

}  // namespace plumb::provider
