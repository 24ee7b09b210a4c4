// Host: drives the runs of a store, many at once on few threads. A waiting run uses memory, but no thread.
//
//   auto store = store::open_sqlite({.file = "runs.db"});
//   auto host = Host::open(*store.value(), fulfiller, settings);          // takes up every waiting run of the store
//   Result<Started> started = host.value()->start("artifact", known.prepare(request, texts).value());
//   host.value()->wait(started.value().id, 60'000);
//
// Guarantees, even if the process is killed at any moment:
//   - An entry is stored before it has any effect: an attempt before its call, a reply before the pipeline sees it.
//   - An effect with a stored reply is never repeated. An effect in progress is repeated at most once.
//   - Everything that start(), cancel(), signal() and answer() have reported is stored.
//
// Effects: the host performs `claim` and `person` itself, the Fulfiller all others. A `person` effect waits for
// answer(), or for the signal named in its `signal` ("decide" by default); the oldest takes it. A `model` effect of a
// client (core/run/person.hpp) waits for reply(). Deadlines count from the first attempt, also after a restart.
//
// If an assumption (PLUMB_REQUIRE) breaks in a pipeline, its run fails and the process continues, provided that the
// handler of isolated_call.hpp is installed. A run that this program cannot take up (another format, a later version,
// an unknown pipeline) stays in the store unchanged. If the store cannot be written, its runs stop until a restart.
// Summaries say why.
//
// Hosts may share a store (native/store/sharing.hpp): one drives a run, any answers for it. A host that was not heard
// of for a while finds its append refused, and drops the run, which another host has taken.
//
// A run is pinned to the providers that it asks (asked_of.hpp). If this host would ask others, the effect does not
// begin, the summary says why, and the rest continues. resume() with a choice allows it; the journal notes the choice.
//
// All functions may be called from any thread, but not inside a Fulfiller's begin(). Errors: `not_found` if there is
// no such run, `limit` if a bound is reached, `unavailable` if the store fails or the host is stopping.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/counts.hpp"
#include "native/host/forking.hpp"
#include "native/host/fulfil.hpp"
#include "native/host/watch.hpp"
#include "native/store/store.hpp"

namespace plumb::host {

struct HostSettings {
  std::span<const pipelines::Known> pipelines = {};  // known_pipelines(), or a test's own
  std::size_t workers = 2;                           // threads that step runs
  std::size_t runs_max = 10'000;                     // maximum of waiting runs; start() then answers `limit`
  std::size_t effects_max = 256;                     // maximum of calls in progress, over all runs; more are queued
  std::uint64_t effect_ms_max = 600'000;             // deadline in ms for effects without one; people have no deadline
  std::size_t watches_max = 1000;
  std::size_t told_max = 1024;  // maximum of reports queued for one watcher
  run::MachineOptions machine = {};
  AskedOf asked_of = {};  // whom the fulfiller asks; empty: not checked
  // Removes ended runs after this time, checked hourly; 0: never.
  std::uint64_t keep_ms = std::uint64_t{30} * 24 * 3600 * 1000;
  bool take_up = true;                         // false: drives only runs started or resumed here
  std::function<std::uint64_t()> now_ms = {};  // milliseconds since 1970; empty: the system clock
  // Called when a run has ended and its last entry is stored. From any thread; must return soon.
  std::function<void(std::string_view id)> ended = {};
  // Called when this host has stored entries of a run, before `ended`. From any thread; must return soon.
  std::function<void(std::string_view id, std::string_view pipeline)> stored = {};
  // Called when the store cannot be written, with the reason; with an empty text when it can again. As `ended`.
  std::function<void(std::string_view problem)> store_fails = {};
  // For a shared store: another host has taken over a run of this one, or has ended a run. As `ended`.
  std::function<void(std::string_view id, std::string_view why)> lost = {};
  std::function<void(std::string_view id)> ended_elsewhere = {};
};

struct StartOptions {
  std::string owner = {};
  // The request's Idempotency-Key. Starting again with the same owner and key returns the same run, even an ended one.
  std::string request_key = {};
  // The fingerprint that the prepared run must have here, if it was prepared elsewhere (fingerprint_of()). Empty: any.
  std::string same_as = {};
  // The owning project; empty for the operator. Requests and fingerprints of different projects never match.
  std::string project = {};
};
struct Started {
  std::string id;
  bool fresh = true;  // false: a waiting run with this fingerprint, or a run with this request key, existed already
};

struct Summary {
  store::RunRow row;
  std::string problem;  // why a waiting run does not continue on this host; empty if it does
  // Held: this host would ask another provider; stored_again: an append is being retried.
  bool held = false, stored_again = false;
  std::size_t under_way = 0;  // effects in progress
};

// The fingerprint of such a run on a host with these providers. Empty if every run of its kind is distinct.
std::string fingerprint_of(const pipelines::Prepared& prepared, const AskedOf& asked_of);

// The request key as a run's row stores it for a project; unchanged if there is no project.
std::string stored_request_key(std::string_view project, std::string_view request_key);

class Host {
 public:
  // The store and the fulfiller must outlive the host.
  static Result<std::unique_ptr<Host>> open(store::Store& store, Fulfiller& fulfiller, HostSettings settings);
  virtual ~Host() = default;  // the same as stop(0)

