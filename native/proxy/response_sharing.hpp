// ResponseSharing: the owners of responses that providers keep, shared by proxies over NATS, so that a conversation
// continues at any proxy, and after a restart. There is one message per response, with its provider, under a hash of
// the client key and the response's id.
//
//   ResponseSharing sharing(std::move(log), process);                    // log: Keeps::responses
//   sharing.attach(policy.responses(), warn);                            // the book has the shared entries now
//
// Entries made while the servers cannot be reached are published when they are back, at most `pending_max`.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "native/proxy/response_book.hpp"
#include "native/store/shared_log.hpp"

namespace plumb::proxy {

class ResponseSharing {
 public:
  static constexpr std::size_t pending_max = 10'000;

  // `process`: this process's name; a new one after each start.
  ResponseSharing(std::unique_ptr<store::SharedLog> log, std::string process);
  ~ResponseSharing();
  ResponseSharing(const ResponseSharing&) = delete;
  ResponseSharing& operator=(const ResponseSharing&) = delete;

  // Call once. Waits at most five seconds until the servers' entries are read; the rest follows later. The book must
  // outlive this object; `warn` is called from any thread.
  void attach(ResponseBook& book, std::function<void(const std::string&)> warn);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plumb::proxy
