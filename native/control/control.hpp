// What the routes work with: the host and its runs, and what is counted and remembered.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "native/control/answered_keys.hpp"
#include "native/control/check_places.hpp"
#include "native/control/ended_jobs.hpp"
#include "native/control/events_view.hpp"
#include "native/control/exchange.hpp"
#include "native/control/keys_view.hpp"
#include "native/control/metrics.hpp"
#include "native/control/proxy_view.hpp"
#include "native/host/host.hpp"
#include "native/workflow/repositories.hpp"

namespace plumb::control {

inline constexpr std::size_t streams_max = 200;
inline constexpr std::uint64_t keepalive_ms = 15'000;
inline constexpr std::uint64_t check_steps_usual = 200'000'000;

// What all who ask share: those of projects have a Control of their own (dispatch.cpp).
struct Serving {
  CheckPlaces checks = {};
  std::atomic<bool> leaving{false};   // soon: /readyz says so, all else is as before
  std::atomic<bool> stopping{false};  // no new requests; streams are told and closed
  std::atomic<std::uint64_t> marks{0};
};

struct Control {
  host::Host* host = nullptr;  // there before the server runs
  std::span<const pipelines::Known> pipelines;
  pipelines::Texts texts;
  Metrics& metrics;
  EndedJobs& ended_jobs;
  AnsweredKeys& keys;
  std::string version;
  std::uint64_t hash_seed = 0;
  std::uint64_t check_steps_max = check_steps_usual;  // of a check; 0: no bound
  ProxyView proxy = {};                               // where one runs; there before the server runs
  KeysView client_keys = {};                          // where the host keeps some; likewise
  EventsView events = {};                             // where events are told; likewise
  // Those that workflows may work on, and who does `worktree` effects in them; there before the server runs.
  workflow::Repositories repositories = {};
  host::Fulfiller* trees = nullptr;
  std::vector<std::string> roots = {};  // of files that a request may name
  bool searches = false;                // whether `search` effects can be done
  std::string project = {};             // that `host` is of; empty: the operator's, who sees all
  std::shared_ptr<Serving> serving = std::make_shared<Serving>();

  // A mark that no other signal of this server has, nor one of an earlier server's: to find what became of it.
  std::string next_mark();

  const pipelines::Known* known(std::string_view pipeline) const;
};

// The answer that `work` makes on a thread whose broken assumptions end the work, not the server (isolated_call.hpp).
// It must own, or share, all that it uses.
Answer isolated(std::string_view what, std::function<Answer()> work);
// 500, with an error that only a bug of ours can have made; logged too.
Answer refuse_as_bug(std::string_view what, const Error& error);

// The number in a query, or the answer that says what is wrong with it.
struct AskedNumber {
  std::uint64_t number = 0;
  std::optional<Answer> refused;
};
AskedNumber asked_number(const Request& request, std::string_view name, std::uint64_t otherwise, std::uint64_t min,
                         std::uint64_t max);
// Refuses a query with other names than these: a misspelt one would be passed over.
std::optional<Answer> unknown_query(const Request& request, std::initializer_list<std::string_view> known);

}  // namespace plumb::control
