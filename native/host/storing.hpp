// Storing: gives the entries of runs to the store, retries when it fails, and continues when they are stored. Internal
// to native/host.
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
  // `halts` is called from a thread of the store, for a run whose entries the store refuses for good.
  Storing(Turns& turns, const HostSettings& settings, store::Store& store, Timer& timer, WorkQueue& work,
          CallSlots& slots, std::function<void(const RunRef& run, const Error& error)> halts)
      : turns_(turns),
        settings_(settings),
        store_(store),
        timer_(timer),
        work_(work),
        slots_(slots),
        halts_(std::move(halts)) {}

  // Gives entries to the store. The run belongs to the store until they are stored, and is then scheduled again. If
  // the store fails, it is retried for some minutes, unless the host is stopping. A new run (`after.create`) is tried
  // once.
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
