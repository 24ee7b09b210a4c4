// Every way out of a call leads through end(), once.
#include "native/proxy/call.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "core/run/stamp.hpp"
#include "native/base/bounded_text.hpp"
#include "native/host/contained.hpp"
#include "native/proxy/call_state.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

std::string_view call_result_name(CallResult result) {
  constexpr std::string_view names[] = {"answered", "refused", "failed", "cut", "client_left"};
  return names[static_cast<std::uint8_t>(result)];
}

std::string CallRecord::target() const {
  return tries.empty() ? std::string() : tries.back().provider + "/" + tries.back().model;
}

Call::Call(std::unique_ptr<CallState> state) : state_(std::move(state)) {}

// What breaks here has broken before, where it was told.
Call::~Call() {
  if (!state_->ended) {
    CallEnd lost;
    lost.result = CallResult::cut;
    lost.status = 0;
    lost.error = "lost";
    (void)host::contained([&] { end(lost, state_->last); });
  } else {
    (void)host::contained([&] { tell(state_->last); });
  }
}

void Call::end_once(const CallEnd& end, TimePoint now) {
  if (!state_->ended) {
    close(end, now);
  }
  tell(now);
}

const Settings& Call::settings() const { return state_->settings(); }
const std::string& Call::id() const { return state_->record.id; }
std::uint64_t Call::deadline_us() const { return state_->deadline_us; }

