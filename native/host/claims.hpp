// Claims: names that only one run at a time may hold. Runs that want a held name wait in the order of asking. Internal
// to native/host.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "core/run/effect.hpp"
#include "native/host/turns.hpp"
#include "native/host/work_queue.hpp"
#include "native/store/store.hpp"

namespace plumb::host {

class Claims {
 public:
  Claims(Turns& turns, store::Store& store, WorkQueue& work) : turns_(turns), store_(store), work_(work) {}

  // Asks for what the effect `want` claims. The call with this number is answered at once, or when the name is free.
  void ask(const RunRef& run, const run::Want& want, std::uint64_t number);
  // Tells that a name may be free. Callable from any thread, including the store's own, so it must not wait for the
  // store.
  void freed();

 private:
  struct Waiting {
    std::weak_ptr<LiveRun> run;
    std::string key;
    std::uint64_t number = 0;
    store::ClaimWish wish;
  };
  void try_again();

  Turns& turns_;
  store::Store& store_;
  WorkQueue& work_;
  std::mutex mutex_;  // taken first: before a run's and any other
  std::deque<Waiting> waiting_;
  std::atomic<std::size_t> count_{0};  // their number, readable without the mutex
};

}  // namespace plumb::host
