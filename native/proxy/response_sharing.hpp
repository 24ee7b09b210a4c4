// ResponseSharing: whose the responses are that a provider keeps, shared by proxies over NATS, so that a conversation
// goes on at any of them, and after a restart. One message a response, with who made it, under a hash of the client key
// and its id.
//
//   ResponseSharing sharing(std::move(log), process);                    // log: Keeps::responses
//   sharing.attach(policy.responses(), warn);                            // what is there is in the book now
//
// What was put while the servers are away is told when they are back, at most `pending_max` of it.
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

  // `process`: this one's name; another one after each start.
  ResponseSharing(std::unique_ptr<store::SharedLog> log, std::string process);
  ~ResponseSharing();
  ResponseSharing(const ResponseSharing&) = delete;
  ResponseSharing& operator=(const ResponseSharing&) = delete;

  // Once. Waits until what the servers have is read, five seconds at most; what is not read then comes later. The book
  // must live longer; `warn` is called from any thread.
  void attach(ResponseBook& book, std::function<void(const std::string&)> warn);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plumb::proxy
