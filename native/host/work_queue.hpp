// WorkQueue: what a driver's workers do, and how much of it is unfinished: queued, in work, or with the store.
// Internal to native/host.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include "native/host/workers.hpp"

namespace plumb::host {

class WorkQueue {
 public:
  explicit WorkQueue(std::size_t workers) : workers_(workers) {}

  // `work` counts as unfinished until it returns.
  void give(std::function<void()> work);
  // Called on the thread of a worker that will never return from its work (isolated_call.hpp).
  void lost();
  // Counts work that continues elsewhere and comes back, such as an append.
  void enter();
  void leave();
  // Waits until nothing is unfinished, or the time is over.
  void wait(std::uint64_t timeout_ms);
  // Waits until all given work is done, then ends the threads.
  void stop() { workers_.stop(); }

 private:
  std::mutex mutex_;  // no other is taken while it is held
  std::condition_variable changed_;
  std::size_t active_ = 0;
  Workers workers_;
};

}  // namespace plumb::host
