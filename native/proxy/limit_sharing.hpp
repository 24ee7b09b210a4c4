// What proxies share over NATS: client keys, and a share of each limit (share_law.hpp). One message a scope, and one
// with the keys; who writes names the message that it follows, so that of two that change the same one is refused.
// What is known of Idempotency-Keys (reply_sharing.hpp) and whose responses are (response_sharing.hpp) is shared beside
// it, where logs for that are given.
//
//   Result<std::unique_ptr<Sharing>> sharing = Sharing::open(std::move(log), options);   // the keys are the same now
//   sharing.value()->attach(policy);
//   (end of scope)                                       // gives back what it has not used
//
// While the servers are away a proxy goes on with the shares that it holds, and says so. Others take a proxy for gone
// when it was not heard for `gone_ms`; what it holds of a minute is then free, and of a day what it had not used when
// it last wrote. So all together let in more than a limit only where a proxy was cut off for longer than that, and then
// at most what it held.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/proxy/policy.hpp"
#include "native/proxy/reply_sharing.hpp"
#include "native/store/shared_log.hpp"

namespace plumb::proxy {

struct SharingOptions {
  std::string name;       // of the servers, in messages: without any password
  std::string keys_file;  // empty: keys are not shared
  std::string host_file;  // keeps this host's name over a restart; empty: it has a new one each time
  std::uint64_t gone_ms = 65'000;
  std::uint64_t tick_ms = 500;
  std::uint64_t used_ms = 10'000;    // what a day has used is told at least so often
  ReplySharingOptions replies = {};  // without a process: it has a name of its own
};

class Sharing {
 public:
  // Reads what is there before it returns, and has the keys of all in its file.
  // `calls`: what Idempotency-Keys are shared over; `responses`: whose those are that providers keep. nullptr: they are
  // not.
  static Result<std::unique_ptr<Sharing>> open(std::unique_ptr<store::SharedLog> log, SharingOptions options,
                                               std::unique_ptr<store::SharedLog> calls = nullptr,
                                               std::unique_ptr<store::SharedLog> responses = nullptr);
  ~Sharing();
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  // Once. The policy must live longer.
  void attach(Policy& policy);

 private:
  struct State;
  explicit Sharing(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace plumb::proxy
