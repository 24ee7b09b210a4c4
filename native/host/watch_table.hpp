// WatchTable: who watches which run, of this host or another. Internal to native/host.
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

  // Opens a watch of a run with `stored` entries. `run` is the run in memory, or nullptr. Error: limit.
  Result<std::shared_ptr<WatchState>> open(const RunRef& run, std::uint64_t stored, bool ended);
  void closed() { --count_; }
  // Adds a watch of a run that another host drives.
  void add_elsewhere(const std::string& id, const std::shared_ptr<WatchState>& state);
  void tell_elsewhere(const std::string& id, std::uint64_t entries, run::State state);
  // Watches opened from now on do not wait.
  void close();
  // Stops all open watches. Returns when none reads from the store any more.
  void stop();
  std::size_t size() const { return count_; }

 private:
  const std::size_t watches_max_, told_max_;
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;  // no run's mutex is taken while it is held
  std::vector<std::weak_ptr<WatchState>> states_;
  std::unordered_map<std::string, std::vector<std::weak_ptr<WatchState>>> elsewhere_;  // by run
  bool closed_ = false;
};

}  // namespace plumb::host
