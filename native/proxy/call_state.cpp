// A call's own book: what was reserved, which tries there were, what they cost; and how it begins.
#include "native/proxy/call_state.hpp"

#include <algorithm>
#include <array>

#include "native/proxy/access_log.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t busy_again_ms = 100;  // an upstream has as many calls as it may
constexpr std::size_t tracestate_bytes_max = 512;
constexpr std::uint64_t bytes_a_token = 4;  // of text whose tokens nobody counted

void add_usage(wire::Usage& sum, const wire::Usage& more) {
  sum.known = sum.known || more.known;
  sum.input_tokens += more.input_tokens;
  sum.cached_tokens += more.cached_tokens;
  sum.output_tokens += more.output_tokens;
}

}  // namespace

std::string id_of(std::uint64_t random) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<char, 21> id = {'c'};
  for (std::size_t at = 1; at < id.size();) {
    std::uint64_t value = next_random(random);
    for (int i = 0; i < 10; ++i, value >>= 5U) {
      id[at++] = letters[value & 31U];
    }
  }
  return {id.data(), id.size()};
}

std::string shown_name(std::string_view text) {
  std::size_t bytes = std::min(text.size(), std::size_t{100});
  while (bytes < text.size() && bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) {
    --bytes;
  }
  return std::string(text.substr(0, bytes));
}

// Whether the target's upstream may be asked; if so it is taken.
bool CallState::take_upstream(const Target& target, Readiness& readiness, TimePoint now) {
  UpstreamState& state = *snapshot->upstreams[target.upstream];
  const std::uint64_t calls_max = settings().upstreams[target.upstream].calls_max;
  if (state.calls.fetch_add(1) >= calls_max && calls_max != 0) {
    --state.calls;
    readiness = {false, busy_again_ms};
    return false;
  }
  const bool passed_on = target.model.empty();
  breaker = state.breakers.of(passed_on ? model : target.model, passed_on);
  pass = breaker->pass(settings().breaker, now);
  if (pass == Breaker::Pass::no) {
    --state.calls;
    readiness = {false, std::max<std::uint64_t>(1, breaker->view(settings().breaker, now).open_for_ms)};
    return false;
  }
  upstream = &state;
  return true;
}

Step CallState::begin_try(std::size_t index, TimePoint now) {
  const Target& target = plan.target(index);
  const Upstream& to = settings().upstreams[target.upstream];
  Step step;
  step.kind = StepKind::ask;
  step.upstream = &to;
  step.headers = &snapshot->headers[target.upstream];
  step.target = &target;
  step.model = target.model.empty() ? std::string_view(model) : std::string_view(target.model);
  open = true;
  byte_came = false;
  price = settings().price_of(target, step.model);
  ++upstream->tries;
  TryRecord one;
  one.provider = to.name;
  one.model = shown_name(step.model);
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

void CallState::end_try(const wire::Usage& told, TimePoint now) {
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

void CallState::settle(std::uint64_t output_bytes, TimePoint now) {
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
  if (token_budget) {
    token_budget->settle(std::exchange(token_reserved, 0), record.input_tokens + record.output_tokens);
  }
}

std::optional<wire::Failure> CallState::reserve_token(std::uint64_t tokens) {
  if (!token_budget) {
    return std::nullopt;
  }
  if (!token_budget->reserve(tokens)) {
    return refusal(403, wire::FailureClass::forbidden, "client_token_spent",
                   "The budget of this client token is spent: " + std::to_string(token_budget->left()) +
                       " tokens are left, and this call may need up to " + std::to_string(tokens) +
                       "; a smaller max_tokens or a shorter input needs less");
  }
  token_reserved += tokens;
  return std::nullopt;
}

// To metrics, log, spans and the live page.
void CallState::tell(TimePoint now) {
  const RoutePlan& asked = answering ? *answering : plan;
  record.retries = asked.tries() > 0 ? asked.tries() - 1 : 0;
  policy->metrics.add(*series, record);
  policy->canary.add(record);
  --policy->metrics.calls_open;
  if (policy->logs_calls(settings())) {
    policy->write(log_line(record, settings().log));
  }
  const bool sampled = settings().telemetry.on && record.trace.sampled;
  policy->live.add(shared_record, now);
  if (sampled) {
    policy->spans.push(shared_record);
  }
}

std::optional<wire::Failure> begin_call(const Beginning& with, Begun& into) {
  const std::shared_ptr<const Snapshot> snapshot = with.policy->now_used();
  const Settings& settings = *snapshot->settings;
  const Route* route = nullptr;
  if (std::optional<wire::Failure> failure = may_begin(settings, *with.caller, with.ask, route)) {
    return failure;
  }
  auto state = std::make_unique<CallState>(with, snapshot, *route);
  std::uint64_t output = with.ask.output_tokens_max;
  if (output == 0 && with.ask.writes) {
    output = route->output_tokens_max != 0 ? route->output_tokens_max : settings.output_tokens_max;
  }
  output *= std::clamp<std::uint64_t>(with.ask.choices, 1, 1'000);
  const Worst worst =
      worst_case(settings, *route, with.ask.model, with.ask.kind != AskKind::list && state->scopes.cost_limited(),
                 with.ask.input_tokens, output);
  if (worst.refused) {
    return worst.refused;
  }
  state->token_budget = with.caller->budget;
  if (std::optional<wire::Failure> spent = state->reserve_token(worst.amount.tokens)) {
    return spent;
  }
  const CallScopes::List listed = state->scopes.scopes();
  if (const auto over =
          with.policy->ledger.reserve(listed.span(), worst.amount, with.now, state->held, with.ask.patient)) {
    if (state->token_budget) {
      state->token_budget->settle(state->token_reserved, 0);
    }
    into.pending = over->pending;
    return over->pending ? std::nullopt : std::optional(over_limit(*over));
  }

  state->series = with.policy->metrics.series(with.caller->account_id(), route->name);
  ++with.policy->metrics.calls_open;
  CallRecord& record = state->record;
  record.id = id_of(with.random);
  record.client = with.ask.client;
  record.route = with.ask.route;
  record.key = with.caller->id;
  record.model = route->name;
  record.asked = shown_name(with.ask.model);
  record.stream = with.ask.stream;
  record.began_us = with.now.steady_us;
  record.began_wall_ms = with.now.wall_ms;
  if (const auto context = read_traceparent(with.ask.traceparent)) {
    record.trace = *context;
    record.parent_span = context->span;
    if (with.ask.tracestate.size() <= tracestate_bytes_max) {
      state->tracestate = with.ask.tracestate;
    }
  } else {
    record.trace.trace_high = next_random(state->random);
    record.trace.trace_low = next_random(state->random) | 1U;
    record.trace.sampled =
        settings.telemetry.on && next_random(state->random) % 1000 < settings.telemetry.sampled_per_mille;
  }
  record.trace.span = next_random(state->random) | 1U;
  into.call = CallState::call_of(std::move(state));
  return std::nullopt;
}

}  // namespace plumb::proxy
