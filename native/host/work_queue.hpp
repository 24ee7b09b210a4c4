// WorkQueue: what a driver does on its workers, and how much of what it has begun is not over yet: queued, worked on or
// with the store. Internal to native/host.
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

  // `work` has been entered until it returns.
  void give(std::function<void()> work);
  // Said on the thread of a worker that never returns from what it does (isolated_call.hpp): its work is left.
  void lost();
  // What goes on elsewhere and comes back, as an append does.
  void enter();
  void leave();
  // Until nothing is active, or the time is over.
  void wait(std::uint64_t timeout_ms);
  // Until all is done that was given; then the threads end.
  void stop() { workers_.stop(); }

 private:
  std::mutex mutex_;  // no other is taken while it is held
  std::condition_variable changed_;
  std::size_t active_ = 0;
  Workers workers_;
};

}  // namespace plumb::host
