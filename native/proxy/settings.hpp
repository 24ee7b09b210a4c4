// Settings: `proxy:` of plumb.yaml as read. Immutable. A call keeps the snapshot that it began with; a reload makes a
// new one (settings_file.hpp reads it, policy.hpp swaps it).
//
//   std::shared_ptr<const Settings> settings = policy.settings();
//   if (const Route* route = settings->route_of("fast")) ... route->targets ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pipelines/prompt.hpp"
#include "native/provider/endpoint.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/guard_settings.hpp"
#include "native/proxy/kept_settings.hpp"
#include "native/proxy/limits.hpp"
#include "native/proxy/network.hpp"

namespace plumb::proxy {

// A provider that can be called: address, key and timeouts.
struct Upstream {
  std::string name;  // "openai"
  provider::Endpoint endpoint;
  provider::ExchangeLimits exchange;
  bool completion_tokens = false;  // send max_completion_tokens, not max_tokens
  std::uint64_t calls_max = 0;     // maximum in progress; 0: unlimited
};

struct Target {
  std::size_t upstream = 0;  // index in Settings::upstreams
  std::string model;         // the provider's name for it; empty: as the client wrote it
  std::uint32_t weight = 1;
  Price price;
  std::string name;  // "openai/gpt-4o"
};

// A model name that clients use.
struct Route {
  std::string name;                     // "fast"; "*" passes any other name on to its target
  std::vector<Target> targets;          // one of these is chosen by weight
  std::vector<Target> fallbacks;        // then these, in order
  Limits limits;                        // for all keys together
  std::uint64_t output_tokens_max = 0;  // reserved if a request names no limit; 0: the default of Settings
};

struct Retries {
  unsigned retries_max = 2;  // retries of targets already tried; going to another target is not counted
  std::uint64_t backoff_ms = 250;
  std::uint64_t backoff_max_ms = 8'000;
  std::uint64_t retry_after_max_ms = 20'000;  // a provider that asks for a longer wait is not waited for
};

struct BreakerSettings {
  std::uint32_t failures_min = 5;    // and at least half of the calls
  std::uint64_t window_ms = 10'000;  // period for counting
  std::uint64_t open_ms = 10'000;    // then one call is let through
};

// Who judges rules that need a judge, in enforce and hold-back.
struct JudgeSettings {
  Route route;                                      // without targets: no judge
  std::uint64_t deadline_ms = 30'000;               // for all verdicts on one answer
  unsigned calls_max = 3;                           // per answer
  std::uint64_t output_tokens_max = 2'000;          // per verdict, reserved before asking
  bool answer_is_evidence = false;                  // a quote from the answer itself counts as evidence
  bool open_passes = true;                          // undecided rules pass
  std::shared_ptr<const pipelines::Prompt> prompt;  // the user's own prompt; null: the built-in one
  bool there() const { return !route.targets.empty(); }
};

struct Bounds {
  std::uint64_t body_bytes_max = 32U << 20;
  std::uint64_t answer_bytes_max = 256U << 20;
  std::size_t connections_max = 10'000;
  std::size_t connections_each_max = 2'000;  // per address
  std::uint64_t head_ms = 10'000;
  std::uint64_t body_ms = 60'000;         // per request
  std::uint64_t call_ms = 600'000;        // a whole call, including tries and repairs
  std::uint64_t client_idle_ms = 60'000;  // a connection without a request, or a client that does not read
  std::uint64_t keepalive_ms = 10'000;    // a comment is sent while nothing is released
  std::uint64_t stop_delay_ms = 0;        // from SIGTERM until the ports close, while /readyz says no
  std::uint64_t grace_ms = 30'000;        // then for open streams
  std::uint64_t steps_max = 100'000'000;  // maximum work to judge an answer, about ten nanoseconds each; 0: unlimited
};

// Versions of OpenTelemetry's semantic conventions for GenAI, whose names have changed. Collectors that wait for
// stable conventions know 1.36.
enum class Conventions : std::uint8_t { v1_36, v1_40, count_ };
std::string_view conventions_name(Conventions conventions);  // "1.40"

struct Telemetry {
  bool on = false;
  Conventions conventions = Conventions::v1_40;
  provider::BaseUrl otlp;  // "/v1/traces" is appended
  std::vector<provider::HeaderField> headers;
  std::string service = "plumb";
  std::uint32_t sampled_per_mille = 1000;  // for calls without a traceparent
};

enum class LogKind : std::uint8_t { off, text, json };

struct Settings {
  std::string file;                // the path of plumb.yaml, as shown
  std::vector<std::string> files;  // other files that were read or looked for: contracts, a prompt
  std::string host = "127.0.0.1";
  std::uint16_t port = 8788;
  unsigned threads = 0;  // 0: one per core
  std::vector<Upstream> upstreams;
  std::vector<Route> routes;
  Route through;  // where what is not read goes (`passthrough`); without targets: nowhere
  std::vector<std::pair<std::string, Price>> prices;  // for "openai/gpt-4o", or "openai" for its other models
  Limits each_key;                                    // unless the key has its own
  Limits all;
  std::map<std::string, Limits, std::less<>> projects;  // for all keys of a project together
  std::uint64_t output_tokens_max = 4'096;
  Retries retries;
  BreakerSettings breaker;
  Guarding guarding;
  JudgeSettings judge;
  CacheSettings idempotency{64U << 20, 4U << 20, 86'400'000};
  KeptSettings responses;
  std::vector<std::string> origins;  // CORS; "*" allows all
  // Networks such as "10.0.0.0/8"; upstreams given as addresses are included.
  std::vector<std::string> private_upstreams;
  std::vector<Network> trusted_proxies;  // their X-Forwarded-For is believed
  std::string keys_file;                 // absolute; empty: `keys: none`
  bool keys_wanted = false;              // the file was named: without a key in it all calls are refused
  std::string counters_file;             // absolute
  std::string share_at;                  // the NATS address for sharing limits and keys; "none", or empty
  std::string record_directory;          // for prompts and answers; empty: not kept
  Bounds bounds;
  Telemetry telemetry;
  LogKind log = LogKind::text;

  // The route with this name, else "*", else nullptr.
  const Route* route_of(std::string_view model) const;
  // For a target that passes names on: the price of the requested model.
  Price price_of(const Target& target, std::string_view model) const;
  const NamedContract* contract_named(std::string_view name) const;
};

}  // namespace plumb::proxy
