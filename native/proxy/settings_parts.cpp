// The parts of `proxy:` that depend on no other.
#include <algorithm>
#include <charconv>

#include "native/control/access.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/client_keys.hpp"
#include "native/proxy/settings_reader.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t hour_ms = 3'600'000;
constexpr std::uint64_t ms_max = 24 * hour_ms;
constexpr std::uint64_t gigabyte = 1U << 30;

}  // namespace

// "127.0.0.1:8788", "[::1]:8788", ":8788", "8788".
void SettingsReader::listen(const YAML::Node& proxy) {
  std::string said;
  text_of(proxy, "listen", said);
  if (error || said.empty()) {
    return;
  }
  const Result<ListenAddress> address = read_listen(said);
  if (!address) {
    wrong(proxy["listen"], "'listen: " + said + "': " + address.error().message);
    return;
  }
  settings.host = address.value().host;
  settings.port = address.value().port;
}

void SettingsReader::limits(const YAML::Node& map_with, const char* key, Limits& into) {
  const YAML::Node node = map_with[key];
  if (!node || !map(node, key, "proxy.limits")) {
    return;
  }
  for (const LimitField& field : limit_fields) {
    std::string said;
    text_of(node, std::string(field.name).c_str(), said);
    if (error || said.empty()) {
      continue;
    }
    const std::optional<std::uint64_t> value = read_limit(field, said);
    if (!value) {
      wrong(node[std::string(field.name)],
            "'" + std::string(field.name) + ": " + said +
                "': " + (field.money ? "must be dollars above 0, such as 1.50" : "must be a whole number above 0") +
                "; without it there is no limit");
      return;
    }
    into.*field.member = *value;
  }
}

// {acme: {usd_per_day: 20}}: by the names that keys have.
void SettingsReader::projects(const YAML::Node& proxy) {
  const YAML::Node node = proxy["projects"];
  if (error || !node) {
    return;
  }
  if (!node.IsMap()) {
    return wrong(node, "'projects' must be a map from a project's name to its limits, not " + plumb::yaml_kind(node));
  }
  for (const auto& member : node) {
    std::string name;
    keep(text(member.first, "projects", name));
    if (!error && !is_project_name(name)) {
      wrong(member.first, "'" + name + "': a project's name has 1 to 32 letters, digits, '-' and '_'");
    }
    if (error) {
      return;
    }
    limits(node, name.c_str(), settings.projects[name]);
  }
}

