// Endings: the ways in which a run leaves this host: it ended, the store refuses it, an assumption of ours broke, or
// another host has it. Internal to native/host.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "native/host/call_slots.hpp"
#include "native/host/calls.hpp"
#include "native/host/claims.hpp"
#include "native/host/counts.hpp"
#include "native/host/host.hpp"
#include "native/host/run_table.hpp"
#include "native/host/turns.hpp"
#include "native/host/watch_table.hpp"
#include "native/host/work_queue.hpp"

namespace plumb::host {

// The parts of a driver that know a run.
struct EndingParts {
  Turns& turns;
  const HostSettings& settings;
  store::Store& store;
  RunTable& runs;
  WatchTable& watches;
  WorkQueue& work;
  CallSlots& slots;
  Calls& calls;
  Claims& claims;
};

class Endings {
 public:
  explicit Endings(const EndingParts& parts) : in_(parts) {}

  // The run's end is stored.
  void finish(const RunRef& run);
  // The store has refused the run's entries for good.
  void give_up(const RunRef& run, const Error& error);
  // Another host drives the run now. This host forgets it.
  void drop(const RunRef& run, const Error& error);
  // An assumption of ours broke. Nobody uses the machine again, its worker is suspended permanently, and the run fails.
  void broken(const RunRef& run, const std::string& problem);
  // Ends a run without its pipeline. `answer`, which may be empty, is called with the outcome.
  void end_by_hand(const RunRef& run, run::State state, const std::string& why, const Answer& answer);
  void count(Counts& counts) const;

 private:
  void ended_by_hand(const RunRef& run, run::State state, std::uint64_t entries, const Answer& answer);
  void not_ended_by_hand(const RunRef& run, run::State state, const Error& error, bool by_store, const Answer& answer);

  const EndingParts in_;
  std::atomic<std::uint64_t> done_{0}, failed_{0}, cancelled_{0};
};

}  // namespace plumb::host
