// ReplySharing: the claims of Idempotency-Keys that proxies share over NATS, by the law of claim_law.hpp. A claim is a
// message of its key's subject, a hash; what was answered is a text of its own. Part of Sharing (limit_sharing.hpp),
// which says for it that this process lives, and tells it who else does.
//
//   auto replies = ReplySharing::open(std::move(log), options);         // log: Keeps::calls
//   replies->heard(process)                                            // lives
//   policy.idempotency().share(replies);
//   replies->leave(); replies->close();
//
// A claim is waited for `claim_ms`, an answer that is there `read_ms`; after that, and while the servers do not answer,
// the call is made with what this proxy knows itself. They are asked again every `probe_ms`, by no call. What a call
// came to is told when they are back, for `settle_ms`: at most `settles_max` calls and `settle_bytes_max` of answers.
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
  std::string process;             // this one's name; another one after each start
  std::uint64_t gone_ms = 10'000;  // of a process that was not heard
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

  // Counts from then on; the metrics must live longer than close() is away.
  void attach(ProxyMetrics& metrics);
  const std::string& process() const;
  void heard(const std::string& process);

  void claim(std::uint64_t number, const Claim& claim, std::function<void(ClaimAnswer)> done) override;
  void settle(std::uint64_t number, std::shared_ptr<const StoredReply> reply) override;

  // Why nothing is shared at present; empty: it is.
  std::string problem();
  // How many answers were found to be gone at the servers since this was asked last.
  std::uint64_t take_gone();
  // Waits until what calls came to is told, at most so long; close() then answers what is still asked, and ends all.
  void leave(std::uint64_t ms);
  void close();

 private:
  struct State;
  explicit ReplySharing(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace plumb::proxy