void SettingsReader::retries(const YAML::Node& proxy) {
  const YAML::Node node = proxy["retries"];
  if (!node || !map(node, "retries", "proxy.retries")) {
    return;
  }
  std::uint64_t tries = settings.retries.retries_max;
  number(node, "max", 0, 10, tries);
  settings.retries.retries_max = static_cast<unsigned>(tries);
  number(node, "backoff_ms", 1, 60'000, settings.retries.backoff_ms);
  number(node, "backoff_max_ms", 1, 600'000, settings.retries.backoff_max_ms);
  number(node, "retry_after_max_ms", 0, hour_ms, settings.retries.retry_after_max_ms);
}

void SettingsReader::breaker(const YAML::Node& proxy) {
  const YAML::Node node = proxy["breaker"];
  if (!node || !map(node, "breaker", "proxy.breaker")) {
    return;
  }
  std::uint64_t failures = settings.breaker.failures_min;
  number(node, "failures", 1, 100'000, failures);
  settings.breaker.failures_min = static_cast<std::uint32_t>(failures);
  number(node, "window_ms", 100, hour_ms, settings.breaker.window_ms);
  number(node, "open_ms", 1, hour_ms, settings.breaker.open_ms);
}

void SettingsReader::stored(const YAML::Node& proxy, const char* key, CacheSettings& into) {
  const YAML::Node node = proxy[key];
  if (!node || error) {
    return;
  }
  if (node.IsScalar() && node.Scalar() == "off") {
    into.bytes_max = 0;
    return;
  }
  if (!map(node, key, "proxy.idempotency")) {
    return;
  }
  bytes(node, "bytes", 64 * gigabyte, into.bytes_max);
  bytes(node, "entry_bytes", gigabyte, into.entry_bytes_max);
  std::uint64_t ttl_s = into.ttl_ms / 1000;
  number(node, "ttl_s", 1, std::uint64_t{31} * 86'400, ttl_s);
  into.ttl_ms = ttl_s * 1000;
}

void SettingsReader::kept_responses(const YAML::Node& proxy) {
  const YAML::Node node = proxy["responses"];
  if (!node || error || !map(node, "responses", "proxy.responses")) {
    return;
  }
  std::uint64_t entries = settings.responses.entries_max;
  number(node, "entries", 1, 10'000'000, entries);
  settings.responses.entries_max = entries;
  std::uint64_t ttl_s = settings.responses.ttl_ms / 1000;
  number(node, "ttl_s", 1, std::uint64_t{366} * 86'400, ttl_s);
  settings.responses.ttl_ms = ttl_s * 1000;
}

void SettingsReader::bounds(const YAML::Node& proxy) {
  const YAML::Node node = proxy["bounds"];
  if (!node || !map(node, "bounds", "proxy.bounds")) {
    return;
  }
  Bounds& into = settings.bounds;
  bytes(node, "body", gigabyte, into.body_bytes_max);
  bytes(node, "answer", 4 * gigabyte, into.answer_bytes_max);
  std::uint64_t connections = into.connections_max;
  number(node, "connections", 1, 1'000'000, connections);
  into.connections_max = connections;
  std::uint64_t each = std::min<std::uint64_t>(into.connections_each_max, connections);
  number(node, "connections_each", 1, 1'000'000, each);
  into.connections_each_max = each;
  number(node, "head_ms", 100, ms_max, into.head_ms);
  number(node, "body_ms", 100, ms_max, into.body_ms);
  number(node, "call_ms", 100, ms_max, into.call_ms);
  number(node, "client_idle_ms", 100, ms_max, into.client_idle_ms);
  number(node, "keepalive_ms", 100, ms_max, into.keepalive_ms);
  number(node, "stop_delay_ms", 0, ms_max, into.stop_delay_ms);
  number(node, "grace_ms", 0, ms_max, into.grace_ms);
  number(node, "steps", 0, 1'000'000'000'000, into.steps_max);
}

void SettingsReader::telemetry(const YAML::Node& proxy) {
  const YAML::Node node = proxy["telemetry"];
  if (!node || !map(node, "telemetry", "proxy.telemetry")) {
    return;
  }
  std::string address;
  text_of(node, "otlp", address);
  if (error) {
    return;
  }
  if (address.empty()) {
    wrong(node, "'telemetry' has no 'otlp': give it the address of a collector, such as http://127.0.0.1:4318");
    return;
  }
  Result<provider::BaseUrl> base = provider::read_base_url(address);
  if (!base) {
    wrong(node["otlp"], "'otlp': " + base.error().message + ", such as http://127.0.0.1:4318");
    return;
  }
  settings.telemetry.on = true;
  settings.telemetry.otlp = std::move(base).value();
  text_of(node, "service", settings.telemetry.service);
  if (const auto said = choice(node, "conventions", {"1.36", "1.40"})) {
    settings.telemetry.conventions = *said == "1.36" ? Conventions::v1_36 : Conventions::v1_40;
  }
  std::string sampled;
  text_of(node, "sampled", sampled);
  if (!error && !sampled.empty()) {
    const std::optional<std::uint64_t> share = read_decimal(sampled, 3);
    if (!share || *share > 1000) {
      wrong(node["sampled"], "'sampled: " + sampled + "': must be a share from 0 to 1 with at most three decimals");
    }
    settings.telemetry.sampled_per_mille = static_cast<std::uint32_t>(share.value_or(0));
  }
  const YAML::Node headers = node["headers_env"];
  if (!headers || error) {
    return;
  }
  if (!headers.IsMap()) {
    wrong(headers, "'headers_env' must be a map from header to the variable that holds its value");
    return;
  }
  for (const auto& member : headers) {
    std::string variable;
    keep(text(member.second, member.first.Scalar(), variable));
    const std::string* value = provider::find_variable(input.variables, variable);
    if (!error && value == nullptr) {
      wrong(member.second, "the variable " + variable + ", which is to hold a header for the collector, is not set");
    }
    if (!error) {
      settings.telemetry.headers.push_back({member.first.Scalar(), *value});
    }
  }
}

// An origin as browsers send it: scheme, host and port, nothing behind.
void SettingsReader::origins(const YAML::Node& proxy) {
  for (const std::string& origin : texts(proxy, "origins")) {
    if (!error && origin != "*" && !is_origin(origin)) {
      wrong(proxy["origins"],
            "'" + origin + "' is not an origin: https://app.example.org is, without a path; \"*\" is all");
    }
    settings.origins.push_back(origin);
  }
}

void SettingsReader::networks(const YAML::Node& proxy) {
  for (const std::string& network : texts(proxy, "private_upstreams")) {
    if (!error && !read_network(network)) {
      wrong(proxy["private_upstreams"],
            "'" + network + "' is not a network: must be like 10.0.0.0/8 or fd00::/8, or a single address");
    }
    settings.private_upstreams.push_back(network);
  }
  for (const std::string& said : texts(proxy, "trusted_proxies")) {
    const std::optional<Network> network = read_network(said);
    if (!error && !network) {
      wrong(proxy["trusted_proxies"],
            "'" + said + "' is not a network: must be like 10.0.0.0/8 or fd00::/8, or a single address");
    }
    settings.trusted_proxies.push_back(network.value_or(Network{}));
  }
}

}  // namespace plumb::proxy
