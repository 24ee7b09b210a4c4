// WatchTable: who watches runs of this host, and of others. Internal to native/host.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "native/host/live_run.hpp"

namespace plumb::host {

class WatchTable {
 public:
  WatchTable(std::size_t watches_max, std::size_t told_max) : watches_max_(watches_max), told_max_(told_max) {}

  // A watch of a run of which so much is stored. `run`: where it is in memory, else nullptr. limit.
  Result<std::shared_ptr<WatchState>> open(const RunRef& run, std::uint64_t stored, bool ended);
  void closed() { --count_; }
  // Of a run that another host drives.
  void add_elsewhere(const std::string& id, const std::shared_ptr<WatchState>& state);
  void tell_elsewhere(const std::string& id, std::uint64_t entries, run::State state);
  // No watch waits any more that is opened from now on.
  void close();
  // The same of all that are open. Returns when none of them reads the store any more.
  void stop();
  std::size_t size() const { return count_; }

 private:
  const std::size_t watches_max_, told_max_;
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;  // no run's is taken while it is held
  std::vector<std::weak_ptr<WatchState>> states_;
  std::unordered_map<std::string, std::vector<std::weak_ptr<WatchState>>> elsewhere_;  // by run
  bool closed_ = false;
};

}  // namespace plumb::host
