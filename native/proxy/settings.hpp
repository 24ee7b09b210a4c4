// Settings: `proxy:` of plumb.yaml as it was read, never changed afterwards. A call keeps the snapshot that it began
// with; a reload makes another one (settings_file.hpp reads it, policy.hpp swaps it).
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

// A provider that can be called: where, with what key, within what times.
struct Upstream {
  std::string name;  // "openai"
  provider::Endpoint endpoint;
  provider::ExchangeLimits exchange;
  bool completion_tokens = false;  // max_completion_tokens, not max_tokens
  std::uint64_t calls_max = 0;     // in progress at once; 0: no bound of its own
};

struct Target {
  std::size_t upstream = 0;  // in Settings::upstreams
  std::string model;         // as the provider knows it; empty: as the client wrote it
  std::uint32_t weight = 1;
  Price price;
  // "openai/gpt-4o"
  std::string name;
};

// A name that clients ask for.
struct Route {
  std::string name;                     // "fast"; "*" passes any other name on to its target
  std::vector<Target> targets;          // one of these, by weight
  std::vector<Target> fallbacks;        // then these, in their order
  Limits limits;                        // of all keys together
  std::uint64_t output_tokens_max = 0;  // reserved where a request says none; 0: Settings' own
};

struct Retries {
  unsigned retries_max = 2;  // of targets that have been tried; moving on to another target is not counted
  std::uint64_t backoff_ms = 250;
  std::uint64_t backoff_max_ms = 8'000;
  std::uint64_t retry_after_max_ms = 20'000;  // a provider that asks for more is not waited for
};

struct BreakerSettings {
  std::uint32_t failures_min = 5;    // and at least half of the calls
  std::uint64_t window_ms = 10'000;  // counted over this time
  std::uint64_t open_ms = 10'000;    // then one call is let through
};

// Who is asked for what rules leave to a judge, in enforce and hold-back.
struct JudgeSettings {
  Route route;                                      // without targets: there is none
  std::uint64_t deadline_ms = 30'000;               // of all judgements of an answer
  unsigned calls_max = 3;                           // of an answer
  std::uint64_t output_tokens_max = 2'000;          // of a judgement, reserved before it is asked for
  bool answer_is_evidence = false;                  // a quote of the answer itself proves something too
  bool open_passes = true;                          // what it leaves open
  std::shared_ptr<const pipelines::Prompt> prompt;  // the user's own; null: the built-in one
  bool there() const { return !route.targets.empty(); }
};

struct Bounds {
  std::uint64_t body_bytes_max = 32U << 20;
  std::uint64_t answer_bytes_max = 256U << 20;
  std::size_t connections_max = 10'000;
  std::size_t connections_each_max = 2'000;  // of one address
  std::uint64_t head_ms = 10'000;
  std::uint64_t body_ms = 60'000;         // of a request
  std::uint64_t call_ms = 600'000;        // a whole call, tries and repairs included
  std::uint64_t client_idle_ms = 60'000;  // a connection without a request; a client that does not read
  std::uint64_t keepalive_ms = 10'000;    // a comment while nothing is released
  std::uint64_t stop_delay_ms = 0;        // between SIGTERM and the ports' closing, while /readyz says no
  std::uint64_t grace_ms = 30'000;        // for open streams then
  std::uint64_t steps_max = 100'000'000;  // of work to judge an answer, some ten nanoseconds each; 0: no bound
};

// Revisions of OpenTelemetry's semantic conventions for GenAI, whose names have changed: 1.36 is what collectors know
// that wait for the conventions to be stable.
enum class Conventions : std::uint8_t { v1_36, v1_40, count_ };
std::string_view conventions_name(Conventions conventions);  // "1.40"

struct Telemetry {
  bool on = false;
  Conventions conventions = Conventions::v1_40;
  provider::BaseUrl otlp;  // "/v1/traces" is added
  std::vector<provider::HeaderField> headers;
  std::string service = "plumb";
  std::uint32_t sampled_per_mille = 1000;  // of calls whose client sends no traceparent
};

enum class LogKind : std::uint8_t { off, text, json };

struct Settings {
  std::string file;                // plumb.yaml, as it is shown
  std::vector<std::string> files;  // what else was read, or would have been had it been there: contracts, a prompt
  std::string host = "127.0.0.1";
  std::uint16_t port = 8788;
  unsigned threads = 0;  // 0: a core each
  std::vector<Upstream> upstreams;
  std::vector<Route> routes;
  std::vector<std::pair<std::string, Price>> prices;  // "openai/gpt-4o", or "openai" for all else that it has
  Limits each_key;                                    // where a key says nothing
  Limits all;
  std::map<std::string, Limits, std::less<>> projects;  // of all keys of a project together
  std::uint64_t output_tokens_max = 4'096;
  Retries retries;
  BreakerSettings breaker;
  Guarding guarding;
  JudgeSettings judge;
  CacheSettings idempotency{64U << 20, 4U << 20, 86'400'000};
  KeptSettings responses;
  std::vector<std::string> origins;            // CORS; "*" allows all
  std::vector<std::string> private_upstreams;  // networks such as "10.0.0.0/8"; upstreams written as an address are in
  std::vector<Network> trusted_proxies;        // what these say of the client's address is believed
  std::string keys_file;                       // absolute; empty: `keys: none`
  bool keys_wanted = false;                    // the file was named: without a key in it nobody is answered
  std::string counters_file;                   // absolute
  std::string share_at;                        // a NATS address: limits and keys are shared over it; "none", or empty
  std::string record_directory;                // prompts and answers; empty: not kept
  Bounds bounds;
  Telemetry telemetry;
  LogKind log = LogKind::text;

  // By its name, else "*"; nullptr where neither is there.
  const Route* route_of(std::string_view model) const;
  // Of a target that passes names on: of the model that it is asked for.
  Price price_of(const Target& target, std::string_view model) const;
  const NamedContract* contract_named(std::string_view name) const;
};

}  // namespace plumb::proxy
