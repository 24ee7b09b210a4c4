// SharedClaims: what other proxies know of an Idempotency-Key; nobody but where proxies share (reply_sharing.hpp).
//
//   claims.claim(number, {ticket, body, for_ms, ttl_ms}, [](ClaimAnswer answer) { ... });   // told once, soon
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
    mine,        // the call is to be made here, and all others know
    alone,       // the others could not be asked in time: what this proxy knows itself counts
    answered,    // with `reply`
    busy,        // another proxy makes the call
    other_body,  // the key belongs to another request
  };
  What what = What::alone;
  std::shared_ptr<const StoredReply> reply = {};
  std::uint64_t age_ms = 0;  // of the reply
};

struct Claim {
  ReplyKey ticket = {};      // of the caller and its key
  ReplyKey body = {};        // of what is asked for
  std::uint64_t for_ms = 0;  // the call takes at most so long
  std::uint64_t ttl_ms = 0;  // an answer is given for so long
};

class SharedClaims {
 public:
  virtual ~SharedClaims() = default;
  // `number`: of this process's claims, never the same twice. `done` comes once, from any thread, also from inside.
  virtual void claim(std::uint64_t number, const Claim& claim, std::function<void(ClaimAnswer)> done) = 0;
  // Also while `done` is not called yet: whoever has asked is gone. Not for what was answered, busy or another body's.
  virtual void settle(std::uint64_t number, std::shared_ptr<const StoredReply> reply) = 0;
};

}  // namespace plumb::proxy
