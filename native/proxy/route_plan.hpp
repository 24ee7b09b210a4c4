// RoutePlan: who is asked next, of the targets that a model's name stands for. Pure: time, chance and the state of the
// upstreams are given.
//
// The first is taken by weight; where it fails for a reason that may pass (or there is too much to do for it), the next
// is asked at once: the other weighted targets, then the fallbacks in their order. When all have been tried, or are
// left alone by their breakers, they are tried again after a wait, at most `retries_max` times: as long as the upstream
// asked for (Retry-After), else a backoff that doubles and is spread by chance. What can never be better (400, 401,
// 403, and what else a provider calls final) is not tried again anywhere, but for what another target may not mind: a
// key that this provider does not accept, an input that is too long for this model. No wait goes beyond the deadline.
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
  std::size_t target = 0;     // of ask: index in RoutePlan::targets()
  std::uint64_t wait_ms = 0;  // of wait; of give_up without a failure: until an upstream may be asked again
};

// May the upstream of that target be asked now? If not, how long until it may be worth asking again.
struct Readiness {
  bool ready = true;
  std::uint64_t again_ms = 0;
};
using ReadyNow = std::function<Readiness(const Target& target)>;

// Half to whole of the doubled backoff.
std::uint64_t backoff_ms(const Retries& retries, unsigned retry, std::uint64_t random);

class RoutePlan {
 public:
  RoutePlan(const Route& route, const Retries& retries, std::uint64_t deadline_us, std::uint64_t random);

  // A target that is to be asked has been found ready and taken by `ready`.
  PlanStep next(TimePoint now, const ReadyNow& ready);
  // The one that was asked last has failed.
  void failed(const wire::Failure& failure, TimePoint now);
  // The one that was to be asked last cannot be: its wire has no word for something that the request says.
  void cannot_ask(const wire::Failure& failure);
  // Another round, for a repair: the one that answered first.
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
  std::vector<Candidate> targets_;  // in the order in which they are asked
  std::size_t last_ = 0;
  unsigned tries_ = 0;
  unsigned retries_ = 0;
  std::optional<wire::Failure> failure_;
  bool final_ = false;
  std::optional<std::uint64_t> retry_at_us_;
};

// The next of a series of numbers that come of one (splitmix64).
std::uint64_t next_random(std::uint64_t& state);

}  // namespace plumb::proxy
