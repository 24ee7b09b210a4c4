#include "native/provider/model_call.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utility>

namespace plumb::provider {

namespace {

// What is read of an answer that says why not.
constexpr std::size_t refusal_bytes_max = std::size_t{256} << 10;
// How long a connection is read on after the protocol's own end, so that it can be used again.
constexpr std::uint64_t drain_ms = 2'000;

std::uint64_t random_below(std::uint64_t bound) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return bound == 0 ? 0 : random() % bound;
}

std::uint64_t wall_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

wire::FailureClass class_of(ExchangeEnd end) {
  switch (end) {
    case ExchangeEnd::unreachable:
      return wire::FailureClass::unreachable;
    case ExchangeEnd::timed_out:
    case ExchangeEnd::deadline:
      return wire::FailureClass::timed_out;
    case ExchangeEnd::limit:
      return wire::FailureClass::limit;
    case ExchangeEnd::malformed:
      return wire::FailureClass::malformed;
    case ExchangeEnd::complete:
    case ExchangeEnd::cut:
    case ExchangeEnd::cancelled:
      break;
  }
  return wire::FailureClass::cut;
}

// Another try within the call may help. A provider that was silent for the whole of its time is left to whoever asked,
// and an answer that is not what the protocol says comes from something else than a provider.
bool is_tried_again(const wire::Failure& failure) {
  if (!failure.retryable) {
    return false;
  }
  switch (failure.failure_class) {
    case wire::FailureClass::rate_limited:
    case wire::FailureClass::overloaded:
    case wire::FailureClass::server:
    case wire::FailureClass::unreachable:
    case wire::FailureClass::cut:
      return true;
    case wire::FailureClass::timed_out:
      return failure.status != 0;
    default:
      return false;
  }
}

}  // namespace

ModelCall::ModelCall(Exchanges& exchanges, ModelCallRequest request, const ModelCallLimits& limits,
                     ModelCallEvents events)
    : exchanges_(exchanges),
      request_(std::move(request)),
      limits_(limits),
      events_(std::move(events)),
      deadline_ms_(exchanges.now_ms() + limits.exchange.deadline_ms) {}

std::shared_ptr<ModelCall> ModelCall::start(Exchanges& exchanges, ModelCallRequest request,
                                            const ModelCallLimits& limits, ModelCallEvents events) {
  std::shared_ptr<ModelCall> call(new ModelCall(exchanges, std::move(request), limits, std::move(events)));
  exchanges.post([call] { call->attempt(); });
  return call;
}

void ModelCall::cancel() {
  exchanges_.post([self = shared_from_this()] {
    if (self->over_) {
      return;
    }
    self->exchanges_.forget(self->timer_);
    self->exchanges_.cancel(self->exchange_);
    self->finish(ModelEnd::cancelled, {});
  });
}

std::uint64_t ModelCall::left_ms() const {
  const std::uint64_t now = exchanges_.now_ms();
  return deadline_ms_ > now ? deadline_ms_ - now : 0;
}

void ModelCall::attempt() {
  if (over_) {
    return;
  }
  timer_ = 0;
  ++tries_;
  head_ = {};
  refusal_body_.clear();
  stream_ = std::make_unique<wire::ReplyStream>(request_.endpoint.wire, request_.reply);
  ExchangeRequest request;
  request.origin = request_.endpoint.base.origin;
  request.target = request_.endpoint.target();
  request.headers = request_.endpoint.headers(request_.stream);
  request.body = request_.body;
  ExchangeLimits limits = limits_.exchange;
  limits.deadline_ms = left_ms();
  const std::shared_ptr<ModelCall> self = shared_from_this();
  exchange_ = exchanges_.start(std::move(request), limits,
                               {[self](const ExchangeHead& head) { self->on_head(head); },
                                [self](std::string_view bytes) { return self->on_bytes(bytes); },
                                [self](const ExchangeOutcome& outcome) { self->on_end(outcome); }});
}

void ModelCall::on_head(const ExchangeHead& head) { head_ = head; }

Flow ModelCall::on_bytes(std::string_view bytes) {
  if (over_) {
    return Flow::go_on;  // what follows the end of the protocol
  }
  if (head_.status < 200 || head_.status > 299) {
    refusal_body_ += bytes.substr(0, refusal_bytes_max - refusal_body_.size());
    return refusal_body_.size() < refusal_bytes_max ? Flow::go_on : Flow::stop;
  }
  stream_->push(bytes);
  if (!read_deltas()) {
    return Flow::stop;
  }
  if (stream_->failure()) {
    return Flow::stop;
  }
  if (stream_->done()) {
    drain();
    finish(ModelEnd::answered, {});
  }
  return Flow::go_on;
}

