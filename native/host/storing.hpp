// Storing: what runs write is given to the store, again where it fails, and what follows when it is there. Internal to
// native/host.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "native/host/call_slots.hpp"
#include "native/host/host.hpp"
#include "native/host/timer.hpp"
#include "native/host/turns.hpp"
#include "native/host/work_queue.hpp"

namespace plumb::host {

class Storing {
 public:
  // `halts`: of a run whose entries the store will not take. From a thread of the store.
  Storing(Turns& turns, const HostSettings& settings, store::Store& store, Timer& timer, WorkQueue& work,
          CallSlots& slots, std::function<void(const RunRef& run, const Error& error)> halts)
      : turns_(turns),
        settings_(settings),
        store_(store),
        timer_(timer),
        work_(work),
        slots_(slots),
        halts_(std::move(halts)) {}

  // The run is with the store until these are stored; then it is scheduled again. Tried again for some minutes where
  // the store fails, unless the host is being stopped. A new run (`after.create`) is tried once.
  void give(const RunRef& run, std::vector<run::Stored> entries, After after);
  std::uint64_t failures() const { return failures_; }

 private:
  void submit(const RunRef& run);
  void stored(const RunRef& run, const store::Outcome& outcome);
  void note_failure(const store::Outcome& outcome);

  Turns& turns_;
  const HostSettings& settings_;
  store::Store& store_;
  Timer& timer_;
  WorkQueue& work_;
  CallSlots& slots_;
  const std::function<void(const RunRef& run, const Error& error)> halts_;
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<bool> fails_{false};
};

}  // namespace plumb::host