namespace {

// OpenAI writes a while as "6m0s", "8.64s" or "12ms".
void append_while(BoundedText& out, std::uint64_t ms) {
  if (ms < 1'000) {
    out.number(ms).add("ms");
    return;
  }
  if (ms >= 60'000) {
    out.number(ms / 60'000).add("m");
  }
  out.number(ms / 1'000 % 60);
  if (ms % 1'000 != 0) {
    const std::array<char, 4> fraction = fraction_text(ms);
    const std::string_view text(fraction.data(), fraction.size());
    out.add(text.substr(0, text.find_last_not_of('0') + 1));
  }
  out.add("s");
}

// "x-ratelimit-limit-requests: 100" and the like.
void append_minute(BoundedText& out, std::string_view what, const MinuteLeft& minute) {
  out.add("x-ratelimit-limit-").add(what).add(": ").number(minute.limit);
  out.add("\r\nx-ratelimit-remaining-").add(what).add(": ").number(minute.left);
  out.add("\r\nx-ratelimit-reset-").add(what).add(": ");
  append_while(out, minute.reset_ms);
  out.add("\r\n");
}

void append_minute_of_anthropic(BoundedText& out, std::string_view what, const MinuteLeft& minute,
                                std::uint64_t now_ms) {
  out.add("anthropic-ratelimit-").add(what).add("-limit: ").number(minute.limit);
  out.add("\r\nanthropic-ratelimit-").add(what).add("-remaining: ").number(minute.left);
  out.add("\r\nanthropic-ratelimit-").add(what).add("-reset: ");
  out.add(run::iso_time(now_ms + minute.reset_ms + 999)).add("\r\n");
}

}  // namespace

std::string Call::limit_fields() const {
  constexpr std::size_t bytes_max = 400;  // of one `what`: six lines with a number or a time each
  const CallState& state = *state_;
  const bool anthropic = state.record.route.starts_with("/v1/messages");
  BoundedText lines(2 * bytes_max);
  const auto append = [&](std::string_view what, const MinuteLeft& minute) {
    if (minute.limit == 0) {
      return;
    }
    append_minute(lines, what, minute);
    if (anthropic) {
      append_minute_of_anthropic(lines, what, minute, state.record.began_wall_ms);
    }
  };
  append("requests", state.held.requests);
  append("tokens", state.held.tokens);
  return lines.take();
}

Result<SpendCap> read_spend_cap(std::string_view text) {
  const auto wrong = [&] {
    return Error{ErrorCode::invalid_argument,
                 "x-plumb-budget must be like 'attempts=2, tokens=4000', not '" + json::excerpt(text, 60) + "'", "", 0,
                 0};
  };
  SpendCap cap;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view one = ascii::trim_back(ascii::trim_front(rest.substr(0, comma)));
    const std::size_t equals = one.find('=');
    std::uint64_t number = 0;
    if (equals == std::string_view::npos || !json::read_uint(one.substr(equals + 1), number) || number == 0) {
      return wrong();
    }
    const std::string_view name = one.substr(0, equals);
    if (name != "attempts" && name != "tokens") {
      return wrong();
    }
    (name == "attempts" ? cap.attempts : cap.tokens) = number;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return cap;
}

void Call::cap(const SpendCap& cap) { state_->spend_cap = cap; }
std::uint64_t Call::upstream_calls() const { return state_->record.tries.size(); }
std::uint64_t Call::tokens() const { return state_->usage.input_tokens + state_->usage.output_tokens; }

std::optional<wire::Failure> CallState::over_cap(std::uint64_t tokens_more) const {
  const bool attempts = spend_cap.attempts != 0 && record.tries.size() >= spend_cap.attempts;
  const bool tokens =
      spend_cap.tokens != 0 && usage.input_tokens + usage.output_tokens + tokens_more > spend_cap.tokens;
  if (!attempts && !tokens) {
    return std::nullopt;
  }
  return refusal(
      406, wire::FailureClass::limit, "budget_spent",
      std::string("The request's own x-plumb-budget allows no further ") + (attempts ? "attempt" : "tokens"));
}

Step Call::next(TimePoint now) {
  CallState& state = *state_;
  PLUMB_REQUIRE(!state.open, "a try is told as over before the next one");
  state.last = now;
  if (const std::optional<wire::Failure> over = state.over_cap(0)) {
    Step none;
    none.failure = state.plan.failure() ? *state.plan.failure() : *over;
    return none;
  }
  const PlanStep step = state.plan.next(now, [&state, &now](const Target& target) {
    Readiness readiness;
    state.take_upstream(target, readiness, now);
    return readiness;
  });
  if (step.kind == PlanKind::ask) {
    return state.begin_try(step.target, now);
  }
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

void Call::told_request_id(std::string_view id) {
  // Letters, digits and marks that stand for themselves in a line of the log; no provider has other ids.
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7F' && c != '"' && c != '\\'; };
  if (state_->open && std::all_of(id.begin(), id.end(), is_plain)) {
    state_->record.tries.back().request_id = id.substr(0, 100);
  }
}

void Call::first_byte(TimePoint now) {
  CallState& state = *state_;
  state.last = now;
  state.byte_came = true;
  if (state.record.first_byte_us == 0) {
    state.record.first_byte_us = std::max<std::uint64_t>(1, now.steady_us - state.record.began_us);
  }
}

void Call::answered(const wire::Usage& usage, TimePoint now) {
  CallState& state = *state_;
  if (!state.open) {
    return;
  }
  state.last = now;
  state.byte_came = true;
  state.breaker->good(state.settings().breaker, state.pass, now);
  state.end_try(usage, now);
}

void Call::failed(const wire::Failure& failure, TimePoint now) {
  CallState& state = *state_;
  if (!state.open) {
    return;
  }
  state.last = now;
  UpstreamState& upstream = *state.upstream;
  if (counts_as_failure(failure)) {
    state.breaker->bad(state.settings().breaker, state.pass, now);
  } else {
    state.breaker->good(state.settings().breaker, state.pass, now);
  }
  const auto number = static_cast<std::size_t>(failure.failure_class);
  if (number < upstream.failures.size()) {
    ++upstream.failures[number];
  }
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

bool Call::asked() const { return !state_->record.tries.empty(); }

void Call::cannot_ask(const wire::Failure& failure, TimePoint now) {
  CallState& state = *state_;
  if (!state.open) {
    return;
  }
  state.last = now;
  state.open = false;
  --state.upstream->calls;
  --state.upstream->tries;
  state.breaker->given_up(state.pass);
  state.record.tries.pop_back();
  state.plan.cannot_ask(failure);
}

void Call::stopped(const wire::Usage& usage, TimePoint now) {
  CallState& state = *state_;
  if (!state.open) {
    return;
  }
  state.last = now;
  if (state.byte_came) {
    state.breaker->good(state.settings().breaker, state.pass, now);
  } else {
    state.breaker->given_up(state.pass);
  }
  state.end_try(usage, now);
}

std::optional<wire::Failure> CallState::reserve_more(const Route& to, std::uint64_t input, std::uint64_t output,
                                                     TimePoint now) {
  last = now;
  if (now.steady_us >= deadline_us) {
    return refusal(504, wire::FailureClass::timed_out, "deadline_exceeded",
                   "The time for this call is used up (call_ms: " + std::to_string(settings().bounds.call_ms) + ")");
  }
  if (auto over = over_cap(input + output)) {
    return over;
  }
  const Worst worst = worst_case(settings(), to, model, scopes.cost_limited(), input, output);
  if (worst.refused) {
    return worst.refused;
  }
  if (auto spent = reserve_token(worst.amount.tokens)) {
    return spent;
  }
  const CallScopes::List listed = scopes.scopes();
  if (const auto over = policy->ledger.reserve_more(listed.span(), worst.amount, now, held)) {
    return over_limit(*over);
  }
  input_tokens = input;
  return std::nullopt;
}

std::optional<wire::Failure> Call::repair(std::uint64_t input_tokens, std::uint64_t output_tokens_max, TimePoint now) {
  CallState& state = *state_;
  const std::uint64_t output = output_tokens_max != 0 ? output_tokens_max : state.settings().output_tokens_max;
  if (auto refused = state.reserve_more(state.route, input_tokens, output, now)) {
    return refused;
  }
  if (state.answering) {
    state.plan = std::move(*state.answering);
    state.answering.reset();
  }
  state.plan.again();
  return std::nullopt;
}

std::optional<wire::Failure> Call::judge(std::uint64_t input_tokens, std::uint64_t deadline_us, TimePoint now) {
  CallState& state = *state_;
  const JudgeSettings& judge = state.settings().judge;
  if (auto refused = state.reserve_more(judge.route, input_tokens, judge.output_tokens_max, now)) {
    return refused;
  }
  if (!state.answering) {
    state.answering = std::make_unique<RoutePlan>(std::move(state.plan));
  }
  state.plan = RoutePlan(judge.route, state.settings().retries, std::min(deadline_us, state.deadline_us),
                         next_random(state.random));
  return std::nullopt;
}

void Call::from_idempotency() { state_->record.replayed = true; }

void Call::end(const CallEnd& end, TimePoint now) {
  close(end, now);
  tell(now);
}

void Call::tell(TimePoint now) {
  CallState& state = *state_;
  if (!std::exchange(state.is_told, true)) {
    state.tell(now);
  }
}

void Call::close(const CallEnd& end, TimePoint now) {
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
  record.contract = shown_name(end.contract);
  record.mode = end.mode;
  record.decision = end.decision;
  record.findings = end.findings;
  record.rules = end.rules;
  record.found = end.found;
  record.edits = end.edits;
  record.repairs = end.repairs;
  record.canary = end.canary;
  record.judge = end.judge;
  record.stopped_early = end.stopped_early;
  record.tokens_saved = end.tokens_saved;
  state.record.took_us = now.steady_us - std::min(now.steady_us, state.record.began_us);
  state.settle(end.output_bytes, now);
}

}  // namespace plumb::proxy
