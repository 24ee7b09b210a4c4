#include "native/host/timer.hpp"

#include <algorithm>

namespace plumb::host {

namespace {

constexpr std::uint64_t delay_max_ms = std::uint64_t{365} * 24 * 3600 * 1000;

}  // namespace

Timer::Timer() : thread_([this] { run(); }) {}

Timer::~Timer() { stop(); }

void Timer::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

Timer::Handle Timer::after(std::uint64_t delay_ms, std::function<void()> action) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Handle handle{Clock::now() + std::chrono::milliseconds(std::min(delay_ms, delay_max_ms)), next_++};
  const bool first = due_.empty() || handle < due_.begin()->first;
  due_.emplace(handle, std::move(action));
  if (first) {
    changed_.notify_all();
  }
  return handle;
}

void Timer::take_back(const Handle& handle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  due_.erase(handle);
}

void Timer::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!closing_) {
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = due_.begin();
    const Clock::time_point when = first->first.first;
    if (when > Clock::now()) {
      changed_.wait_until(lock, when);
      continue;
    }
    const std::function<void()> action = std::move(first->second);
    due_.erase(first);
    lock.unlock();
    action();
    lock.lock();
  }
}

}  // namespace plumb::host
