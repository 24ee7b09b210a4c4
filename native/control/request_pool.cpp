// A thread is begun when a request would have to wait for one, since most servers never need more than a few, and each
// takes memory.
#include "native/control/request_pool.hpp"

#include <system_error>
#include <utility>

namespace plumb::control {

bool RequestPool::may_begin(std::size_t kind) const {
  if (queues_[kind].waiting.empty()) {
    return false;
  }
  const std::size_t others = queues_[1].running + queues_[2].running;
  return kind == 0 || (others + kept_places < threads_max_ && (kind == 1 || queues_[kind].running < reading_max));
}

std::size_t RequestPool::next() const {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (may_begin(kind)) {
      return kind;
    }
  }
  return kinds;
}

bool RequestPool::give(Kind kind, std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Queue& queue = queues_[static_cast<std::size_t>(kind)];
  if (ending_ || queue.waiting.size() >= waiting_max) {
    return false;
  }
  queue.waiting.push_back(std::move(work));
  std::size_t waiting = 0;
  for (const Queue& one : queues_) {
    waiting += one.waiting.size();
  }
  if (waiting > idle_ && threads_.size() < threads_max_) {
    begin_thread();
  }
  some_.notify_one();
  return true;
}

// Where the system gives no more, those that there are go on.
void RequestPool::begin_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) {
      throw;
    }
  }
}

void RequestPool::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    ++idle_;
    some_.wait(lock, [this] { return next() < kinds || ending_; });
    --idle_;
    const std::size_t kind = next();
    if (kind == kinds) {
      bool left = false;
      for (const Queue& one : queues_) {
        left = left || !one.waiting.empty();
      }
      if (!left) {
        return;
      }
      lock.unlock();
      std::this_thread::yield();  // ending, and another has to end first
      lock.lock();
      continue;
    }
    std::function<void()> task = std::move(queues_[kind].waiting.front());
    queues_[kind].waiting.pop_front();
    ++queues_[kind].running;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --queues_[kind].running;
    some_.notify_one();
  }
}

void RequestPool::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  some_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

}  // namespace plumb::control
