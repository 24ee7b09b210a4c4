// A few threads that do what takes longer than a thread with connections may be kept waiting.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plumb::provider {

class Workers {
 public:
  explicit Workers(std::size_t threads);
  ~Workers() { end(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // In the order in which it was given.
  void post(std::function<void()> work);
  // Waits for what is being done; what has not begun, and what is posted from now on, is not done any more.
  void end();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace plumb::provider
