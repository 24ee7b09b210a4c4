// Following: a stream's messages in their order, by one thread. Internal to native/store/nats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/store/nats/servers.hpp"

namespace plumb::store {

class Following {
 public:
  // `room`: the part of subjects behind the log's name.
  Following(Servers& servers, std::string stream, std::string room)
      : servers_(servers), stream_(std::move(stream)), room_(std::move(room)) {}

  // As SharedLog::next().
  Result<std::vector<LogMessage>> next(std::uint64_t after, std::size_t messages_max, std::uint64_t timeout_ms);
  // Not followed any more, until next() is called again.
  void stop();
  // After the connection was closed.
  void close() { unfollowed_.clear(); }

 private:
  std::optional<Error> follow_from(std::uint64_t after);

  Servers& servers_;
  const std::string stream_, room_;
  Owned<natsSubscription> followed_;
  // The library (3.4) uses a subscription that was destroyed while messages were on their way to it: one that is not
  // followed any more is unsubscribed, and destroyed later.
  std::vector<std::pair<Owned<natsSubscription>, std::uint64_t>> unfollowed_;  // and since when
  std::uint64_t given_ = 0;                                                    // the last sequence that was given
  std::uint64_t followed_since_ = 0;                                           // as many reconnects
};

}  // namespace plumb::store
