// Asking providers, one after another as the policy says, until one has answered or none is left; and what time does.
#include <array>
#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "core/wire/facet.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/data_call.hpp"
#include "native/proxy/exchange_failure.hpp"
#include "native/proxy/forwarded_headers.hpp"
#include "native/proxy/upstream_request.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t refusal_bytes_max = 64 << 10;
// After the protocol's own end, for the end of its framing, which lets the connection be used again.
constexpr std::uint64_t framing_ms = 200;

wire::Failure too_long() {
  return wire::make_failure(wire::FailureClass::timed_out, "the call took longer than this proxy allows");
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
    if (is_current()) {
      call->contained([&] { call->on_head(head); });
    }
  }
  provider::Flow on_bytes(std::string_view bytes) override {
    provider::Flow flow = provider::Flow::stop;
    if (is_current()) {
      call->contained([&] { flow = call->on_bytes(bytes); });
    }
    return flow;
  }
  void on_end(provider::ExchangeOutcome outcome) override {
    if (is_current()) {
      call->contained([&] { call->on_end(outcome); });
    }
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
  if (guard_ && (at_.is_repairing() || at_.is_judging())) {
    step_.clear();
    guard_->fail(step.failure, step_);
    on_guard();
    return;
  }
  fail(step.failure, call_->asked() ? CallResult::failed : CallResult::refused);
}

// Why this target has no word for what is wanted.
std::optional<wire::Failure> DataCall::cannot_take(const Step& step) const {
  std::string why;
  if (!pinned_.empty() && !at_.is_judging() && step.target->name != pinned_) {
    why = "previous_response_id: another provider than '" + step.upstream->name + "' keeps that response";
  } else if (route_.wish == wire::Wish::embeddings && !facet_of(step.upstream->endpoint.wire).embeds) {
    why = "embeddings: '" + step.upstream->name + "' speaks Anthropic's interface, which has none";
  } else if (kept_.there() && !step.upstream->endpoint.responses) {
    why = "responses: '" + step.upstream->name + "' has none";
  }
  if (why.empty()) {
    return std::nullopt;
  }
  wire::Failure failure = wire::make_failure(wire::FailureClass::bad_request, why);
  failure.code = "unsupported_parameter";
  return failure;
}

// Whether the provider does not count: the path is not there, rather than the model.
bool DataCall::counts_nothing() const {
  const std::string_view model = std::string_view(round_.target).substr(round_.target.find('/') + 1);
  return route_.wish == wire::Wish::input_tokens &&
         (round_.status == 405 || round_.status == 501 ||
          (round_.status == 404 && round_.whole.find(model) == std::string::npos));
}

// Where the provider does not count, what its messages may be at most is told, and marked.
void DataCall::tell_estimate() {
  std::string body;
  json::Writer(body).begin_object().member_uint("input_tokens", request_.input_tokens_most).end_object();
  answer_.add_kept_fields("x-plumb-estimated: input_tokens\r\n");
  answer_.whole(200, "application/json", body);
  finish(CallResult::answered, "");
}

