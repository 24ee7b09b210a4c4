// The law of an Idempotency-Key that several proxies share: whoever makes the call has claimed it before, and of two
// that claim at once one has it, since a claim names the record that it follows.
//
//   ClaimVerdict verdict = claim_step(last, {process, body, now_ms, ttl_ms, alive});   // `last`: of the key's subject
//   if (verdict == ClaimVerdict::take) ... put a record behind `last`, if it is still the last
//
// A record is of one key of one caller, and says what is asked for with it only by a hash. It is under way, or answered
// by a text of its own (reply_text). One under way ends
//
//   with its answer   the same record, with the name of the text
//   by being erased   the call has failed for a reason that may pass: it may be made again at once
//   with its process  that was not heard for the lease of `alive`
//   by its time       `for_ms` and `grace_ms` after it was stored, by the servers' clock and ours
//
// and one that is answered after `ttl_ms`. So a call is made more than once only where who made it was lost: once more.
//
// Pure: the same records and asks give the same verdicts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

// Clocks of hosts may differ by this.
inline constexpr std::uint64_t claim_grace_ms = 60'000;

struct ClaimRecord {
  std::string by;            // the process that makes the call, or has made it
  std::uint64_t number = 0;  // of its claims
  std::string body;          // SHA-256 of what is asked for
  std::uint64_t for_ms = 0;  // so long it may be under way
  std::string answer = {};   // the name of the text; empty: it is under way
  bool operator==(const ClaimRecord&) const = default;
};

std::string claim_text(const ClaimRecord& record);
Result<ClaimRecord> read_claim(std::string_view text);

// What is there of a key, at the servers.
struct ClaimSeen {
  ClaimRecord record;
  std::uint64_t sequence = 0;
  std::uint64_t at_ms = 0;  // since 1970, by the servers' clock
};

struct ClaimAsk {
  std::string by;
  std::string body;
  std::uint64_t now_ms = 0;  // since 1970
  std::uint64_t ttl_ms = 0;
  std::function<bool(const std::string& process)> alive;  // asked of others
};

enum class ClaimVerdict : std::uint8_t {
  take,        // nobody has it, or nobody any more
  answered,    // what its text says
  busy,        // somebody else makes the call
  other_body,  // the key belongs to another request
};
ClaimVerdict claim_step(const std::optional<ClaimSeen>& last, const ClaimAsk& ask);

// What becomes of a claim whose call is over, where it is not known whether it was stored.
enum class SettleVerdict : std::uint8_t { follow, nothing };
// `follow`: the claim is there (it is `last`), or an answer may be told where nobody has claimed anything.
SettleVerdict settle_step(const std::optional<ClaimSeen>& last, const ClaimRecord& own, bool has_answer);

// An answer with its status and headers, as one text.
std::string reply_text(const StoredReply& reply);
Result<StoredReply> read_reply(std::string_view text);

}  // namespace plumb::proxy
