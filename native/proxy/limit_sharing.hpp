// Sharing: what proxies share over NATS: client keys, and a share of each limit (share_law.hpp). There is one message
// per scope, and one with the keys. A writer names the message that it replaces, so of two concurrent changes one is
// refused. Idempotency-Keys (reply_sharing.hpp) and the owners of responses (response_sharing.hpp) are shared too, if
// logs for them are given.
//
//   Result<std::unique_ptr<Sharing>> sharing = Sharing::open(std::move(log), options);   // the keys are the same now
//   sharing.value()->attach(policy);
//   (end of scope)                                       // returns what it has not used
//
// While the servers cannot be reached, a proxy continues with the shares that it holds, and reports it. A proxy that
// was not heard of for `gone_ms` counts as gone: its share of a minute is free again, and of a day what it had not
// used when it last wrote. So the proxies together can exceed a limit only if one was cut off for longer than that,
// and then by at most its share.
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
  std::string name;       // the servers' name in messages, without a password
  std::string keys_file;  // empty: keys are not shared
  std::string host_file;  // keeps this host's name over a restart; empty: a new one each time
  std::uint64_t gone_ms = 65'000;
  std::uint64_t tick_ms = 500;
  std::uint64_t used_ms = 10'000;    // a day's use is published at least this often
  ReplySharingOptions replies = {};  // without a process name: it has its own
};

class Sharing {
 public:
  // Reads the shared state before it returns, and puts all keys into its file. `calls`: the log for Idempotency-Keys;
  // `responses`: the log for the owners of responses. nullptr: not shared.
  static Result<std::unique_ptr<Sharing>> open(std::unique_ptr<store::SharedLog> log, SharingOptions options,
                                               std::unique_ptr<store::SharedLog> calls = nullptr,
                                               std::unique_ptr<store::SharedLog> responses = nullptr);
  ~Sharing();
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  // Call once. The policy must outlive this object.
  void attach(Policy& policy);

 private:
  struct State;
  explicit Sharing(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace plumb::proxy
