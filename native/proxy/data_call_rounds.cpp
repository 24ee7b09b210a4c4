// Asking providers, one after another as the policy says, until one has answered or none is left.
#include <array>
#include <utility>
#include <vector>

#include "native/proxy/address.hpp"
#include "native/proxy/data_call.hpp"
#include "native/proxy/passed_fields.hpp"
#include "native/proxy/upstream_request.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t refusal_bytes_max = 64 << 10;
// After the protocol's own end, for the end of its framing, which lets the connection be used again.
constexpr std::uint64_t framing_ms = 200;

wire::Failure failure_of_end(const provider::ExchangeOutcome& outcome) {
  using provider::ExchangeEnd;
  wire::FailureClass failure_class = wire::FailureClass::cut;
  switch (outcome.end) {
    case ExchangeEnd::unreachable:
      failure_class = wire::FailureClass::unreachable;
      break;
    case ExchangeEnd::timed_out:
    case ExchangeEnd::deadline:
      failure_class = wire::FailureClass::timed_out;
      break;
    case ExchangeEnd::malformed:
      failure_class = wire::FailureClass::malformed;
      break;
    case ExchangeEnd::limit:
      failure_class = wire::FailureClass::limit;
      break;
    case ExchangeEnd::complete:
    case ExchangeEnd::cut:
    case ExchangeEnd::cancelled:
      break;
  }
  return wire::make_failure(failure_class, outcome.message);
}

}  // namespace

// What an exchange tells, as long as it is the call's current one.
struct DataCall::Reader final : provider::ExchangeReader {
  Reader(std::shared_ptr<DataCall> of, std::uint64_t round, const Upstream& asked)
      : call(std::move(of)), number(round), upstream(asked) {}

  bool is_current() const { return call->round_.number == number && !call->round_.over; }
  bool may_connect(std::string_view address) override {
    bool may = false;
    call->contained([&] { may = call->call_ && proxy::may_connect(address, upstream, call->call_->settings()); });
    return may;
  }
  void on_head(const provider::ExchangeHead& head) override {
    if (is_current())
      call->contained([&] { call->on_head(head); });
  }
  provider::Flow on_bytes(std::string_view bytes) override {
    provider::Flow flow = provider::Flow::stop;
    if (is_current())
      call->contained([&] { flow = call->on_bytes(bytes); });
    return flow;
  }
  void on_end(provider::ExchangeOutcome outcome) override {
    if (is_current())
      call->contained([&] { call->on_end(outcome); });
  }

  std::shared_ptr<DataCall> call;
  std::uint64_t number;
  const Upstream& upstream;  // of the settings that the call keeps
};

void DataCall::ask_next() {
  const Step step = call_->next(now());
  switch (step.kind) {
    case StepKind::wait:
      wake_at_ms_ = now().steady_ms() + std::max<std::uint64_t>(step.wait_ms, 1);
      return;
    case StepKind::ask:
      ask(step);
      return;
    case StepKind::give_up:
      break;
  }
  if (guard_ && (repairing_ || judging_)) {
    step_.clear();
    guard_->fail(step.failure, step_);
    on_guard();
    return;
  }
  fail(step.failure, CallResult::failed);
}

void DataCall::ask(const Step& step) {
  const bool binds = guard_ && !choice_->only_observes;
  // Where the guard may stop an answer early, it must come as a stream.
  const bool stream = !judging_ && (request_.stream || binds);
  Result<UpstreamRequest> made =
      upstream_request({request_, body_, head_, step, repairing_ || judging_ ? &*guard_ : nullptr,
                        judging_ ? guard::Want::judge : guard::Want::repair, stream});
  if (!made) {
    call_->stopped({}, now());
    wire::Failure failure = wire::failure_of_request(made.error());
    fail(failure, CallResult::refused);
    return;
  }
  const std::uint64_t number = round_.number + 1;
  round_ = Round{};
  round_.number = number;
  round_.wire = step.upstream->endpoint.wire;
  round_.key = step.upstream->endpoint.key;
  round_.asked_stream = stream;
  round_.way = round_.wire != wire_ || binds ? Way::rewritten : guard_ ? Way::observe : Way::relay;
  if (round_.way != Way::relay) {
    wire::ReplyOptions options;
    options.structured_tool = std::move(made.value().structured_tool);
    options.answer_bytes_max = call_->settings().bounds.answer_bytes_max;
    options.done_required = false;
    round_.reply = std::make_unique<wire::ReplyStream>(round_.wire, std::move(options));
  }
  if (round_.way != Way::rewritten)
    round_.filter = std::make_unique<EventFilter>(KeptBack{made.value().usage_added, guard_.has_value()});

  provider::ExchangeLimits limits = step.upstream->exchange;
  const std::uint64_t now_us = now().steady_us;
  const std::uint64_t left_ms = call_->deadline_us() > now_us ? (call_->deadline_us() - now_us) / 1'000 : 0;
  limits.deadline_ms = std::min(limits.deadline_ms, left_ms);
  limits.body_bytes_max = std::min(limits.body_bytes_max, call_->settings().bounds.answer_bytes_max);
  provider::ExchangeRequest request = std::move(made.value().request);
  round_.exchange = loop_.upstream().start_read(std::move(request), limits,
                                                std::make_shared<Reader>(shared_from_this(), number, *step.upstream));
}

