// State that a host shares with the watches of its runs (watch.hpp). Internal to native/host.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "native/host/watch.hpp"
#include "native/store/store.hpp"

namespace plumb::host {

// One watcher of one run. The host writes it, the Watch reads it.
class WatchState {
 public:
  WatchState(std::uint64_t stored, bool ended, std::size_t told_max)
      : stored_(stored), ended_(ended), told_max_(told_max) {}

  void stored(std::uint64_t entries);
  void told(std::uint64_t after, const std::string& key, std::string_view name, const std::string& json);
  void ended(std::uint64_t entries);
  // Returns when the watch does not read from the store any more.
  void stop();

 private:
  friend class RunWatch;
  struct LastEvent {
    std::uint64_t after = 0;  // entries that were stored at that time
    std::string key;
    std::string name;
    std::string json;
  };

  std::mutex reading_;  // held while the store is read
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t stored_ = 0;
  bool ended_ = false;
  bool dropped_ = false;
  bool stopped_ = false;
  std::deque<LastEvent> told_;
  std::size_t told_max_ = 0;
};

class RunWatch final : public Watch {
 public:
  // `closed` is called when the watch ends.
  RunWatch(store::Store& store, std::string run, std::uint64_t from, std::shared_ptr<WatchState> state,
           std::function<void()> closed)
      : store_(store), run_(std::move(run)), next_(from), state_(std::move(state)), closed_(std::move(closed)) {}
  ~RunWatch() override { closed_(); }

  Event next(std::uint64_t timeout_ms) override;

 private:
  bool fill(std::string& problem);

  store::Store& store_;
  std::string run_;
  std::uint64_t next_ = 0;
  std::shared_ptr<WatchState> state_;
  std::function<void()> closed_;
  std::deque<run::Stored> read_;
};

}  // namespace plumb::host
