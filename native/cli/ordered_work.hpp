// Work on many cores with results in order: however many threads there are, results are consumed one by one in the
// order in which the work was produced.
//
//   run_in_order<Unit, Done>(threads, window, produce, work, consume);
//
// produce() -> std::optional<Unit>   called by one thread at a time, in order; nothing means the end
// work(Unit, worker) -> Done         called by many threads at once; `worker` counts from 0
// consume(Done)                      called by one thread at a time, in the order of produce()
//
// At most `window` units are between produce and consume, so memory is bounded by the window and the size of a unit.
// With one thread everything happens in the caller's. An exception ends the whole and is thrown to the caller.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace plumb::cli {

template <class Unit, class Done, class Produce, class Work, class Consume>
void run_in_order(std::size_t threads, std::size_t window, Produce produce, Work work, Consume consume) {
  if (threads <= 1) {
    while (std::optional<Unit> unit = produce()) {
      consume(work(std::move(*unit), std::size_t{0}));
    }
    return;
  }

  struct Shared {
    std::mutex producing;
    std::mutex mutex;  // of everything below
    std::condition_variable room;
    std::map<std::uint64_t, Done> ready;
    std::uint64_t produced = 0;
    std::uint64_t consumed = 0;
    bool consuming = false;
    bool ended = false;
    std::exception_ptr failed;
  } shared;

  const auto fail = [&shared] {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    if (!shared.failed) {
      shared.failed = std::current_exception();
    }
    shared.ended = true;
    shared.room.notify_all();
  };

  const auto run = [&](std::size_t worker) {
    try {
      for (;;) {
        std::optional<Unit> unit;
        std::uint64_t number = 0;
        {
          const std::lock_guard<std::mutex> one_at_a_time(shared.producing);
          {
            std::unique_lock<std::mutex> lock(shared.mutex);
            shared.room.wait(lock, [&] { return shared.ended || shared.produced - shared.consumed < window; });
            if (shared.ended) {
              return;
            }
          }
          unit = produce();
          const std::lock_guard<std::mutex> lock(shared.mutex);
          if (!unit) {
            shared.ended = true;
            shared.room.notify_all();
            return;
          }
          number = shared.produced++;
        }
        Done done = work(std::move(*unit), worker);
        std::unique_lock<std::mutex> lock(shared.mutex);
        if (shared.failed) {
          return;
        }
        shared.ready.emplace(number, std::move(done));
        // Whoever brings the next one in order consumes all that are ready; the others go on working.
        if (shared.consuming) {
          continue;
        }
        shared.consuming = true;
        for (auto next = shared.ready.find(shared.consumed); next != shared.ready.end() && !shared.failed;
             next = shared.ready.find(shared.consumed)) {
          Done result = std::move(next->second);
          shared.ready.erase(next);
          lock.unlock();
          consume(std::move(result));
          lock.lock();
          ++shared.consumed;
          shared.room.notify_all();
        }
        shared.consuming = false;
      }
    } catch (...) {
      fail();
    }
  };

  std::vector<std::thread> others;
  others.reserve(threads - 1);
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back(run, i);
  }
  run(0);
  for (std::thread& other : others) {
    other.join();
  }
  if (shared.failed) {
    std::rethrow_exception(shared.failed);
  }
}

}  // namespace plumb::cli
