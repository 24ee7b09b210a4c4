// A call's own book: what was reserved, which tries there were, what they cost. Every way out of it leads through
// settle(), once.
#include "native/proxy/call.hpp"

#include <algorithm>

#include "core/require.hpp"
#include "native/proxy/access_log.hpp"
#include "native/proxy/admission.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/route_plan.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t asked_bytes_max = 100;
constexpr std::uint64_t busy_again_ms = 100;  // an upstream has as many calls as it may
constexpr std::size_t tracestate_bytes_max = 512;
constexpr std::uint64_t bytes_a_token = 4;  // of text whose tokens nobody counted

std::string call_id(std::uint64_t& random) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
  std::string id = "c";
  for (int half = 0; half < 2; ++half) {
    std::uint64_t value = next_random(random);
    for (int i = 0; i < 10; ++i, value >>= 5U)
      id += letters[value & 31U];
  }
  return id;
}

// At most so many bytes, cut between characters.
std::string clipped(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max)
    return std::string(text);
  while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xC0U) == 0x80U)
    --bytes_max;
  return std::string(text.substr(0, bytes_max));
}

void add_usage(wire::Usage& sum, const wire::Usage& more) {
  sum.known = sum.known || more.known;
  sum.input_tokens += more.input_tokens;
  sum.cached_tokens += more.cached_tokens;
  sum.output_tokens += more.output_tokens;
}

}  // namespace

std::string_view call_result_name(CallResult result) {
  constexpr std::string_view names[] = {"answered", "refused", "failed", "cut", "client_left"};
  return names[static_cast<std::uint8_t>(result)];
}

std::string CallRecord::target() const {
  return tries.empty() ? std::string() : tries.back().provider + "/" + tries.back().model;
}

struct CallState {
  CallState(const Beginning& with, std::shared_ptr<const Snapshot> used, const Route& to)
      : policy(with.policy),
        snapshot(std::move(used)),
        route(to),
        scopes(*snapshot->settings, *with.caller, to),
        random(with.random),
        deadline_us(with.now.steady_us + snapshot->settings->bounds.call_ms * 1000),
        plan(to, snapshot->settings->retries, deadline_us, with.random),
        input_tokens(with.ask.input_tokens),
        model(with.ask.model),
        last(with.now) {}

  std::shared_ptr<PolicyState> policy;
  std::shared_ptr<const Snapshot> snapshot;
  const Route& route;  // of the snapshot
  CallScopes scopes;
  std::uint64_t random;
  std::uint64_t deadline_us;
  RoutePlan plan;
  std::uint64_t input_tokens;  // of one round, as reserved
  std::string model;           // as the client wrote it
  std::string id;
  Reservation held;
  std::shared_ptr<Series> series;
  CallRecord record;
  std::string traceparent;      // of the call, for the client
  std::string try_traceparent;  // of the try, for the upstream
  std::string tracestate;       // of a client whose trace is carried on
  Moment last;
  bool ended = false;

  // The try that is under way.
  bool open = false;
  bool byte_came = false;
  Breaker::Pass pass = Breaker::Pass::yes;
  UpstreamState* upstream = nullptr;
  Price price;

  // Of tries whose usage nobody told though something was written: the price of the last one.
  bool guessed = false;
  Price guessed_price;
  std::uint64_t guessed_input = 0;
  std::uint64_t nano_usd = 0;
  wire::Usage usage;

  static std::unique_ptr<Call> call_of(std::unique_ptr<CallState> state) {
    return std::unique_ptr<Call>(new Call(std::move(state)));
  }
  const Settings& settings() const { return *snapshot->settings; }
  bool take_upstream(const Target& target, Readiness& readiness, Moment now);
  Step begin_try(std::size_t index, Moment now);
  void end_try(const wire::Usage& told, Moment now);
  void settle(std::uint64_t output_bytes, Moment now);
  void tell(Moment now);
};

