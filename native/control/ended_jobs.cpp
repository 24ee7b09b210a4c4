#include "native/control/ended_jobs.hpp"

#include <algorithm>

namespace plumb::control {

std::optional<std::string> EndedJobs::Listener::next(std::chrono::milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, timeout, [this] { return !waiting_.empty() || dropped_; });
  if (waiting_.empty()) {
    return std::nullopt;
  }
  std::string id = std::move(waiting_.front());
  waiting_.pop_front();
  return id;
}

bool EndedJobs::Listener::dropped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return dropped_;
}

std::shared_ptr<EndedJobs::Listener> EndedJobs::listen() {
  auto listener = std::make_shared<Listener>();
  const std::lock_guard<std::mutex> lock(mutex_);
  listeners_.push_back(listener);
  return listener;
}

void EndedJobs::tell(std::string_view id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  listeners_.erase(std::remove_if(listeners_.begin(), listeners_.end(),
                                  [&](const std::weak_ptr<Listener>& weak) {
                                    const std::shared_ptr<Listener> listener = weak.lock();
                                    if (!listener) {
                                      return true;
                                    }
                                    const std::lock_guard<std::mutex> its(listener->mutex_);
                                    if (listener->waiting_.size() >= waiting_max) {
                                      listener->waiting_.clear();
                                      listener->dropped_ = true;
                                    } else {
                                      listener->waiting_.emplace_back(id);
                                    }
                                    listener->changed_.notify_all();
                                    return listener->dropped_;
                                  }),
                   listeners_.end());
}

}  // namespace plumb::control
