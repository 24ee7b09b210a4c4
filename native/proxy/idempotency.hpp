// Idempotency-Key: a call repeated with the same key, body and wishes (path, X-Plumb-*) gets the first answer again
// and costs nothing. With another body or wish it is refused (422). While the first call is in progress it is refused
// (409), to be sent again later.
//
//   IdempotentStart start = idempotency.begin(caller.id, key, body, now, wishes);
//   switch (start.kind) ... fresh: make the call, then idempotency.finish(start.ticket, reply, now),
//                           or idempotency.forget(start.ticket) if it failed for a temporary reason
//
// If proxies share, a key that is new here may be known to another:
//
//   std::unique_ptr<AskedOthers> asked = idempotency.ask_others(start, for_ms, told);   // nullptr: nobody is asked
//   std::optional<IdempotentStart> start = idempotency.heard(*asked, now);              // after told(): as above
//
// A key belongs to its client key. Bounded by bytes and by calls in progress; the oldest answers are dropped first.
// For any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/wire/failure.hpp"
#include "native/proxy/shared_claims.hpp"
#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

inline constexpr std::size_t idempotency_key_bytes_max = 255;

enum class IdempotentKind : std::uint8_t { fresh, replay, refused };

struct IdempotentStart {
  IdempotentKind kind = IdempotentKind::fresh;
  ReplyKey ticket = {};                      // for fresh
  ReplyKey body = {};                        // digest of the request
  std::shared_ptr<const StoredReply> reply;  // for replay
  wire::Failure failure;                     // for refused
};

// A question to other proxies about a key. Destroying it cancels the callback.
class AskedOthers {
 public:
  AskedOthers(IdempotentStart fresh, std::function<void()> told);
  ~AskedOthers();
  AskedOthers(const AskedOthers&) = delete;
  AskedOthers& operator=(const AskedOthers&) = delete;

 private:
  friend class Idempotency;
  struct Slot {
    std::mutex mutex;
    std::function<void()> told;
    std::optional<ClaimAnswer> answer;
  };
  const IdempotentStart start_;
  const std::shared_ptr<Slot> slot_;
};

class Idempotency {
 public:
  static constexpr std::size_t under_way_max = 10'000;

  explicit Idempotency(const CacheSettings& settings) : replies_(settings) {}
  void set(const CacheSettings& settings) { replies_.set(settings); }

  // `wishes`: everything else that identifies the request, beside the body.
  IdempotentStart begin(std::string_view client, std::string_view key, std::string_view body, TimePoint now,
                        std::string_view wishes = {});
  // Asks other proxies about a fresh key before the call is made, if proxies share and answers are kept; else nullptr.
  // `for_ms`: the longest time the call may take. `told` is called once, from any thread, possibly inside this
  // function.
  std::unique_ptr<AskedOthers> ask_others(const IdempotentStart& start, std::uint64_t for_ms,
                                          std::function<void()> told);
  // The others' answer; nothing before told(). Not after the ticket was finished or forgotten.
  std::optional<IdempotentStart> heard(AskedOthers& asked, TimePoint now);
  // Shares with others, or with nobody (nullptr). May be called at any time.
  void share(std::shared_ptr<SharedClaims> claims);

  void finish(const ReplyKey& ticket, std::shared_ptr<const StoredReply> reply, TimePoint now);
  void forget(const ReplyKey& ticket);
  StoredCounts counts() const { return replies_.counts(); }

 private:
  struct Known {
    ReplyKey body;
    bool over = false;
    std::uint64_t until_ms = 0;  // steady time
    std::uint64_t claim = 0;     // its number among the shared claims; 0: others were not asked
  };
  using Entry = std::map<ReplyKey, Known>::iterator;
  void drop_old(std::uint64_t now_ms);
  // Under the lock: a call that is over.
  bool keep(Entry entry, std::shared_ptr<const StoredReply> reply, TimePoint now, std::uint64_t age_ms);

  StoredReplies replies_;
  mutable std::mutex mutex_;
  std::map<ReplyKey, Known> known_;
  std::multimap<std::uint64_t, ReplyKey> ends_;  // by `until_ms`
  std::size_t under_way_ = 0;
  std::shared_ptr<SharedClaims> shared_;
  std::uint64_t claims_ = 0;
};

}  // namespace plumb::proxy
