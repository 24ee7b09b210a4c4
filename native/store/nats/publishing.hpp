// Publishing: messages that the servers are to keep, and who waits for their answers. What they have not answered in
// time is away. Internal to native/store/nats.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "native/store/nats/servers.hpp"

namespace plumb::store {

using Answered = std::function<void(const LogAnswer&)>;
using Headers = std::vector<std::pair<const char*, std::string>>;

class Publishing {
 public:
  explicit Publishing(Servers& servers) : servers_(servers) {}
  ~Publishing();
  Publishing(const Publishing&) = delete;
  Publishing& operator=(const Publishing&) = delete;

  std::optional<Error> open();
  // `done` once, from any thread.
  void publish(const std::string& subject, std::string_view body, const Headers& headers, Answered done);
  // What waits still is answered as away.
  void begin_closing();
  // After the connection was closed.
  void close();

 private:
  struct Waiting {
    Answered done;
    std::uint64_t until_ms = 0;
  };
  Owned<natsMsg> message(const std::string& subject, const std::string& reply, std::string_view body,
                         const Headers& headers) const;
  Answered take(const std::string& reply);
  void answer_came(natsMsg* one);
  void sweep();

  Servers& servers_;
  std::string inbox_;
  Owned<natsSubscription> answers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Waiting> waiting_;  // by the subject that the answer comes under
  std::uint64_t counter_ = 0;
  bool closing_ = false;
  std::thread sweeper_;
};

}  // namespace plumb::store
