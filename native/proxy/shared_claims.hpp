// SharedClaims: what other proxies know about an Idempotency-Key. Only used if proxies share (reply_sharing.hpp).
//
//   claims.claim(number, {ticket, body, for_ms, ttl_ms}, [](ClaimAnswer answer) { ... });   // called once, soon
//   claims.settle(number, reply);                  // the call that was `mine` or `alone` is over; nullptr: forgotten
//
// For any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

struct ClaimAnswer {
  enum class What : std::uint8_t {
    mine,        // make the call here; all others know
    alone,       // the others could not be asked in time: use what this proxy knows
    answered,    // with `reply`
    busy,        // another proxy makes the call
    other_body,  // the key belongs to another request
  };
  What what = What::alone;
  std::shared_ptr<const StoredReply> reply = {};
  std::uint64_t age_ms = 0;  // of the reply
};

struct Claim {
  ReplyKey ticket = {};      // digest of the caller and its key
  ReplyKey body = {};        // digest of the request
  std::uint64_t for_ms = 0;  // the longest time the call may take
  std::uint64_t ttl_ms = 0;  // how long its answer is repeated
};

class SharedClaims {
 public:
  virtual ~SharedClaims() = default;
  // `number`: of this process's claims, never used twice. `done` is called once, from any thread, possibly inside this
  // function.
  virtual void claim(std::uint64_t number, const Claim& claim, std::function<void(ClaimAnswer)> done) = 0;
  // May be called before `done`: the asking client is gone. Not for claims that were answered, busy, or of another
  // body.
  virtual void settle(std::uint64_t number, std::shared_ptr<const StoredReply> reply) = 0;
};

}  // namespace plumb::proxy
