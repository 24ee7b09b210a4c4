// Names that somebody else holds are waited for, in the order in which they were asked for. Internal to native/host.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "native/host/live_run.hpp"

namespace plumb::host {

struct WaitingClaim {
  std::weak_ptr<LiveRun> run;
  std::string key;
  std::uint64_t number = 0;
  store::ClaimWish wish;
};
struct WaitingClaims {
  std::mutex mutex;  // no run's mutex and no other is taken before it
  std::deque<WaitingClaim> all;
  std::atomic<std::size_t> count{0};  // of them, to be read without the mutex
};

}  // namespace plumb::host