// Whether the target's upstream may be asked; if so it is taken.
bool CallState::take_upstream(const Target& target, Readiness& readiness, Moment now) {
  UpstreamState& state = *snapshot->upstreams[target.upstream];
  const std::uint64_t calls_max = settings().upstreams[target.upstream].calls_max;
  if (state.calls.fetch_add(1) >= calls_max && calls_max != 0) {
    --state.calls;
    readiness = {false, busy_again_ms};
    return false;
  }
  pass = state.breaker.pass(settings().breaker, now);
  if (pass == Breaker::Pass::no) {
    --state.calls;
    readiness = {false, std::max<std::uint64_t>(1, state.breaker.view(settings().breaker, now).open_for_ms)};
    return false;
  }
  upstream = &state;
  return true;
}

Step CallState::begin_try(std::size_t index, Moment now) {
  const Target& target = plan.target(index);
  const Upstream& to = settings().upstreams[target.upstream];
  Step step;
  step.kind = StepKind::ask;
  step.upstream = &to;
  step.target = &target;
  step.model = target.model.empty() ? std::string_view(model) : std::string_view(target.model);
  open = true;
  byte_came = false;
  price = settings().price_of(target, step.model);
  ++upstream->tries;
  TryRecord one;
  one.provider = to.name;
  one.model = clipped(step.model, asked_bytes_max);
  one.host = to.endpoint.base.origin.host;
  one.port = to.endpoint.base.origin.port;
  one.span = next_random(random) | 1U;
  one.began_us = now.steady_us;
  TraceContext context = record.trace;
  context.span = one.span;
  try_traceparent = traceparent_text(context);
  step.traceparent = try_traceparent;
  step.tracestate = tracestate;
  record.tries.push_back(std::move(one));
  return step;
}

void CallState::end_try(const wire::Usage& told, Moment now) {
  open = false;
  --upstream->calls;
  record.tries.back().ended_us = now.steady_us;
  record.tries.back().usage = told;
  if (told.known) {
    add_usage(usage, told);
    nano_usd += cost_nano_usd(price, told.input_tokens, told.cached_tokens, told.output_tokens);
  } else if (byte_came) {
    guessed = true;
    guessed_price = price;
    guessed_input += input_tokens;
    nano_usd += cost_nano_usd(price, input_tokens, 0, 0);
  }
}

void CallState::settle(std::uint64_t output_bytes, Moment now) {
  record.input_tokens = usage.input_tokens + guessed_input;
  record.output_tokens = usage.output_tokens;
  if (guessed) {
    const std::uint64_t output = (output_bytes + bytes_a_token - 1) / bytes_a_token;
    record.output_tokens += output;
    nano_usd += cost_nano_usd(guessed_price, 0, 0, output);
  }
  record.estimated = guessed;
  record.nano_usd = nano_usd;
  policy->ledger.settle(held, {record.input_tokens + record.output_tokens, nano_usd}, now);
}

// To metrics, log, spans and the live page.
void CallState::tell(Moment now) {
  record.took_us = now.steady_us - std::min(now.steady_us, record.began_us);
  record.retries = plan.tries() > 0 ? plan.tries() - 1 : 0;
  policy->metrics.add(*series, record);
  --policy->metrics.calls_open;
  if (policy->logs_calls(settings()))
    policy->write(log_line(record, settings().log));
  const bool sampled = settings().telemetry.on && record.trace.sampled;
  const auto shared = std::make_shared<const CallRecord>(std::move(record));
  policy->live.add(shared, now);
  if (sampled)
    policy->spans.push(shared);
}

