// RequestPool: the threads that answer requests. Places are kept for those that must be answered whatever the others
// do, and requests whose bodies are still to be read take few.
//
//   RequestPool pool;
//   if (!pool.give(RequestPool::Kind::usual, [=] { serve(socket); })) ... as many wait already
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plumb::control {

class RequestPool {
 public:
  enum class Kind : std::uint8_t {
    kept,      // takes any thread
    usual,     // leaves kept_places free
    reads_on,  // a body that comes while it is served: at most reading_max at once
  };
  static constexpr std::size_t kept_places = 16;
  static constexpr std::size_t reading_max = 24;
  static constexpr std::size_t waiting_max = 512;  // of each kind

  explicit RequestPool(std::size_t threads_max) : threads_max_(threads_max) {}
  ~RequestPool() { stop(); }
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  // False: too many wait.
  bool give(Kind kind, std::function<void()> work);
  // Until all that was given is done.
  void stop();

 private:
  static constexpr std::size_t kinds = 3;
  struct Queue {
    std::deque<std::function<void()>> waiting;
    std::size_t running = 0;
  };

  void work();
  void begin_thread();
  bool may_begin(std::size_t kind) const;
  std::size_t next() const;

  const std::size_t threads_max_;
  std::mutex mutex_;
  std::condition_variable some_;
  std::array<Queue, kinds> queues_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace plumb::control
