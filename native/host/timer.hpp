// Timer: runs actions at a later time, on one thread. Actions must be short. A cancelled deadline costs nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace plumb::host {

class Timer {
 public:
  using Clock = std::chrono::steady_clock;
  using Handle = std::pair<Clock::time_point, std::uint64_t>;

  Timer();
  ~Timer();  // the same as stop()
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  Handle after(std::uint64_t delay_ms, std::function<void()> action);
  void take_back(const Handle& handle);
  // Discards the actions that are not due, and returns when no action is running. Do not call it inside an action.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Handle, std::function<void()>> due_;
  std::uint64_t next_ = 1;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace plumb::host
