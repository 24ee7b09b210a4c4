// The state of a Policy, for policy*.cpp, call.cpp and maintenance.cpp. Calls share it, so it lives as long as the
// last of them.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "native/proxy/breaker_set.hpp"
#include "native/proxy/canary.hpp"
#include "native/proxy/client_tokens.hpp"
#include "native/proxy/ledger.hpp"
#include "native/proxy/policy.hpp"
#include "native/proxy/proxy_metrics.hpp"
#include "native/proxy/recent_statistics.hpp"
#include "native/proxy/recording.hpp"
#include "native/proxy/spans.hpp"

namespace plumb::proxy {

inline constexpr std::size_t failure_classes = 12;

struct UpstreamState {
  std::string name;
  BreakerSet breakers;
  Count calls{0};  // in progress
  Count tries{0};
  std::array<Count, failure_classes> failures = {};

  mutable std::mutex mutex;
  std::string last_failure;  // a class; never a provider's words
  std::uint64_t last_failure_ms = 0;
};

// Settings with the states of their upstreams, in the same order, and the headers sent to each.
struct Snapshot {
  std::shared_ptr<const Settings> settings;
  std::vector<std::shared_ptr<UpstreamState>> upstreams;
  std::vector<UpstreamHeaders> headers;
};

struct PolicyState {
  explicit PolicyState(PolicyOptions with)
      : idempotency(with.settings->idempotency),
        responses(with.settings->responses),
        log(std::move(with.log)),
        log_calls(with.log_calls) {}

  mutable std::mutex mutex;  // guards what follows
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const KeyTable> keys;
  std::string keys_problem;   // why every call is refused, or the old keys are kept
  bool keys_emptied = false;  // take_keys() has found the file empty for the first time; used by the maintenance
  std::map<std::string, std::shared_ptr<UpstreamState>> upstreams;
  std::string config_problem;  // of the last refused reload
  std::uint64_t config_taken_ms = 0;

  Ledger ledger;
  ProxyMetrics metrics;
  CanaryCounts canary;
  ClientTokens tokens;
  RecentStatistics live;
  SpanQueue spans;
  Recording recording;
  Idempotency idempotency;
  ResponseBook responses;
  std::function<void(std::string_view line)> log;
  const bool log_calls;
  std::atomic<bool> stopping{false};
  std::atomic<bool> trusts_proxies{false};  // the settings have trusted proxies; read for every request
  std::atomic<bool> records{false};         // the settings ask for it; the same

  std::shared_ptr<const Snapshot> now_used() const {
    const std::lock_guard lock(mutex);
    return snapshot;
  }
  std::shared_ptr<const KeyTable> known_keys() const {
    const std::lock_guard lock(mutex);
    return keys;
  }
  // Reads the file of client keys. Calls without a key are accepted only if no key was ever configured. If the file is
  // named, exists, has existed, or had keys in this process's life, they are refused. If the file is missing,
  // unreadable or without keys, every call is refused. If it has a mistake, the previous keys stay; at the start it is
  // the error. An empty file counts from the second time on (keys_emptied). Returns whether keys_problem has changed.
  Result<bool> take_keys(const Settings& settings);
  // The states of the settings' upstreams: known ones, and new ones.
  std::shared_ptr<const Snapshot> make_snapshot(std::shared_ptr<const Settings> settings);
  bool logs_calls(const Settings& settings) const { return log_calls && log && settings.log != LogKind::off; }
  void write(const std::string& line) const {
    if (log) {
      log(line);
    }
  }
};

// call_state.cpp: admission. The failure, or in `into` a call, or pending.
struct Beginning {
  const std::shared_ptr<PolicyState>& policy;
  const CallerPtr& caller;
  const Ask& ask;
  TimePoint now;
  std::uint64_t random;
};
std::optional<wire::Failure> begin_call(const Beginning& with, Begun& into);

// "FILE:LINE:COLUMN: the problem"
std::string sentence(const Error& error);

// Makes a refusal.
wire::Failure refusal(int status, wire::FailureClass failure_class, std::string code, std::string_view message,
                      std::optional<std::uint64_t> retry_after_ms = std::nullopt);

}  // namespace plumb::proxy
