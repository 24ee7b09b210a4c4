#include "native/host/run_watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace plumb::host {

namespace {

constexpr std::size_t entries_at_once = 64;
constexpr std::uint64_t bytes_at_once = 1U << 20U;
constexpr std::uint64_t wait_max_ms = std::uint64_t{24} * 3600 * 1000;

}  // namespace

void WatchState::stored(std::uint64_t entries) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stored_ = std::max(stored_, entries);
  }
  changed_.notify_all();
}

void WatchState::told(std::uint64_t after, const std::string& key, std::string_view name, const std::string& json) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (dropped_) {
      return;
    }
    if (told_.size() >= told_max_) {
      dropped_ = true;
      told_.clear();
    } else {
      told_.push_back({after, key, std::string(name), json});
    }
  }
  changed_.notify_all();
}

void WatchState::ended(std::uint64_t entries) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stored_ = std::max(stored_, entries);
    ended_ = true;
  }
  changed_.notify_all();
}

void WatchState::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  const std::lock_guard<std::mutex> reading(reading_);
}

// Reads on from the store. False: there is nothing more to read from it, `problem` says why.
bool RunWatch::fill(std::string& problem) {
  const std::lock_guard<std::mutex> reading(state_->reading_);
  {
    const std::lock_guard<std::mutex> lock(state_->mutex_);
    if (state_->stopped_) {
      return true;
    }
  }
  Result<store::JournalPart> part = store_.journal(run_, next_, entries_at_once, bytes_at_once);
  if (!part) {
    problem = part.error().message;
    return false;
  }
  if (part.value().entries.empty()) {
    problem = "the store has no entry " + std::to_string(next_) + " of the run";
    return false;
  }
  for (run::Stored& entry : part.value().entries) {
    read_.push_back(std::move(entry));
  }
  return true;
}

Watch::Event RunWatch::next(std::uint64_t timeout_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::min(timeout_ms, wait_max_ms));
  Event event;
  std::unique_lock<std::mutex> lock(state_->mutex_);
  for (;;) {
    if (state_->stopped_) {
      event.what = What::stopped;
      return event;
    }
    if (state_->dropped_) {
      event.what = What::dropped;
      event.name = "too slow: more than " + std::to_string(state_->told_max_) +
                   " messages were waiting; watch again from entry " + std::to_string(next_);
      return event;
    }
    if (!state_->told_.empty() && state_->told_.front().after <= next_) {
      WatchState::LastEvent told = std::move(state_->told_.front());
      state_->told_.pop_front();
      return {What::told, {}, std::move(told.key), std::move(told.name), std::move(told.json)};
    }
    if (!read_.empty()) {
      event.what = What::entry;
      event.entry = std::move(read_.front());
      read_.pop_front();
      ++next_;
      return event;
    }
    if (next_ < state_->stored_) {
      lock.unlock();
      if (!fill(event.name)) {
        event.what = What::dropped;
        return event;
      }
      lock.lock();
      continue;
    }
    if (state_->ended_) {
      event.what = What::ended;
      return event;
    }
    if (state_->changed_.wait_until(lock, until) == std::cv_status::timeout &&
        std::chrono::steady_clock::now() >= until) {
      return event;
    }
  }
}

}  // namespace plumb::host
