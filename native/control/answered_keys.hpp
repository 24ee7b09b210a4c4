// Idempotency-Key: a request that is sent again, with the same key and the same body, is answered as it was the first
// time and does nothing; the same key with another body is refused.
//
// Answers are kept for 24 hours, in memory; a job is found again by its key in the store too, after a restart and as
// long as its run is kept. When `keys_max` are held, requests with a new key are refused, so that what was promised for
// the others holds.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "native/control/exchange.hpp"

namespace plumb::control {

class AnsweredKeys {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t key_bytes_max = 255;
  static constexpr std::chrono::hours kept{24};

  explicit AnsweredKeys(std::size_t keys_max = 100'000) : keys_max_(keys_max) {}

  enum class Found {
    fresh,       // go on, then end() or forget()
    answered,    // `answer` is what was answered
    under_way,   // the first request with this key has not been answered yet
    other_body,  // the key belongs to another request
    full,
  };
  // `scope` is what the key is unique in: the route and its place.
  Found begin(std::string_view scope, std::string_view key, std::string_view body, Answer& answer,
              Clock::time_point now = Clock::now());
  // Answers without a stream.
  void end(std::string_view scope, std::string_view key, const Answer& answer);
  // The request failed for a reason that may pass: it may be sent again.
  void forget(std::string_view scope, std::string_view key);

  std::size_t size() const;

 private:
  struct Kept {
    std::string digest;  // of the body
    Clock::time_point at;
    bool over = false;
    Answer answer;
  };
  void drop_old(Clock::time_point now);

  std::size_t keys_max_;
  mutable std::mutex mutex_;
  std::map<std::string, Kept, std::less<>> kept_;
  std::deque<std::pair<Clock::time_point, std::string>> order_;  // oldest first; may name keys that were forgotten
};

}  // namespace plumb::control
