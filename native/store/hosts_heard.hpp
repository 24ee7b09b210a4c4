// Which hosts of a shared store, or proxies that share limits, live, by what is heard of them. Times are of one steady
// clock.
//
// A host hears itself too, after all that was said before. As long as it does not, having slept or being cut off, it
// takes nobody for dead; when it does again, everybody has a lease from there on. So has a host that was never heard,
// from when it is first asked for: it may have begun just now, and what it stored be faster than what it said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace plumb::store {

class HostsHeard {
 public:
  HostsHeard(std::string own, std::uint64_t lease_ms) : own_(std::move(own)), lease_ms_(lease_ms) {}

  void lives(const std::string& host, std::uint64_t now_ms) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (host == own_) {
      since_ms_ = is_deaf(now_ms) ? now_ms : since_ms_;
      own_ms_ = now_ms;
      return;
    }
    if (heard_.size() >= heard_max) {
      std::erase_if(heard_, [&](const auto& one) { return now_ms >= one.second + lease_ms_; });
    }
    heard_[host] = now_ms;
  }
  void is_gone(const std::string& host) {
    const std::lock_guard<std::mutex> lock(mutex_);
    heard_.erase(host);
    gone_.insert(host);
  }
  // Nothing could be heard until now: everybody has a lease from here on.
  void deaf_until(std::uint64_t now_ms) {
    const std::lock_guard<std::mutex> lock(mutex_);
    since_ms_ = now_ms;
    own_ms_ = now_ms;
  }
  bool is_alive(const std::string& host, std::uint64_t now_ms) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (host == own_) {
      return true;
    }
    if (host.empty() || gone_.count(host) != 0) {
      return false;
    }
    if (is_deaf(now_ms)) {
      return true;
    }
    const std::uint64_t last = std::max(heard_.emplace(host, now_ms).first->second, since_ms_);
    return now_ms < last + lease_ms_;
  }

 private:
  // Of more hosts than that, those that are dead are as if they had never been heard.
  static constexpr std::size_t heard_max = 1'000;

  bool is_deaf(std::uint64_t now_ms) const { return now_ms > own_ms_ + lease_ms_ / 2; }

  const std::string own_;
  const std::uint64_t lease_ms_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> heard_;
  std::set<std::string> gone_;
  std::uint64_t since_ms_ = 0;
  std::uint64_t own_ms_ = 0;  // heard of itself
};

}  // namespace plumb::store
