// Claims: names that only one run may hold. What somebody else holds is waited for, in the order in which it was asked
// for. Internal to native/host.
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

  // What the effect `want` of the run asks for; its call of this number is replied to, at once or when it may.
  void ask(const RunRef& run, const run::Want& want, std::uint64_t number);
  // Something may have become free. From any thread, the store's own too, which must not wait for who waits for the
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
  std::mutex mutex_;  // no run's mutex and no other is taken before it
  std::deque<Waiting> waiting_;
  std::atomic<std::size_t> count_{0};  // of them, to be read without the mutex
};

}  // namespace plumb::host
