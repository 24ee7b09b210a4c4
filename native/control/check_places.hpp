// Checks are work and nothing else: as many at once as there are processors, the others wait, as long as their clients
// do and a while at most.
//
//   const CheckPlaces::Place place = places.take(request.listening);
//   if (!place) ... refuse
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace plumb::control {

class CheckPlaces {
  struct Release {
    void operator()(CheckPlaces* places) const {
      const std::lock_guard<std::mutex> lock(places->mutex_);
      --places->running_;
      places->freed_.notify_one();
    }
  };

 public:
  using Place = std::unique_ptr<CheckPlaces, Release>;

  Place take(const std::function<bool()>& waits_still) {
    constexpr std::chrono::seconds wait_max{20};
    constexpr std::chrono::milliseconds look{100};
    const auto until = std::chrono::steady_clock::now() + wait_max;
    std::unique_lock<std::mutex> lock(mutex_);
    while (running_ >= places_) {
      freed_.wait_for(lock, look);
      if (running_ >= places_ && (std::chrono::steady_clock::now() > until || (waits_still && !waits_still()))) {
        return nullptr;
      }
    }
    ++running_;
    return Place(this);
  }

 private:
  const std::size_t places_ = std::max(2U, std::thread::hardware_concurrency());
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t running_ = 0;
};

}  // namespace plumb::control
