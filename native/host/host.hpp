// Host: drives the runs of a store. Many at once on few threads; a run that waits costs memory, no thread.
//
//   auto store = store::open_sqlite({.file = "runs.db"});
//   auto host = Host::open(*store.value(), fulfiller, settings);          // takes up every waiting run of the store
//   Result<Started> started = host.value()->start("artifact", known.prepare(request, texts).value());
//   host.value()->wait(started.value().id, 60'000);
//
// What it promises, whenever its process is killed:
//   - an entry is stored before anything of it is used: an attempt before its call, a reply before the pipeline;
//   - an effect whose reply was stored is never asked for again; one that was under way is made again at most once;
//   - what start(), cancel(), signal() and answer() have returned is stored.
//
// Effects: `claim` and `person` are the host's own, all others go to the Fulfiller. A `person` effect waits for
// answer(), or for a signal whose name is the request's `signal` ("decide" where it has none): the oldest such effect
// takes it. Deadlines count from the stamp of the first attempt, so a restart does not renew them.
//
// A broken assumption (PLUMB_REQUIRE) in a pipeline ends its run as failed, not the process, where the handler of
// isolated_call.hpp is installed. A run that this program cannot take up (another format, a later version, a pipeline
// that it does not know) stays waiting in the store untouched, and its summary says why. When the store cannot be
// written (disk full, read-only) the runs concerned halt where they are, their summary says why, and they go on after a
// restart.
//
// Hosts may share a store (native/store/sharing.hpp): one drives a run, any answers for it; a host that was not heard
// of finds its append refused, and drops the run.
//
// Whom a run asks is pinned in it (asked_of.hpp). Where this host would ask somebody else the effect is not begun, and
// the run's summary says why; all else of it goes on. resume() with a choice lets it, and the journal says so.
//
// All functions may be called from any thread; not from inside a Fulfiller's begin(). Errors are `not_found` for a run
// that is not there, `limit` where a bound was reached, `unavailable` for a store that fails and a host that is
// stopping.
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
  std::size_t runs_max = 10'000;                     // waiting at once; beyond, start() answers `limit`
  std::size_t effects_max = 256;                     // calls under way at once, over all runs; more wait in order
  std::uint64_t effect_ms_max = 600'000;             // of an effect without a deadline of its own; people have all time
  std::size_t watches_max = 1000;
  std::size_t told_max = 1024;  // that wait for one watcher
  run::MachineOptions machine = {};
  AskedOf asked_of = {};  // whom the fulfiller asks; empty: nobody keeps watch over it
  std::uint64_t keep_ms = std::uint64_t{30} * 24 * 3600 * 1000;  // of ended runs, looked at hourly; 0: for ever
  bool take_up = true;                                           // false: only what is started or resumed here
  std::function<std::uint64_t()> now_ms = {};                    // milliseconds since 1970; empty: the system's
  // A run has ended, and its last entry is stored. From any thread; must return soon.
  std::function<void(std::string_view id)> ended = {};
  // This host has stored entries of the run. As `ended`, and before it.
  std::function<void(std::string_view id, std::string_view pipeline)> stored = {};
  // The store cannot be written any more, or can again: why, or nothing. From any thread; must return soon.
  std::function<void(std::string_view problem)> store_fails = {};
  // Of a shared store: another host goes on with a run of this one; a run of another host has ended. As `ended`.
  std::function<void(std::string_view id, std::string_view why)> lost = {};
  std::function<void(std::string_view id)> ended_elsewhere = {};
};

struct StartOptions {
  std::string owner = {};
  // The Idempotency-Key of the request: with the same owner and key the same run is given, also when it has ended.
  std::string request_key = {};
  // The fingerprint that it must have here, where somebody prepared the same elsewhere (fingerprint_of()); empty: any.
  std::string same_as = {};
  // Whose the run is; empty: the operator's. Requests and fingerprints of two projects never meet.
  std::string project = {};
};
struct Started {
  std::string id;
  bool fresh = true;  // false: a waiting run with this fingerprint, or a run of this request key, was there already
};

struct Summary {
  store::RunRow row;
  std::string problem;                      // why a waiting run does not go on in this host; empty: it does
  bool held = false, stored_again = false;  // it would ask somebody else than it is pinned to; the store is tried again
  std::size_t under_way = 0;                // effects
};

// What a run of this has for a fingerprint in a host that asks these; empty where each is its own.
std::string fingerprint_of(const pipelines::Prepared& prepared, const AskedOf& asked_of);

// What the row of a run of this project has for a request's key: the key itself where it is nobody's.
std::string stored_request_key(std::string_view project, std::string_view request_key);

class Host {
 public:
  // The store and the fulfiller must outlive the host.
  static Result<std::unique_ptr<Host>> open(store::Store& store, Fulfiller& fulfiller, HostSettings settings);
  virtual ~Host() = default;  // as stop(0)

  // Stored when it returns.
  virtual Result<Started> start(std::string_view pipeline, pipelines::Prepared prepared, StartOptions options = {}) = 0;
  // A new run that begins with what this one had settled: forking.hpp. Stored when it returns.
  virtual Result<ForkStarted> fork(std::string_view id, ForkWish wish, GoOn with = GoOn::same) = 0;
  // Takes up a waiting run that this host has not (one that halted, or was imported). `by`: whose choice it is, for the
  // journal.
  virtual Result<Summary> resume(std::string_view id, GoOn with = GoOn::same, std::string_view by = {}) = 0;
  // False when the run has ended already. True is not yet the end: wait() for it.
  virtual Result<bool> cancel(std::string_view id, std::string_view why) = 0;
  virtual Result<bool> signal(std::string_view id, std::string_view name, run::Data value) = 0;
  // Answers a `person` effect. False when none of this key waits for an answer.
  virtual Result<bool> answer(std::string_view id, std::string_view key, run::Data value) = 0;

  virtual Result<Summary> summary(std::string_view id) = 0;
  virtual Result<store::Page> list(const store::ListQuery& query) = 0;
  // Entries from number `from` on, at most `entries_max`, each with the texts that no earlier entry needs.
  virtual Result<store::JournalPart> journal(std::string_view id, std::uint64_t from,
                                             std::size_t entries_max = 1000) = 0;
  // All that is stored of the run, as view() and log() of its pipeline take it. Callers at the same time share one.
  virtual Result<std::shared_ptr<const run::Journal>> snapshot(std::string_view id) = 0;
  virtual Result<std::unique_ptr<Watch>> watch(std::string_view id, std::uint64_t from) = 0;
  // Until it has ended, or the time is over: `row.state` says which.
  virtual Result<Summary> wait(std::string_view id, std::uint64_t timeout_ms) = 0;
  virtual Counts counts() const = 0;
  // Why nothing can be stored at present; empty: it can.
  virtual std::string store_problem() = 0;
  // A run that has ended goes from the store, with its journal.
  virtual Result<bool> remove(std::string_view id) = 0;

  // Begins nothing new; calls under way have `grace_ms` to end, and what comes of them is stored. Calls that take
  // longer are stopped and handed over: the journal says so, and the next host makes them again, however often that
  // happens. Afterwards only what reads still answers.
  virtual void stop(std::uint64_t grace_ms) = 0;
};

// Lets a run go on that waits for a person, because of pressure or a risk: answers all of its questions of that kind
// with "go on". How many there were.
Result<std::size_t> go_on(Host& host, std::string_view id);

}  // namespace plumb::host
