// The rules for an Idempotency-Key that several proxies share. The proxy that makes the call claims the key first. Of
// two concurrent claims only one succeeds, because a claim names the record that it follows.
//
//   ClaimVerdict verdict = claim_step(last, {process, body, now_ms, ttl_ms, alive});   // `last`: of the key's subject
//   if (verdict == ClaimVerdict::take) ... put a record behind `last`, if it is still the last
//
// A record is for one key of one caller, and identifies the request only by a hash. It is in progress, or answered
// with a separate text (reply_text). A record in progress ends
//
//   with its answer   the same record, with the name of the text
//   by being erased   the call failed for a temporary reason, and may be made again at once
//   with its process  which was not heard of for the lease of `alive`
//   by its time       `for_ms` and `grace_ms` after it was stored, by the servers' clock and ours
//
// An answered record ends after `ttl_ms`. So a call is repeated only if its process was lost, and then once.
//
// Pure: the same records and requests give the same verdicts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

// Hosts' clocks may differ by this much.
inline constexpr std::uint64_t claim_grace_ms = 60'000;

struct ClaimRecord {
  std::string by;            // the process that makes or made the call
  std::uint64_t number = 0;  // of its claims
  std::string body;          // SHA-256 of the request
  std::uint64_t for_ms = 0;  // the longest time it may be in progress
  std::string answer = {};   // the name of the text; empty: in progress
  bool operator==(const ClaimRecord&) const = default;
};

std::string claim_text(const ClaimRecord& record);
Result<ClaimRecord> read_claim(std::string_view text);

// The servers' last record for a key.
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
  std::function<bool(const std::string& process)> alive;  // asked about other processes
};

enum class ClaimVerdict : std::uint8_t {
  take,        // nobody has claimed it, or not any more
  answered,    // with the answer in its text
  busy,        // another process makes the call
  other_body,  // the key belongs to another request
};
ClaimVerdict claim_step(const std::optional<ClaimSeen>& last, const ClaimAsk& ask);

// What to do with a claim whose call is over, if it is not known whether the claim was stored.
enum class SettleVerdict : std::uint8_t { follow, nothing };
// `follow`: the claim is stored (it is `last`), or nobody has claimed the key and the answer may be published.
SettleVerdict settle_step(const std::optional<ClaimSeen>& last, const ClaimRecord& own, bool has_answer);

// An answer with its status and headers, as one text.
std::string reply_text(const StoredReply& reply);
Result<StoredReply> read_reply(std::string_view text);

}  // namespace plumb::proxy
