// Changes: lets callers wait until any host has changed a run that this host does not drive. Internal to native/host.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace plumb::host {

class Changes {
 public:
  void tell() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++number_;
    }
    told_.notify_all();
  }

  // Returns when something has changed since `seen` (which is updated), or when the time is over.
  void wait(std::uint64_t& seen, std::chrono::steady_clock::time_point until) {
    std::unique_lock<std::mutex> lock(mutex_);
    told_.wait_until(lock, until, [&] { return number_ != seen; });
    seen = number_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  std::uint64_t number_ = 0;
};

}  // namespace plumb::host
