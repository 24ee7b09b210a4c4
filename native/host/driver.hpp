// Driver: what a host does with the runs in memory (host.hpp says what it promises). Internal to native/host.
//
// It gives runs their turns, and puts its parts together, each of which keeps one thing: the table of runs, the work
// queue, the calls under way and their slots, claims, storing, endings, watches, the other hosts of the store.
//
// Mutexes, in the order in which one thread takes them; parts that are not named take none while they hold theirs:
//   claims, or the table of runs  ->  a run  ->  slots, work queue, timer, a watch
// A worker has the machine of its run without a mutex (live_run.hpp).
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

  // From now on it goes on by itself: what other hosts leave is taken up, what is old is removed.
  void begin();
  // A new run; stored, or refused, when `created` has said so. `same`: there is one already.
  Result<RunRef> add(store::RunRow row, run::Machine machine, std::string& same);
  std::optional<Error> created(const RunRef& run);
  // Takes up a waiting run of the store. `first` happens before any effect of it is begun.
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
  Timer timer_;  // the threads end before anything else goes
  WorkQueue work_;
};

}  // namespace plumb::host
