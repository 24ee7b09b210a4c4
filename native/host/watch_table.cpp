#include "native/host/watch_table.hpp"

#include <algorithm>
#include <utility>

namespace plumb::host {

namespace {

void forget_expired(std::vector<std::weak_ptr<WatchState>>& states) {
  states.erase(std::remove_if(states.begin(), states.end(), [](const auto& one) { return one.expired(); }),
               states.end());
}

std::vector<std::shared_ptr<WatchState>> alive(const std::vector<std::weak_ptr<WatchState>>& states) {
  std::vector<std::shared_ptr<WatchState>> out;
  for (const std::weak_ptr<WatchState>& one : states) {
    if (auto state = one.lock()) {
      out.push_back(std::move(state));
    }
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<WatchState>> WatchTable::open(const RunRef& run, std::uint64_t stored, bool ended) {
  if (++count_ > watches_max_) {
    --count_;
    return Error{
        ErrorCode::limit,
        "there are " + std::to_string(watches_max_) + " watchers of runs, the most there may be; try again later", "",
        0, 0};
  }
  auto state = std::make_shared<WatchState>(stored, ended, told_max_);
  if (run != nullptr) {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (run->phase.is(RunPhase::ended)) {
      state->ended(run->stored);
    } else {
      state->stored(run->stored);
      auto& watches = run->watches;
      watches.erase(
          std::remove_if(watches.begin(), watches.end(), [](const auto& one) { return one.use_count() == 1; }),
          watches.end());
      watches.push_back(state);
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  forget_expired(states_);
  states_.push_back(state);
  if (closed_) {
    state->stop();
  }
  return state;
}

void WatchTable::add_elsewhere(const std::string& id, const std::shared_ptr<WatchState>& state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::weak_ptr<WatchState>>& all = elsewhere_[id];
  forget_expired(all);
  all.push_back(state);
}

void WatchTable::tell_elsewhere(const std::string& id, std::uint64_t entries, run::State state) {
  std::vector<std::shared_ptr<WatchState>> watches;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = elsewhere_.find(id);
    if (found != elsewhere_.end()) {
      watches = alive(found->second);
      if (watches.empty() || state != run::State::waiting) {
        elsewhere_.erase(found);
      }
    }
  }
  for (const std::shared_ptr<WatchState>& one : watches) {
    if (state == run::State::waiting) {
      one->stored(entries);
    } else {
      one->ended(entries);
    }
  }
}

void WatchTable::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
}

void WatchTable::stop() {
  std::vector<std::shared_ptr<WatchState>> watches;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    watches = alive(states_);
  }
  for (const std::shared_ptr<WatchState>& watch : watches) {
    watch->stop();
  }
}

}  // namespace plumb::host
