#include "native/proxy/stored_replies.hpp"

#include <algorithm>
#include <cstring>

namespace plumb::proxy {

namespace {

constexpr std::uint64_t entry_overhead_bytes = 256;

std::uint64_t left_of(std::uint64_t ttl_ms, std::uint64_t age_ms) { return ttl_ms - std::min(ttl_ms, age_ms); }

}  // namespace

std::size_t ReplyKeyHash::operator()(const ReplyKey& key) const {
  std::size_t value = 0;
  std::memcpy(&value, key.data(), sizeof value);
  return value;
}

void StoredReplies::set(const CacheSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  shrink();
}

CacheSettings StoredReplies::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void StoredReplies::drop(Order::iterator entry) {
  counts_.bytes -= entry->bytes;
  --counts_.entries;
  by_key_.erase(entry->key);
  order_.erase(entry);
}

void StoredReplies::shrink() {
  while (counts_.bytes > settings_.bytes_max && !order_.empty()) {
    ++counts_.evicted;
    drop(std::prev(order_.end()));
  }
}

std::shared_ptr<const StoredReply> StoredReplies::find(const ReplyKey& key, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || found->second->until_ms <= now.steady_ms()) {
    if (found != by_key_.end()) {
      drop(found->second);
    }
    ++counts_.misses;
    return nullptr;
  }
  ++counts_.hits;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->reply;
}

bool StoredReplies::put(const ReplyKey& key, std::shared_ptr<const StoredReply> reply, TimePoint now,
                        std::uint64_t age_ms) {
  const std::uint64_t bytes =
      reply->body.size() + reply->content_type.size() + reply->headers.size() + entry_overhead_bytes;
  const std::lock_guard lock(mutex_);
  if (bytes > settings_.entry_bytes_max || bytes > settings_.bytes_max) {
    return false;
  }
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    drop(found->second);
  }
  order_.push_front({key, std::move(reply), now.steady_ms() + left_of(settings_.ttl_ms, age_ms), bytes});
  by_key_[key] = order_.begin();
  counts_.bytes += bytes;
  ++counts_.entries;
  shrink();
  return true;
}

StoredCounts StoredReplies::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace plumb::proxy
