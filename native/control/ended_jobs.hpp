// Jobs as they end, told to whoever listens: the stream /ai/artifact/events/stream. Nothing is kept; a listener that
// lets more than `waiting_max` wait is dropped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::control {

class EndedJobs {
 public:
  static constexpr std::size_t waiting_max = 1024;

  class Listener {
   public:
    // The id of the next run that has ended, waiting at most so long.
    std::optional<std::string> next(std::chrono::milliseconds timeout);
    bool dropped() const;

   private:
    friend class EndedJobs;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    bool dropped_ = false;
  };

  // Listens as long as it is held.
  std::shared_ptr<Listener> listen();
  // From any thread; returns at once.
  void tell(std::string_view id);

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<Listener>> listeners_;
};

}  // namespace plumb::control