std::optional<wire::Failure> begin_call(const Beginning& with, std::unique_ptr<Call>& into) {
  const std::shared_ptr<const Snapshot> snapshot = with.policy->now_used();
  const Settings& settings = *snapshot->settings;
  const Route* route = nullptr;
  if (std::optional<wire::Failure> failure = may_begin(settings, *with.caller, with.ask, route))
    return failure;
  auto state = std::make_unique<CallState>(with, snapshot, *route);
  std::uint64_t output = with.ask.output_tokens_max;
  if (output == 0)
    output = route->output_tokens_max != 0 ? route->output_tokens_max : settings.output_tokens_max;
  output *= std::clamp<std::uint64_t>(with.ask.choices, 1, 1'000);
  const Worst worst =
      worst_case(settings, *route, with.ask.model, state->scopes.cost_limited(), with.ask.input_tokens, output);
  if (worst.refused)
    return worst.refused;
  const auto scopes = state->scopes.scopes();
  if (const auto over = with.policy->ledger.reserve(scopes, worst.amount, with.now, state->held))
    return over_limit(*over);

  state->series = with.policy->metrics.series(with.caller->id, route->name);
  ++with.policy->metrics.calls_open;
  CallRecord& record = state->record;
  state->id = call_id(state->random);
  record.id = state->id;
  record.route = with.ask.route;
  record.key = with.caller->id;
  record.model = route->name;
  record.asked = clipped(with.ask.model, asked_bytes_max);
  record.stream = with.ask.stream;
  record.began_us = with.now.steady_us;
  record.began_wall_ms = with.now.wall_ms;
  if (const auto context = read_traceparent(with.ask.traceparent)) {
    record.trace = *context;
    record.parent_span = context->span;
    if (with.ask.tracestate.size() <= tracestate_bytes_max)
      state->tracestate = with.ask.tracestate;
  } else {
    record.trace.trace_high = next_random(state->random);
    record.trace.trace_low = next_random(state->random) | 1U;
    record.trace.sampled =
        settings.telemetry.on && next_random(state->random) % 1000 < settings.telemetry.sampled_per_mille;
  }
  record.trace.span = next_random(state->random) | 1U;
  state->traceparent = traceparent_text(record.trace);
  into = CallState::call_of(std::move(state));
  return std::nullopt;
}

Call::Call(std::unique_ptr<CallState> state) : state_(std::move(state)) {}

Call::~Call() {
  if (!state_->ended) {
    CallEnd lost;
    lost.result = CallResult::cut;
    lost.status = 0;
    lost.error = "lost";
    end(lost, state_->last);
  }
}

const Settings& Call::settings() const { return state_->settings(); }
const std::string& Call::id() const { return state_->id; }
std::string_view Call::client_traceparent() const { return state_->traceparent; }
std::uint64_t Call::deadline_us() const { return state_->deadline_us; }

Step Call::next(Moment now) {
  CallState& state = *state_;
  PLUMB_REQUIRE(!state.open, "a try is told as over before the next one");
  state.last = now;
  const PlanStep step = state.plan.next(now, [&state, now](const Target& target) {
    Readiness readiness;
    state.take_upstream(target, readiness, now);
    return readiness;
  });
  if (step.kind == PlanKind::ask)
    return state.begin_try(step.target, now);
  Step out;
  if (step.kind == PlanKind::wait) {
    out.kind = StepKind::wait;
    out.wait_ms = step.wait_ms;
    return out;
  }
  if (state.plan.failure()) {
    out.failure = *state.plan.failure();
  } else if (now.steady_us >= state.deadline_us) {
    out.failure =
        refusal(504, wire::FailureClass::timed_out, "deadline_exceeded",
                "The time for this call is used up (call_ms: " + std::to_string(state.settings().bounds.call_ms) + ")");
  } else {
    out.failure = refusal(503, wire::FailureClass::overloaded, "upstreams_unavailable",
                          "No provider of the model '" + state.route.name +
                              "' can be asked now: each is left alone after failures, or has all the calls it may",
                          std::max<std::uint64_t>(1'000, step.wait_ms));
  }
  return out;
}

void Call::first_byte(Moment now) {
  CallState& state = *state_;
  state.last = now;
  state.byte_came = true;
  if (state.record.first_byte_us == 0)
    state.record.first_byte_us = std::max<std::uint64_t>(1, now.steady_us - state.record.began_us);
}

void Call::answered(const wire::Usage& usage, Moment now) {
  CallState& state = *state_;
  if (!state.open)
    return;
  state.last = now;
  state.byte_came = true;
  state.upstream->breaker.good(state.settings().breaker, state.pass, now);
  state.end_try(usage, now);
}

void Call::failed(const wire::Failure& failure, Moment now) {
  CallState& state = *state_;
  if (!state.open)
    return;
  state.last = now;
  UpstreamState& upstream = *state.upstream;
  if (counts_as_failure(failure)) {
    upstream.breaker.bad(state.settings().breaker, state.pass, now);
  } else {
    upstream.breaker.good(state.settings().breaker, state.pass, now);
  }
  const auto number = static_cast<std::size_t>(failure.failure_class);
  if (number < upstream.failures.size())
    ++upstream.failures[number];
  {
    const std::lock_guard lock(upstream.mutex);
    upstream.last_failure = wire::failure_class_name(failure.failure_class);
    upstream.last_failure_ms = now.wall_ms;
  }
  TryRecord& one = state.record.tries.back();
  one.failure = wire::failure_class_name(failure.failure_class);
  one.status = failure.status;
  state.end_try({}, now);
  state.plan.failed(failure, now);
}

void Call::stopped(const wire::Usage& usage, Moment now) {
  CallState& state = *state_;
  if (!state.open)
    return;
  state.last = now;
  if (state.byte_came) {
    state.upstream->breaker.good(state.settings().breaker, state.pass, now);
  } else {
    state.upstream->breaker.given_up(state.pass);
  }
  state.end_try(usage, now);
}

std::optional<wire::Failure> Call::repair(std::uint64_t input_tokens, std::uint64_t output_tokens_max, Moment now) {
  CallState& state = *state_;
  state.last = now;
  if (now.steady_us >= state.deadline_us) {
    return refusal(
        504, wire::FailureClass::timed_out, "deadline_exceeded",
        "The time for this call is used up (call_ms: " + std::to_string(state.settings().bounds.call_ms) + ")");
  }
  const std::uint64_t output = output_tokens_max != 0 ? output_tokens_max : state.settings().output_tokens_max;
  const Worst worst =
      worst_case(state.settings(), state.route, state.model, state.scopes.cost_limited(), input_tokens, output);
  if (worst.refused)
    return worst.refused;
  const auto scopes = state.scopes.scopes();
  if (const auto over = state.policy->ledger.reserve_more(scopes, worst.amount, now, state.held))
    return over_limit(*over);
  state.input_tokens = input_tokens;
  state.plan.again();
  return std::nullopt;
}

void Call::from_cache() { state_->record.cached = true; }
void Call::from_idempotency() { state_->record.replayed = true; }

void Call::end(const CallEnd& end, Moment now) {
  CallState& state = *state_;
  PLUMB_REQUIRE(!state.ended, "a call ends once");
  state.ended = true;
  if (state.open) {
    if (end.result == CallResult::cut && end.error != "lost") {
      failed(wire::make_failure(wire::FailureClass::cut, "The answer ended before it was complete"), now);
    } else {
      stopped({}, now);
    }
  }
  CallRecord& record = state.record;
  record.result = end.result;
  record.status = end.status;
  record.error = end.error;
  record.contract = clipped(end.contract, asked_bytes_max);
  record.mode = end.mode;
  record.decision = end.decision;
  record.findings = end.findings;
  record.edits = end.edits;
  record.stopped_early = end.stopped_early;
  record.tokens_saved = end.tokens_saved;
  state.settle(end.output_bytes, now);
  state.tell(now);
}

}  // namespace plumb::proxy
