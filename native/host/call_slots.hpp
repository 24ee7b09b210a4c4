// CallSlots: limits how many calls may be in progress at once over all runs, and queues the runs that wait for a free
// slot. Internal to native/host.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_set>

#include "native/host/counts.hpp"
#include "native/host/turns.hpp"

namespace plumb::host {

class CallSlots {
 public:
  CallSlots(Turns& turns, std::size_t calls_max) : turns_(turns), calls_max_(calls_max) {}

  // Takes a slot. False if none is free (the run is queued), or if no call may begin any more.
  bool take(const RunRef& run);
  void release();
  // If a slot is free, schedules the first queued run; that run's turn wakes the next. Call without holding a run's
  // mutex.
  void wake();
  // Lets no call begin any more. Returns when the calls in progress have ended, or after `grace_ms` milliseconds.
  void close(std::uint64_t grace_ms);
  bool closed();
  void count(Counts& counts);

 private:
  Turns& turns_;
  const std::size_t calls_max_;
  std::mutex mutex_;  // taken last: while it is held no other is taken; a run's may be held
  std::condition_variable changed_;
  std::size_t under_way_ = 0;
  std::deque<RunRef> waiting_;
  std::unordered_set<const LiveRun*> waits_;  // the same
  bool closed_ = false;
};

}  // namespace plumb::host
