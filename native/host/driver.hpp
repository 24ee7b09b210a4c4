// Driver: how a host drives the runs in memory; host.hpp has the guarantees. Internal to native/host.
//
// It schedules runs and connects its parts. Each part has one duty: the table of runs, the work queue, the calls and
// their slots, claims, storing, endings, watches, the other hosts of the store.
//
// Mutexes, in the order in which one thread takes them; other parts take none while they hold their own:
//   claims, or the table of runs  ->  a run  ->  slots, work queue, timer, a watch
// A worker uses its run's machine without a mutex (live_run.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/host/admission.hpp"
#include "native/host/applying.hpp"
#include "native/host/call_slots.hpp"
#include "native/host/calls.hpp"
#include "native/host/claims.hpp"
#include "native/host/contract_cache.hpp"
#include "native/host/endings.hpp"
#include "native/host/host.hpp"
#include "native/host/live_run.hpp"
#include "native/host/other_hosts.hpp"
#include "native/host/run_table.hpp"
#include "native/host/storing.hpp"
#include "native/host/timer.hpp"
#include "native/host/turns.hpp"
#include "native/host/watch_table.hpp"
#include "native/host/work_queue.hpp"

namespace plumb::host {

class Driver final : public Turns, public std::enable_shared_from_this<Driver> {
 public:
  Driver(store::Store& store, Fulfiller& fulfiller, HostSettings settings);

  const HostSettings& settings() const { return settings_; }
  store::Store& store() { return store_; }
  const Fulfiller& fulfiller() const { return fulfiller_; }
  RunTable& runs() { return runs_; }
  WatchTable& watches() { return watches_; }
  OtherHosts& others() { return others_; }
  std::uint64_t now_ms() const;
  run::MachineOptions machine_options();
  const pipelines::Known* known(std::string_view pipeline) const;

  // Starts the background work: takes up runs that other hosts leave, and removes old ones.
  void begin();
  // Adds a new run. `created` reports whether it was stored. `same` gets the id of an equal run, if there is one.
  Result<RunRef> add(store::RunRow row, run::Machine machine, std::string& same);
  std::optional<Error> created(const RunRef& run);
  // Takes up a waiting run of the store. The events of `first` are applied before any of its effects begins.
  Result<RunRef> take_up(const store::RunRow& row, std::vector<Event> first = {});
  void post(const RunRef& run, Event event) override;
  Counts counts();
  bool stopping() { return slots_.closed(); }
  void stop(std::uint64_t grace_ms);

 private:
  void schedule(const RunRef& run) override;
  std::shared_ptr<Turns> self() override { return shared_from_this(); }
  void turn(const RunRef& run);
  void work(const RunRef& run, RunPhase phase);
  void work_parked(const RunRef& run);
  store::Change step(LiveRun& run);
  RunPhase load(LiveRun& run);
  RunPhase park(LiveRun& run, std::string problem);
  void keep_answers(LiveRun& run);
  void settle(const RunRef& run);
  void remove_old();

  store::Store& store_;
  Fulfiller& fulfiller_;
  const HostSettings settings_;
  const std::shared_ptr<ContractCache> contracts_ = std::make_shared<ContractCache>();
  std::atomic<std::uint64_t> started_{0};
  RunTable runs_;
  WatchTable watches_;
  CallSlots slots_;
  Claims claims_;
  Calls calls_;
  Storing storing_;
  OtherHosts others_;
  Endings endings_;
  Admission admission_;
  Applying applying_;
  Timer timer_;  // destroyed first, so that its thread ends before the rest
  WorkQueue work_;
};

}  // namespace plumb::host
