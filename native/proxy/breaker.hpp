// Breaker: stops calling an upstream that keeps failing. There is one per upstream and model (breaker_set.hpp).
//
//   closed      calls go through; opens when, within `window_ms`, at least `failures_min` calls and half of all failed
//   open        none goes through for `open_ms`
//   half-open   one goes through, the probe: its success closes, its failure opens again
//
// A failure means that the upstream is not healthy: no connection, no answer in time, a server error, an invalid
// answer. A refusal (400, 401, 403, 404) or a rate limit is an answer. For any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "core/wire/failure.hpp"
#include "native/proxy/settings.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

enum class BreakerState : std::uint8_t { closed, open, half_open };
std::string_view breaker_state_name(BreakerState state);

bool counts_as_failure(const wire::Failure& failure);

struct BreakerView {
  BreakerState state = BreakerState::closed;
  std::uint64_t open_for_ms = 0;  // remaining time
  std::uint64_t opened = 0;       // number of times so far
  std::uint64_t calls = 0;        // within the window
  std::uint64_t failures = 0;
};

class Breaker {
 public:
  enum class Pass : std::uint8_t { yes, probe, no };

  // Asks to make a call. The caller reports the outcome with the Pass that it got.
  Pass pass(const BreakerSettings& settings, TimePoint now);
  void good(const BreakerSettings& settings, Pass as, TimePoint now);
  void bad(const BreakerSettings& settings, Pass as, TimePoint now);
  // The call was given up for another reason, so nothing is known.
  void given_up(Pass as);

  BreakerView view(const BreakerSettings& settings, TimePoint now) const;

 private:
  static constexpr std::size_t buckets = 10;
  struct Bucket {
    std::uint64_t number = 0;
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
  };
  Bucket& bucket(const BreakerSettings& settings, TimePoint now);
  Bucket sum(const BreakerSettings& settings, TimePoint now) const;
  void open(TimePoint now);

  mutable std::mutex mutex_;
  BreakerState state_ = BreakerState::closed;
  bool probing_ = false;
  std::uint64_t opened_at_ms_ = 0;
  std::uint64_t opened_ = 0;
  std::array<Bucket, buckets> buckets_;
};

}  // namespace plumb::proxy