  // Starts a run. It is stored when this returns.
  virtual Result<Started> start(std::string_view pipeline, pipelines::Prepared prepared, StartOptions options = {}) = 0;
  // Starts a new run from the finished part of another one (forking.hpp). It is stored when this returns.
  virtual Result<ForkStarted> fork(std::string_view id, ForkWish wish, GoOn with = GoOn::same) = 0;
  // Takes up a waiting run that had stopped or was imported. `by` names in the journal who made the choice.
  virtual Result<Summary> resume(std::string_view id, GoOn with = GoOn::same, std::string_view by = {}) = 0;
  // False if the run has already ended. True does not mean that it has ended yet: use wait().
  virtual Result<bool> cancel(std::string_view id, std::string_view why) = 0;
  virtual Result<bool> signal(std::string_view id, std::string_view name, run::Data value) = 0;
  // Answer a `person` effect, or a question to a client. False if none with this key is waiting.
  virtual Result<bool> answer(std::string_view id, std::string_view key, run::Data value) = 0;
  virtual Result<bool> reply(std::string_view id, std::string_view key, const run::Reply& reply) = 0;

  virtual Result<Summary> summary(std::string_view id) = 0;
  virtual Result<store::Page> list(const store::ListQuery& query) = 0;
  // Entries from number `from` on, at most `entries_max`, each with the texts that no earlier entry includes.
  virtual Result<store::JournalPart> journal(std::string_view id, std::uint64_t from,
                                             std::size_t entries_max = 1000) = 0;
  // The whole stored journal, as a pipeline's view() and log() take it. Concurrent callers share one copy.
  virtual Result<std::shared_ptr<const run::Journal>> snapshot(std::string_view id) = 0;
  virtual Result<std::unique_ptr<Watch>> watch(std::string_view id, std::uint64_t from) = 0;
  // Waits until the run has ended or the time is over; `row.state` tells which.
  virtual Result<Summary> wait(std::string_view id, std::uint64_t timeout_ms) = 0;
  virtual Counts counts() const = 0;
  // Why the store cannot be written at present; empty if it can.
  virtual std::string store_problem() = 0;
  // Removes an ended run and its journal from the store.
  virtual Result<bool> remove(std::string_view id) = 0;

  // Stops the host. No new effect begins. Calls in progress have `grace_ms` milliseconds to finish, and their results
  // are stored. Longer calls are stopped and handed over: the journal notes it, and the next host repeats them,
  // without counting them as lost. Afterwards only the reading functions work.
  virtual void stop(std::uint64_t grace_ms) = 0;
};

// Lets a run continue that waits for a person because of pressure or a risk: answers all such questions with "go on".
// Returns their number.
Result<std::size_t> go_on(Host& host, std::string_view id);

}  // namespace plumb::host