void DataCall::ask(const Step& step) {
  if (const std::optional<wire::Failure> failure = cannot_take(step)) {
    call_->cannot_ask(*failure, now());
    later(&DataCall::ask_next);
    return;
  }
  if (route_.wish == wire::Wish::input_tokens && !facet_of(step.upstream->endpoint.wire).counts_tokens) {
    call_->cannot_ask({}, now());
    tell_estimate();
    return;
  }
  // Of an embedding every provider but Anthropic takes OpenAI's form.
  const auto in = route_.wish == wire::Wish::embeddings ? wire_
                  : at_.is_judging()                    ? step.upstream->endpoint.wire
                                                        : step.upstream->endpoint.wire_for(wire_);
  const bool binds = guard_ && !choice_->only_observes;
  // Where the guard may stop an answer early, it must come as a stream.
  const bool stream = !at_.is_judging() && (request_.stream || binds);
  Result<UpstreamRequest> made = upstream_request(
      {request_, body_, head_, step, services_.shelf, at_.is_repairing() || at_.is_judging() ? &*guard_ : nullptr,
       at_.is_judging() ? guard::Want::judge : guard::Want::repair, stream, in, kept_});
  if (!made) {
    call_->cannot_ask(wire::failure_of_request(made.error()), now());
    later(&DataCall::ask_next);
    return;
  }
  const std::uint64_t number = round_.number + 1;
  if (round_.number != 0) {
    round_ = Round{};
  }
  round_.number = number;
  round_.wire = in;
  round_.target = step.target->name;
  round_.key = step.upstream->endpoint.key;
  round_.asked_stream = stream;
  if (!made.value().lost.empty()) {
    round_.lost = std::make_unique<std::string>(std::move(made.value().lost));
  }
  answer_.hide(&step.headers->key);
  if (!answer_.begun() && !at_.is_judging()) {
    answer_.set_provider_id({});
  }
  // Streams of lines are always written anew.
  const bool rewritten = round_.wire != wire_ || facet_of(wire_).lines || binds;
  round_.way = rewritten ? Way::rewritten : guard_ ? Way::observe : Way::relay;
  if (round_.way != Way::relay) {
    wire::ReplyOptions options;
    options.structured_tool = std::move(made.value().structured_tool);
    options.answer_bytes_max = call_->settings().bounds.answer_bytes_max;
    options.done_required = false;
    round_.reply = std::make_unique<wire::ReplyStream>(round_.wire, std::move(options));
  }
  round_.kept_back = {made.value().usage_added, guard_.has_value()};

  provider::ExchangeLimits limits = step.upstream->exchange;
  const std::uint64_t now_us = now().steady_us;
  const std::uint64_t left_ms = call_->deadline_us() > now_us ? (call_->deadline_us() - now_us) / 1'000 : 0;
  limits.deadline_ms = std::min(limits.deadline_ms, left_ms);
  limits.body_bytes_max = std::min(limits.body_bytes_max, call_->settings().bounds.answer_bytes_max);
  round_.exchange = loop_.upstream().start_read(std::move(made.value().request), limits,
                                                std::make_shared<Reader>(shared_from_this(), number, *step.upstream));
  tell_spent();
}

void DataCall::tell_provider_id(std::string_view id) {
  call_->told_request_id(id);
  if (!answer_.begun() && !at_.is_judging()) {
    answer_.set_provider_id(id);
  }
}

void DataCall::on_head(const provider::ExchangeHead& head) {
  round_.status = head.status;
  for (const provider::HeaderField& field : head.headers) {
    if (field.name == "content-type") {
      round_.content_type = field.value;
    }
    if (field.name == "x-request-id" || field.name == "request-id") {
      tell_provider_id(field.value);
    }
  }
  if (head.status < 200 || head.status > 299) {
    round_.refusal = std::make_unique<provider::ExchangeHead>(head);
    return;
  }
  round_.says_events = wire::says_events(round_.content_type);
  if (!answer_.begun() && !at_.is_judging()) {
    std::string fields = passed_to_client(head, own_limits_);
    if (round_.lost) {
      fields.append("x-plumb-lost: ").append(*round_.lost).append("\r\n");
    }
    answer_.set_forwarded_headers(std::move(fields));
  }
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
  const bool room = round_.way == Way::rewritten ? rewrite(bytes) : !knows_form(bytes) || pass_on(bytes);
  if (at_.is_over() || round_.over) {
    return provider::Flow::stop;
  }
  const bool done = round_.reply ? round_.reply->done() : round_.watch && round_.streamed && round_.watch->ended();
  if (done && round_.close_at_ms == 0) {
    round_.close_at_ms = now().steady_ms() + framing_ms;
  }
  // It stays paused until has_room(), also where what comes meanwhile is held back and takes no room.
  paused_ = paused_ || !room;
  return room ? provider::Flow::go_on : provider::Flow::pause;
}

