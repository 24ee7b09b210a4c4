// Idempotency-Key: a call that is sent again with the same key, the same body and the same wishes (path, X-Plumb-*) is
// answered as the first time and costs nothing; with others it is refused (422); while the first is under way it is
// refused (409), to be sent again a little later.
//
//   IdempotentStart start = idempotency.begin(caller.id, key, body, now, wishes);
//   switch (start.kind) ... fresh: make the call, then idempotency.finish(start.ticket, reply, now),
//                           or idempotency.forget(start.ticket) where it failed for a reason that may pass
//
// A key belongs to its client key. Bounded by bytes and by calls under way; what does not fit is forgotten, oldest
// first. For any number of threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/failure.hpp"
#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

inline constexpr std::size_t idempotency_key_bytes_max = 255;

enum class IdempotentKind : std::uint8_t { fresh, replay, refused };

struct IdempotentStart {
  IdempotentKind kind = IdempotentKind::fresh;
  ReplyKey ticket = {};                      // of fresh
  std::shared_ptr<const StoredReply> reply;  // of replay
  wire::Failure failure;                     // of refused
};

class Idempotency {
 public:
  static constexpr std::size_t under_way_max = 10'000;

  explicit Idempotency(const CacheSettings& settings) : replies_(settings) {}
  void set(const CacheSettings& settings) { replies_.set(settings); }

  // `wishes`: what else says what is asked for, beside the body.
  IdempotentStart begin(std::string_view client, std::string_view key, std::string_view body, Moment now,
                        std::string_view wishes = {});
  void finish(const ReplyKey& ticket, std::shared_ptr<const StoredReply> reply, Moment now);
  void forget(const ReplyKey& ticket);
  StoredCounts counts() const { return replies_.counts(); }

 private:
  struct Known {
    ReplyKey body;
    bool over = false;
    std::uint64_t until_ms = 0;  // steady
  };
  void drop_old(std::uint64_t now_ms);

  StoredReplies replies_;
  mutable std::mutex mutex_;
  std::map<ReplyKey, Known> known_;
  std::multimap<std::uint64_t, ReplyKey> ends_;  // of `until_ms`
  std::size_t under_way_ = 0;
};

}  // namespace plumb::proxy
