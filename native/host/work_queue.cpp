#include "native/host/work_queue.hpp"

#include <chrono>
#include <utility>

namespace plumb::host {

void WorkQueue::enter() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++active_;
}

void WorkQueue::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --active_;
  changed_.notify_all();
}

void WorkQueue::give(std::function<void()> work) {
  enter();
  workers_.give([this, work = std::move(work)] {
    work();
    leave();
  });
}

void WorkQueue::lost() {
  workers_.lost();
  leave();
}

void WorkQueue::wait(std::uint64_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return active_ == 0; });
}

}  // namespace plumb::host
