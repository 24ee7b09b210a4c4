#include "native/proxy/route_plan.hpp"

#include <algorithm>

#include "core/wire/failure.hpp"

namespace plumb::proxy {

namespace {

// What is no fault of the request, or only with this model: whoever failed so is not asked again, but another one may
// do better. Its quota is used up, its key is not accepted, the input is too long for it.
bool may_move_on(const wire::Failure& failure) {
  return failure.retryable || failure.failure_class == wire::FailureClass::rate_limited ||
         failure.failure_class == wire::FailureClass::unauthorised || failure.reason == Reason::too_long;
}

// The weighted targets in an order by chance: each next one is drawn by weight of those that are left.
std::vector<const Target*> drawn(const std::vector<Target>& targets, std::uint64_t& random) {
  std::vector<const Target*> left;
  left.reserve(targets.size());
  for (const Target& one : targets) {
    left.push_back(&one);
  }
  std::vector<const Target*> out;
  while (!left.empty()) {
    std::uint64_t sum = 0;
    for (const Target* one : left) {
      sum += one->weight;
    }
    std::uint64_t at = next_random(random) % std::max<std::uint64_t>(1, sum);
    std::size_t i = 0;
    while (i + 1 < left.size() && at >= left[i]->weight) {
      at -= left[i++]->weight;
    }
    out.push_back(left[i]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return out;
}

}  // namespace

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t value = state;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

std::uint64_t backoff_ms(const Retries& retries, unsigned retry, std::uint64_t random) {
  std::uint64_t whole = retries.backoff_ms;
  for (unsigned i = 0; i < retry && whole < retries.backoff_max_ms; ++i) {
    whole *= 2;
  }
  whole = std::max<std::uint64_t>(1, std::min(whole, retries.backoff_max_ms));
  return whole - random % (whole / 2 + 1);
}

RoutePlan::RoutePlan(const Route& route, const Retries& retries, std::uint64_t deadline_us, std::uint64_t random)
    : settings_(&retries), deadline_us_(deadline_us), random_(random) {
  targets_.reserve(route.targets.size() + route.fallbacks.size());
  if (route.targets.size() == 1) {
    targets_.push_back({&route.targets.front()});
  } else {
    for (const Target* one : drawn(route.targets, random_)) {
      targets_.push_back({one});
    }
  }
  for (const Target& one : route.fallbacks) {
    targets_.push_back({&one});
  }
}

PlanStep RoutePlan::ask(std::size_t index) {
  last_ = index;
  ++tries_;
  targets_[index].tried = true;
  retry_at_us_.reset();
  return {PlanKind::ask, index, 0};
}

PlanStep RoutePlan::next(TimePoint now, const ReadyNow& ready) {
  if (final_ || now.steady_us >= deadline_us_) {
    return {};
  }
  if (retry_at_us_ && now.steady_us < *retry_at_us_) {
    return {PlanKind::wait, 0, (*retry_at_us_ - now.steady_us + 999) / 1000};
  }
  if (!retry_at_us_) {
    std::optional<std::uint64_t> soonest_ms;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].tried) {
        continue;
      }
      const Readiness readiness = ready(*targets_[i].target);
      if (readiness.ready) {
        return ask(i);
      }
      soonest_ms = std::min(soonest_ms.value_or(readiness.again_ms), readiness.again_ms);
    }
    if (!failure_) {
      return {PlanKind::give_up, 0, soonest_ms.value_or(0)};
    }
  }
  return retry(now, ready);
}

// All that could be asked has failed: the one that may be asked soonest is, after a wait.
PlanStep RoutePlan::retry(TimePoint now, const ReadyNow& ready) {
  if (retry_at_us_) {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].not_before_us <= now.steady_us && ready(*targets_[i].target).ready) {
        return ask(i);
      }
    }
    retry_at_us_.reset();
  }
  if (retries_ >= settings_->retries_max) {
    return {};
  }
  std::uint64_t soonest_us = targets_.front().not_before_us;
  for (const Candidate& one : targets_) {
    soonest_us = std::min(soonest_us, one.not_before_us);
  }
  const std::uint64_t backoff_us = backoff_ms(*settings_, retries_, next_random(random_)) * 1000;
  const std::uint64_t at_us = std::max(soonest_us, now.steady_us + backoff_us);
  if (at_us >= deadline_us_ ||
      at_us - now.steady_us > std::max(settings_->retry_after_max_ms, settings_->backoff_max_ms) * 1000) {
    return {};
  }
  ++retries_;
  retry_at_us_ = at_us;
  return {PlanKind::wait, 0, (at_us - now.steady_us + 999) / 1000};
}

void RoutePlan::failed(const wire::Failure& failure, TimePoint now) {
  failure_ = failure;
  final_ = !may_move_on(failure);
  if (final_) {
    return;
  }
  // One that is out of quota will not be better within this call.
  targets_[last_].not_before_us =
      !failure.retryable ? deadline_us_ : now.steady_us + failure.retry_after_ms.value_or(0) * 1000;
  if (failure.failure_class != wire::FailureClass::unauthorised) {
    return;
  }
  for (Candidate& one : targets_) {  // the same key
    if (one.target->upstream == targets_[last_].target->upstream) {
      leave_out(one);
    }
  }
}

void RoutePlan::cannot_ask(const wire::Failure& failure) {
  --tries_;
  leave_out(targets_[last_]);
  if (!failure_) {
    failure_ = failure;
  }
}

void RoutePlan::leave_out(Candidate& one) const {
  one.tried = true;
  one.not_before_us = deadline_us_;
}

void RoutePlan::again() {
  std::rotate(targets_.begin(), targets_.begin() + static_cast<std::ptrdiff_t>(last_),
              targets_.begin() + static_cast<std::ptrdiff_t>(last_) + 1);
  for (Candidate& one : targets_) {
    one.tried = false;
  }
  last_ = 0;
  retries_ = 0;
  failure_.reset();
  final_ = false;
  retry_at_us_.reset();
}

}  // namespace plumb::proxy