// False when whoever asked wants no more.
bool ModelCall::read_deltas() {
  for (wire::ModelDelta delta; stream_->next(delta);) {
    const bool content = delta.kind != wire::DeltaKind::finish && delta.kind != wire::DeltaKind::usage;
    if (content) {
      last_token_ms_ = exchanges_.now_ms();
      if (!any_) {
        watch_silence();
      }
    }
    any_ = any_ || content;
    if (!enough_ && events_.delta && !events_.delta(delta)) {
      enough_ = true;
    }
    if (enough_) {
      return false;
    }
  }
  return true;
}

// What keeps a connection alive (comments, empty events) is no answer: silence is between tokens.
void ModelCall::watch_silence() {
  const std::uint64_t most = limits_.token_idle_ms;
  if (most == 0 || !request_.stream) {
    return;
  }
  const std::uint64_t so_far = exchanges_.now_ms() - last_token_ms_;
  if (so_far >= most) {
    silence_ = 0;
    exchanges_.cancel(exchange_);
    finish(ModelEnd::failed, wire::make_failure(wire::FailureClass::timed_out,
                                                "no further token came in " + std::to_string(most) + " ms"));
    return;
  }
  silence_ = exchanges_.after(most - so_far, [self = shared_from_this()] {
    if (!self->over_) {
      self->watch_silence();
    }
  });
}

// The answer is over, its connection not yet: the end of its framing follows at once, or it is closed.
void ModelCall::drain() {
  timer_ = exchanges_.after(drain_ms, [self = shared_from_this()] { self->exchanges_.cancel(self->exchange_); });
}

void ModelCall::on_end(const ExchangeOutcome& outcome) {
  if (over_) {
    exchanges_.forget(timer_);
    return;
  }
  if (enough_) {
    finish(ModelEnd::stopped, {});
    return;
  }
  const std::array<std::string_view, 1> secrets = {request_.endpoint.key};
  const std::span<const std::string_view> known(secrets.data(), request_.endpoint.key.empty() ? 0 : 1);
  if (head_.status != 0 && (head_.status < 200 || head_.status > 299)) {
    std::vector<wire::Header> headers;
    for (const HeaderField& field : head_.headers) {
      headers.push_back({field.name, field.value});
    }
    wire::Failure failure = *wire::failure_of(head_.status, headers, refusal_body_, wall_ms(), known);
    if (head_.status >= 300 && head_.status < 400) {
      failure.message += " (redirects are not followed: set the provider's base_url to where it really is)";
    }
    settle(std::move(failure));
    return;
  }
  wire::Failure failure;
  if (outcome.end == ExchangeEnd::complete) {
    stream_->end();
    if (!read_deltas()) {
      finish(ModelEnd::stopped, {});
      return;
    }
  }
  if (stream_->failure()) {
    failure = *stream_->failure();
    failure.message = wire::safe_message(failure.message, known);
    failure.code = wire::safe_message(failure.code, known);
  } else if (outcome.end == ExchangeEnd::complete) {
    finish(ModelEnd::answered, {});
    return;
  } else if (outcome.end == ExchangeEnd::cancelled) {
    finish(ModelEnd::cancelled, {});
    return;
  } else {
    failure = wire::make_failure(class_of(outcome.end), wire::safe_message(outcome.message, known));
    if (outcome.end == ExchangeEnd::deadline) {
      finish(ModelEnd::timed_out, std::move(failure));
      return;
    }
  }
  settle(std::move(failure));
}

// Once more, or not.
void ModelCall::settle(wire::Failure failure) {
  if (any_ || !is_tried_again(failure) || tries_ >= limits_.tries_max) {
    finish(ModelEnd::failed, std::move(failure));
    return;
  }
  std::uint64_t wait_ms = 0;
  if (failure.retry_after_ms) {
    wait_ms = *failure.retry_after_ms + random_below(std::min<std::uint64_t>(*failure.retry_after_ms / 10, 1'000) + 1);
  } else {
    const std::uint64_t most = limits_.backoff_ms << std::min(tries_ - 1, 16U);
    wait_ms = most / 2 + random_below(most / 2 + 1);
  }
  const std::uint64_t left = left_ms();
  if (wait_ms >= left) {
    failure.message += " (to wait for " + std::to_string(wait_ms) + " ms and try again, the " + std::to_string(left) +
                       " ms that are left are too few)";
    finish(ModelEnd::failed, std::move(failure));
    return;
  }
  if (events_.retry) {
    events_.retry({tries_, wait_ms, failure});
  }
  timer_ = exchanges_.after(wait_ms, [self = shared_from_this()] { self->attempt(); });
}

void ModelCall::finish(ModelEnd end, wire::Failure failure) {
  if (over_) {
    return;
  }
  over_ = true;
  exchanges_.forget(silence_);
  ModelOutcome outcome;
  outcome.end = end;
  outcome.failure = std::move(failure);
  outcome.tries = tries_;
  if (stream_) {
    outcome.reply = stream_->take_reply();
  }
  const ModelCallEvents last = std::exchange(events_, {});
  if (last.done) {
    last.done(std::move(outcome));
  }
}

}  // namespace plumb::provider
