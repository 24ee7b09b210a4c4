#include "native/host/call_slots.hpp"

#include <chrono>
#include <utility>

namespace plumb::host {

bool CallSlots::take(const RunRef& run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) {
    return false;
  }
  if (under_way_ >= calls_max_) {
    if (waits_.insert(run.get()).second) {
      waiting_.push_back(run);
    }
    return false;
  }
  ++under_way_;
  return true;
}

void CallSlots::release() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --under_way_;
  }
  changed_.notify_all();
  wake();
}

void CallSlots::wake() {
  for (;;) {
    RunRef run;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (waiting_.empty() || under_way_ >= calls_max_ || closed_) {
        return;
      }
      run = std::move(waiting_.front());
      waiting_.pop_front();
      waits_.erase(run.get());
    }
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (!run->is_over()) {
      run->again = true;
      turns_.schedule(run);
      return;
    }
  }
}

void CallSlots::close(std::uint64_t grace_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  closed_ = true;
  waiting_.clear();
  waits_.clear();
  changed_.wait_for(lock, std::chrono::milliseconds(grace_ms), [&] { return under_way_ == 0; });
}

bool CallSlots::closed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return closed_;
}

void CallSlots::count(Counts& counts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  counts.under_way = under_way_;
  counts.queued = waiting_.size();
}

}  // namespace plumb::host
