// Idempotency-Key: a call that is sent again with the same key, the same body and the same wishes (path, X-Plumb-*) is
// answered as the first time and costs nothing; with others it is refused (422); while the first is under way it is
// refused (409), to be sent again a little later.
//
//   IdempotentStart start = idempotency.begin(caller.id, key, body, now, wishes);
//   switch (start.kind) ... fresh: make the call, then idempotency.finish(start.ticket, reply, now),
//                           or idempotency.forget(start.ticket) where it failed for a reason that may pass
//
// Where proxies share, a key that is fresh here may be known to another one:
//
//   std::unique_ptr<AskedOthers> asked = idempotency.ask_others(start, for_ms, told);   // nullptr: nobody is asked
//   std::optional<IdempotentStart> start = idempotency.heard(*asked, now);              // after told(): as above
//
// A key belongs to its client key. Bounded by bytes and by calls under way; what does not fit is forgotten, oldest
// first. For any number of threads.
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
  ReplyKey ticket = {};                      // of fresh
  ReplyKey body = {};                        // what is asked for
  std::shared_ptr<const StoredReply> reply;  // of replay
  wire::Failure failure;                     // of refused
};

// What other proxies are asked of a key. Nobody is told any more once it is gone.
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

  // `wishes`: what else says what is asked for, beside the body.
  IdempotentStart begin(std::string_view client, std::string_view key, std::string_view body, TimePoint now,
                        std::string_view wishes = {});
  // Others are asked of a fresh key before the call is made, where they share and answers are kept; else nullptr.
  // `for_ms`: the call takes at most so long. `told` is called once, from any thread, also from inside.
  std::unique_ptr<AskedOthers> ask_others(const IdempotentStart& start, std::uint64_t for_ms,
                                          std::function<void()> told);
  // What they have said; nothing before told(). Not where the ticket was finished or forgotten.
  std::optional<IdempotentStart> heard(AskedOthers& asked, TimePoint now);
  // With whom; nullptr: with nobody, which it may become at any time.
  void share(std::shared_ptr<SharedClaims> claims);

  void finish(const ReplyKey& ticket, std::shared_ptr<const StoredReply> reply, TimePoint now);
  void forget(const ReplyKey& ticket);
  StoredCounts counts() const { return replies_.counts(); }

 private:
  struct Known {
    ReplyKey body;
    bool over = false;
    std::uint64_t until_ms = 0;  // steady
    std::uint64_t claim = 0;     // its number among the shared ones; 0: others were not asked
  };
  using Entry = std::map<ReplyKey, Known>::iterator;
  void drop_old(std::uint64_t now_ms);
  // Under the lock: of a call that is over.
  bool keep(Entry entry, std::shared_ptr<const StoredReply> reply, TimePoint now, std::uint64_t age_ms);

  StoredReplies replies_;
  mutable std::mutex mutex_;
  std::map<ReplyKey, Known> known_;
  std::multimap<std::uint64_t, ReplyKey> ends_;  // of `until_ms`
  std::size_t under_way_ = 0;
  std::shared_ptr<SharedClaims> shared_;
  std::uint64_t claims_ = 0;
};

}  // namespace plumb::proxy
