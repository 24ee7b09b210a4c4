#include "native/proxy/breaker.hpp"

#include <algorithm>

namespace plumb::proxy {

namespace {

std::uint64_t bucket_ms(const BreakerSettings& settings) { return std::max<std::uint64_t>(1, settings.window_ms / 10); }

}  // namespace

std::string_view breaker_state_name(BreakerState state) {
  constexpr std::string_view names[] = {"closed", "open", "half-open"};
  return names[static_cast<std::uint8_t>(state)];
}

bool counts_as_failure(const wire::Failure& failure) {
  switch (failure.failure_class) {
    case wire::FailureClass::overloaded:
    case wire::FailureClass::server:
    case wire::FailureClass::malformed:
    case wire::FailureClass::cut:
    case wire::FailureClass::timed_out:
    case wire::FailureClass::unreachable:
      return true;
    case wire::FailureClass::bad_request:
    case wire::FailureClass::unauthorised:
    case wire::FailureClass::forbidden:
    case wire::FailureClass::not_found:
    case wire::FailureClass::rate_limited:
    case wire::FailureClass::limit:
      break;
  }
  return false;
}

Breaker::Bucket& Breaker::bucket(const BreakerSettings& settings, TimePoint now) {
  const std::uint64_t number = now.steady_ms() / bucket_ms(settings);
  Bucket& one = buckets_[number % buckets];
  if (one.number != number) {
    one = {number, 0, 0};
  }
  return one;
}

Breaker::Bucket Breaker::sum(const BreakerSettings& settings, TimePoint now) const {
  const std::uint64_t number = now.steady_ms() / bucket_ms(settings);
  Bucket all;
  for (const Bucket& one : buckets_) {
    if (one.number + buckets > number && one.number <= number) {
      all.calls += one.calls;
      all.failures += one.failures;
    }
  }
  return all;
}

void Breaker::open(TimePoint now) {
  state_ = BreakerState::open;
  opened_at_ms_ = now.steady_ms();
  probing_ = false;
  ++opened_;
}

Breaker::Pass Breaker::pass(const BreakerSettings& settings, TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (state_ == BreakerState::open && now.steady_ms() >= opened_at_ms_ + settings.open_ms) {
    state_ = BreakerState::half_open;
  }
  if (state_ == BreakerState::closed) {
    return Pass::yes;
  }
  if (state_ == BreakerState::open || probing_) {
    return Pass::no;
  }
  probing_ = true;
  return Pass::probe;
}

void Breaker::good(const BreakerSettings& settings, Pass as, TimePoint now) {
  const std::lock_guard lock(mutex_);
  ++bucket(settings, now).calls;
  if (as != Pass::probe) {
    return;
  }
  // What failed before is no longer told of the upstream as it is now.
  buckets_ = {};
  probing_ = false;
  state_ = BreakerState::closed;
}

void Breaker::bad(const BreakerSettings& settings, Pass as, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Bucket& here = bucket(settings, now);
  ++here.calls;
  ++here.failures;
  if (as == Pass::probe) {
    open(now);
    return;
  }
  if (state_ != BreakerState::closed) {
    return;
  }
  const Bucket all = sum(settings, now);
  if (all.failures >= settings.failures_min && all.failures * 2 >= all.calls) {
    open(now);
  }
}

void Breaker::given_up(Pass as) {
  const std::lock_guard lock(mutex_);
  if (as == Pass::probe) {
    probing_ = false;
  }
}

BreakerView Breaker::view(const BreakerSettings& settings, TimePoint now) const {
  const std::lock_guard lock(mutex_);
  const Bucket all = sum(settings, now);
  BreakerView out{state_, 0, opened_, all.calls, all.failures};
  if (state_ == BreakerState::open) {
    const std::uint64_t until = opened_at_ms_ + settings.open_ms;
    out.open_for_ms = until > now.steady_ms() ? until - now.steady_ms() : 0;
    if (out.open_for_ms == 0) {
      out.state = BreakerState::half_open;
    }
  }
  return out;
}

}  // namespace plumb::proxy
