// RoutePlan: chooses the next target for a model's name. Pure: time, random numbers and the state of the upstreams are
// given.
//
// The first target is chosen by weight. If it fails for a temporary reason, or is overloaded, the next one is asked at
// once: the other weighted targets, then the fallbacks in order. When all were tried, or their breakers are open, they
// are tried again after a wait, at most `retries_max` times. The wait is as long as the upstream asked for
// (Retry-After), or else a doubling backoff with random spread. Permanent failures (400, 401, 403, and others that a
// provider calls final) are not retried anywhere, except those that another target may not have: a key that this
// provider refuses, or an input too long for this model. No wait exceeds the deadline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/wire/failure.hpp"
#include "native/proxy/settings.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

enum class PlanKind : std::uint8_t { ask, wait, give_up };

struct PlanStep {
  PlanKind kind = PlanKind::give_up;
  std::size_t target = 0;     // for ask: index in RoutePlan::targets()
  std::uint64_t wait_ms = 0;  // for wait; for give_up without a failure: time until an upstream may be asked again
};

// May that target's upstream be asked now? If not, when is it worth asking again.
struct Readiness {
  bool ready = true;
  std::uint64_t again_ms = 0;
};
using ReadyNow = std::function<Readiness(const Target& target)>;

// Between half and all of the doubled backoff.
std::uint64_t backoff_ms(const Retries& retries, unsigned retry, std::uint64_t random);

class RoutePlan {
 public:
  RoutePlan(const Route& route, const Retries& retries, std::uint64_t deadline_us, std::uint64_t random);

  // `ready` has found the returned target ready, and reserved it.
  PlanStep next(TimePoint now, const ReadyNow& ready);
  // The target asked last has failed.
  void failed(const wire::Failure& failure, TimePoint now);
  // The target to ask last cannot express something in the request.
  void cannot_ask(const wire::Failure& failure);
  // Starts another round, for a repair, with the target that answered.
  void again();

  const Target& target(std::size_t index) const { return *targets_[index].target; }
  unsigned tries() const { return tries_; }
  unsigned retries() const { return retries_; }
  const std::optional<wire::Failure>& failure() const { return failure_; }

 private:
  struct Candidate {
    const Target* target = nullptr;
    bool tried = false;
    std::uint64_t not_before_us = 0;
  };
  void leave_out(Candidate& one) const;
  PlanStep ask(std::size_t index);
  PlanStep retry(TimePoint now, const ReadyNow& ready);

  const Retries* settings_;
  std::uint64_t deadline_us_;
  std::uint64_t random_;
  std::vector<Candidate> targets_;  // in the order of asking
  std::size_t last_ = 0;
  unsigned tries_ = 0;
  unsigned retries_ = 0;
  std::optional<wire::Failure> failure_;
  bool final_ = false;
  std::optional<std::uint64_t> retry_at_us_;
};

// The next of a series of numbers from one seed (splitmix64).
std::uint64_t next_random(std::uint64_t& state);

}  // namespace plumb::proxy