void DataCall::on_head(const provider::ExchangeHead& head) {
  round_.status = head.status;
  for (const provider::HeaderField& field : head.headers) {
    if (field.name == "content-type")
      round_.content_type = field.value;
  }
  if (head.status < 200 || head.status > 299) {
    round_.refusal = std::make_unique<provider::ExchangeHead>(head);
    return;
  }
  round_.streamed = round_.content_type.starts_with("text/event-stream") ||
                    (round_.wire == wire::Wire::ollama && round_.asked_stream);
  if (!answer_.begun() && !judging_)
    answer_.set_passed_fields(passed_to_client(head, own_limits_));
  if (round_.way != Way::rewritten)
    round_.watch.emplace(round_.wire, round_.streamed);
}

provider::Flow DataCall::on_bytes(std::string_view bytes) {
  if (round_.status < 200 || round_.status > 299) {
    round_.whole.append(bytes.substr(0, refusal_bytes_max - std::min(refusal_bytes_max, round_.whole.size())));
    return provider::Flow::go_on;
  }
  if (!round_.any) {
    round_.any = true;
    call_->first_byte(now());
  }
  bool room = true;
  if (round_.way == Way::rewritten)
    room = rewrite(bytes);
  else if (round_.streamed)
    room = relay(bytes);
  else
    relay_whole(bytes);
  if (over_ || round_.over)
    return provider::Flow::stop;
  const bool done = round_.reply ? round_.reply->done() : round_.watch && round_.streamed && round_.watch->ended();
  if (done && round_.close_at_ms == 0)
    round_.close_at_ms = now().steady_ms() + framing_ms;
  // It stays paused until has_room(), also where what comes meanwhile is held back and takes no room.
  paused_ = paused_ || !room;
  return room ? provider::Flow::go_on : provider::Flow::pause;
}

void DataCall::on_end(const provider::ExchangeOutcome& outcome) {
  const std::shared_ptr<DataCall> self = shared_from_this();
  if (over_)
    return;
  const bool good = round_.status >= 200 && round_.status <= 299;
  if (outcome.end == provider::ExchangeEnd::complete && !good) {
    std::vector<wire::Header> headers;
    for (const provider::HeaderField& field : round_.refusal->headers)
      headers.push_back({field.name, field.value});
    const std::array<std::string_view, 1> secrets = {round_.key};
    std::optional<wire::Failure> failure =
        wire::failure_of(round_.status, headers, round_.whole, now().wall_ms, secrets);
    try_failed(failure ? *failure : wire::make_failure(wire::FailureClass::malformed, "the provider did not answer"));
    return;
  }
  if (outcome.end != provider::ExchangeEnd::complete) {
    try_failed(failure_of_end(outcome));
    return;
  }
  if (round_.way == Way::rewritten)
    rewritten_ended();
  else
    relay_ended();
}

// The round has come to nothing: another one where nothing of it has been released, else the client is told.
void DataCall::try_failed(const wire::Failure& failure) {
  if (!round_.over)
    stop_round();
  call_->failed(failure, now());
  const bool nothing_released = judging_                            ? true
                                : repairing_                        ? !round_.any
                                : guard_ && !choice_->only_observes ? guard_->restart()
                                                                    : !answer_.released();
  if (nothing_released) {
    if (guard_ && choice_->only_observes)
      guard_->restart();
    later(&DataCall::ask_next);
    return;
  }
  if (guard_ && round_.way == Way::rewritten) {
    step_.clear();
    guard_->fail(failure, step_);
    on_guard();
    return;
  }
  fail(failure, CallResult::cut);
}

void DataCall::stop_round() {
  round_.over = true;
  paused_ = false;
  if (round_.watch)
    output_bytes_ += round_.watch->answer_bytes();
  if (round_.exchange != 0)
    loop_.upstream().cancel(round_.exchange);
}

wire::Usage DataCall::usage_so_far() const {
  if (round_.watch)
    return round_.watch->usage();
  return round_.reply ? round_.reply->reply().usage : wire::Usage{};
}

}  // namespace plumb::proxy