void DataCall::on_end(const provider::ExchangeOutcome& outcome) {
  const std::shared_ptr<DataCall> self = shared_from_this();
  if (at_.is_over()) {
    return;
  }
  const bool good = round_.status >= 200 && round_.status <= 299;
  if (outcome.end == provider::ExchangeEnd::complete && counts_nothing()) {
    call_->stopped({}, now());
    tell_estimate();
    return;
  }
  if (outcome.end == provider::ExchangeEnd::complete && !good) {
    std::vector<wire::Header> headers;
    for (const provider::HeaderField& field : round_.refusal->headers) {
      headers.push_back({field.name, field.value});
    }
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
  if (round_.way == Way::rewritten) {
    rewritten_ended();
  } else {
    if (round_.form == wire::AnswerForm::unknown) {
      take_form(wire::AnswerForm::whole);
      pass_on(std::exchange(round_.whole, {}));
    }
    relay_ended();
  }
}

// The round has come to nothing: another one where nothing of it has been released, else the client is told.
void DataCall::try_failed(const wire::Failure& told) {
  const wire::Failure failure = as_ours(told);
  if (!round_.over) {
    stop_round();
  }
  call_->failed(failure, now());
  const bool nothing_released = at_.is_judging()                    ? true
                                : at_.is_repairing()                ? !round_.any
                                : guard_ && !choice_->only_observes ? guard_->restart()
                                                                    : !answer_.released();
  behind_.clear();
  if (nothing_released) {
    if (guard_ && choice_->only_observes) {
      guard_->restart();
    }
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
  if (round_.watch) {
    output_bytes_ += round_.watch->answer_bytes();
  }
  if (round_.exchange != 0) {
    loop_.upstream().cancel(round_.exchange);
  }
}

wire::Usage DataCall::usage_so_far() const {
  if (round_.watch) {
    return round_.watch->usage();
  }
  return round_.reply ? round_.reply->reply().usage : wire::Usage{};
}

// ---------------------------------------------------------------- time

void DataCall::tick(std::uint64_t now_ms) {
  if (!at_.is_over()) {
    contained([&] { on_tick(now_ms); });
  }
}

void DataCall::on_tick(std::uint64_t now_ms) {
  const std::shared_ptr<DataCall> self = shared_from_this();
  if (!call_) {
    // A worker has the request: its client waits for that no longer than for an answer.
    if (began_ms_ == 0) {
      began_ms_ = now_ms;
    }
    if (now_ms >= began_ms_ + services_.policy.settings()->bounds.call_ms) {
      refuse(too_long());
    }
    return;
  }
  // First: an answer that only waits for its judge is given when the call's time is up.
  if (at_.is_judging() && !working_ && now_ms >= judge_until_ms_) {
    judge_too_late();
    return;
  }
  // What the judge has said and a worker reads is given as soon as that has ended.
  if (now_ms * 1'000 >= call_->deadline_us() && !(at_.is_judging() && working_)) {
    fail(too_long(), CallResult::failed);
    return;
  }
  if (others_) {
    return;
  }
  if (!working_ && wake_at_ms_ != 0 && now_ms >= wake_at_ms_) {
    wake_at_ms_ = 0;
    ask_next();
    return;
  }
  if (!working_ && round_.close_at_ms != 0 && now_ms >= round_.close_at_ms) {
    loop_.upstream().cancel(round_.exchange);
    on_end({});
    return;
  }
  const bool between_events = !round_.filter || !round_.filter->passing();
  if (request_.stream && !paused_ && between_events && !round_.passing &&
      now_ms >= answer_.sent_at_ms() + call_->settings().bounds.keepalive_ms) {
    answer_.keep_alive(now_ms);
  }
}

void DataCall::judge_too_late() {
  wake_at_ms_ = 0;
  at_.enter(CallPhase::answer);
  if (!round_.over) {
    stop_round();
  }
  call_->stopped({}, now());
  step_.clear();
  guard_->fail(wire::make_failure(wire::FailureClass::timed_out, "it took longer than judge.deadline_ms allows"),
               step_);
  on_guard();
}

}  // namespace plumb::proxy
