#include "native/provider/workers.hpp"

#include <utility>

namespace plumb::provider {

Workers::Workers(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { run(); });
}

void Workers::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
  threads_.clear();
}

void Workers::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_)
      return;
    waiting_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void Workers::run() {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_)
        return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace plumb::provider
