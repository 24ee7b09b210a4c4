// StoredReplies: answers to repeat for an Idempotency-Key, as the bytes that were sent.
//
//   ReplyKey key = ...;                                   // SHA-256 of everything that the answer depends on
//   if (auto reply = replies.find(key, now)) ...            // status, content type, body: a stream is valid SSE again
//   replies.put(key, reply, now);
//
// Bounded by bytes: the least recently used goes first, and expired answers are not returned. For any number of
// threads.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "native/proxy/settings.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

using ReplyKey = std::array<std::uint8_t, 32>;
struct ReplyKeyHash {
  std::size_t operator()(const ReplyKey& key) const;
};

struct StoredReply {
  int status = 200;
  std::string content_type;
  std::string body;
  // x-plumb-verdict and so on: "name: value\r\n" each.
  std::string headers;
};

struct StoredCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t evicted = 0;
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};

class StoredReplies {
 public:
  explicit StoredReplies(const CacheSettings& settings) : settings_(settings) {}
  // Keeps the stored answers as far as they fit.
  void set(const CacheSettings& settings);
  CacheSettings settings() const;

  std::shared_ptr<const StoredReply> find(const ReplyKey& key, TimePoint now);
  // False if it is too large. `age_ms`: its present age.
  bool put(const ReplyKey& key, std::shared_ptr<const StoredReply> reply, TimePoint now, std::uint64_t age_ms = 0);
  StoredCounts counts() const;

 private:
  struct Entry {
    ReplyKey key;
    std::shared_ptr<const StoredReply> reply;
    std::uint64_t until_ms = 0;  // steady time
    std::uint64_t bytes = 0;
  };
  using Order = std::list<Entry>;
  void drop(Order::iterator entry);
  void shrink();

  mutable std::mutex mutex_;
  CacheSettings settings_;
  Order order_;  // most recently used first
  std::unordered_map<ReplyKey, Order::iterator, ReplyKeyHash> by_key_;
  StoredCounts counts_;
};

}  // namespace plumb::proxy
