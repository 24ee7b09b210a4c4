#include "native/host/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace plumb::host {

struct Workers::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable ended;
  std::deque<std::function<void()>> queue;
  std::vector<std::thread> threads;  // to be joined: all but those that rest for good
  std::size_t alive = 0;
  bool closing = false;
};

Workers::Workers(std::size_t threads) : shared_(std::make_shared<Shared>()) {
  for (std::size_t i = 0; i < threads; ++i) {
    begin(shared_);
  }
}

Workers::~Workers() { stop(); }

void Workers::begin(const std::shared_ptr<Shared>& shared) {
  const std::lock_guard<std::mutex> lock(shared->mutex);
  shared->threads.emplace_back([shared] { work(shared); });
  ++shared->alive;
}

void Workers::work(const std::shared_ptr<Shared>& shared) {
  std::unique_lock<std::mutex> lock(shared->mutex);
  for (;;) {
    shared->changed.wait(lock, [&] { return shared->closing || !shared->queue.empty(); });
    if (shared->queue.empty()) {
      break;
    }
    {
      const std::function<void()> one = std::move(shared->queue.front());
      shared->queue.pop_front();
      lock.unlock();
      one();
    }
    lock.lock();
  }
  --shared->alive;
  shared->ended.notify_all();
}

void Workers::give(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->queue.push_back(std::move(work));
  }
  shared_->changed.notify_one();
}

void Workers::lost() {
  begin(shared_);
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  const auto own = std::find_if(shared_->threads.begin(), shared_->threads.end(),
                                [](const std::thread& one) { return one.get_id() == std::this_thread::get_id(); });
  if (own != shared_->threads.end()) {
    own->detach();
    shared_->threads.erase(own);
    --shared_->alive;
  }
}

void Workers::stop() {
  std::vector<std::thread> threads;
  {
    std::unique_lock<std::mutex> lock(shared_->mutex);
    shared_->closing = true;
    shared_->changed.notify_all();
    shared_->ended.wait(lock, [&] { return shared_->alive == 0; });
    threads.swap(shared_->threads);
  }
  for (std::thread& one : threads) {
    one.join();
  }
}

}  // namespace plumb::host
