// CallSlots: how many calls may be under way at once, over all runs, and which runs wait for one to become free, in
// their order. Internal to native/host.
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

  // False: none is free, and the run waits for one; or no call begins any more.
  bool take(const RunRef& run);
  void release();
  // One of the runs that wait is taken up, where a call is free; when it has had its turn, the next one. No run's mutex
  // is held.
  void wake();
  // No call begins any more. Until those under way are over, or the time is.
  void close(std::uint64_t grace_ms);
  bool closed();
  void count(Counts& counts);

 private:
  Turns& turns_;
  const std::size_t calls_max_;
  std::mutex mutex_;  // no other is taken while it is held; it may be while a run's is
  std::condition_variable changed_;
  std::size_t under_way_ = 0;
  std::deque<RunRef> waiting_;
  std::unordered_set<const LiveRun*> waits_;  // the same
  bool closed_ = false;
};

}  // namespace plumb::host
