// ReplySharing: claims of Idempotency-Keys that proxies share over NATS, by the rules of claim_law.hpp. A claim is a
// message under its key's hash; the answer is a separate text. Part of Sharing (limit_sharing.hpp), which reports that
// this process lives, and tells it which others do.
//
//   auto replies = ReplySharing::open(std::move(log), options);         // log: Keeps::calls
//   replies->heard(process)                                            // lives
//   policy.idempotency().share(replies);
//   replies->leave(); replies->close();
//
// A claim waits at most `claim_ms`, and reading a stored answer `read_ms`. After that, or if the servers do not
// answer, the call is made with what this proxy knows. A separate probe asks the servers every `probe_ms`. When they
// are back, the outcomes of calls are published for `settle_ms`: at most `settles_max` calls and `settle_bytes_max` of
// answers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "native/proxy/proxy_metrics.hpp"
#include "native/proxy/shared_claims.hpp"
#include "native/store/shared_log.hpp"

namespace plumb::proxy {

struct ReplySharingOptions {
  std::string process;             // this process's name; a new one after each start
  std::uint64_t gone_ms = 10'000;  // after this time without a sign, a process counts as gone
  std::uint64_t claim_ms = 400;
  std::uint64_t read_ms = 2'000;
  std::uint64_t probe_ms = 1'000;
  std::uint64_t settle_ms = 600'000;
  std::size_t settles_max = 10'000;
  std::uint64_t settle_bytes_max = 64U << 20U;
};

class ReplySharing final : public SharedClaims {
 public:
  static std::shared_ptr<ReplySharing> open(std::unique_ptr<store::SharedLog> log, ReplySharingOptions options);
  ~ReplySharing() override;
  ReplySharing(const ReplySharing&) = delete;
  ReplySharing& operator=(const ReplySharing&) = delete;

  // Counts from then on. The metrics must live until close() returns.
  void attach(ProxyMetrics& metrics);
  const std::string& process() const;
  void heard(const std::string& process);

  void claim(std::uint64_t number, const Claim& claim, std::function<void(ClaimAnswer)> done) override;
  void settle(std::uint64_t number, std::shared_ptr<const StoredReply> reply) override;

  // Why nothing is shared at present; empty if it is.
  std::string problem();
  // The number of answers missing at the servers, since the last call.
  std::uint64_t take_gone();
  // Waits at most this long until the outcomes of calls are published; close() then answers the open questions and
  // ends everything.
  void leave(std::uint64_t ms);
  void close();

 private:
  struct State;
  explicit ReplySharing(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace plumb::proxy
