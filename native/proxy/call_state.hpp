// CallState: the private state of a Call. Used only by call.cpp and call_state.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "native/proxy/admission.hpp"
#include "native/proxy/call_record.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/route_plan.hpp"

namespace plumb::proxy {

// A name given by a client, cut to at most 100 bytes between characters.
std::string shown_name(std::string_view text);

struct CallState {
  static constexpr Retries once{0};

  CallState(const Beginning& with, std::shared_ptr<const Snapshot> used, const Route& to)
      : policy(with.policy),
        snapshot(std::move(used)),
        route(to),
        scopes(*snapshot->settings, *with.caller, to),
        random(with.random),
        deadline_us(with.now.steady_us + snapshot->settings->bounds.call_ms * 1000),
        plan(to, with.ask.kind == AskKind::answer ? snapshot->settings->retries : once, deadline_us, with.random),
        input_tokens(with.ask.input_tokens),
        model(with.ask.model),
        last(with.now) {}

  std::shared_ptr<PolicyState> policy;
  std::shared_ptr<const Snapshot> snapshot;
  const Route& route;  // from the snapshot
  CallScopes scopes;
  std::uint64_t random;
  std::uint64_t deadline_us;
  RoutePlan plan;
  std::unique_ptr<RoutePlan> answering;  // the answer's plan, while a judge is asked
  std::uint64_t input_tokens;            // of one round, as reserved
  std::string model;                     // as the client wrote it
  Reservation held;
  std::shared_ptr<TokenBudget> token_budget;  // of a client token
  std::uint64_t token_reserved = 0;
  std::shared_ptr<Series> series;
  // Shared with all readers once it is complete.
  std::shared_ptr<CallRecord> shared_record = std::make_shared<CallRecord>();
  CallRecord& record = *shared_record;
  std::string try_traceparent;  // of the try, for the upstream
  std::string tracestate;       // of a client whose trace is continued
  TimePoint last;
  bool ended = false;
  bool is_told = false;

  // The try in progress.
  bool open = false;
  bool byte_came = false;
  Breaker::Pass pass = Breaker::Pass::yes;
  std::shared_ptr<Breaker> breaker;
  UpstreamState* upstream = nullptr;
  Price price;

  // For tries without reported usage that wrote something: the last one's price.
  bool guessed = false;
  Price guessed_price;
  std::uint64_t guessed_input = 0;
  std::uint64_t nano_usd = 0;
  SpendCap spend_cap;
  wire::Usage usage;

  static std::unique_ptr<Call> call_of(std::unique_ptr<CallState> state) {
    return std::unique_ptr<Call>(new Call(std::move(state)));
  }
  const Settings& settings() const { return *snapshot->settings; }
  bool take_upstream(const Target& target, Readiness& readiness, TimePoint now);
  Step begin_try(std::size_t index, TimePoint now);
  void end_try(const wire::Usage& told, TimePoint now);
  // Of the client token's budget; else returns why not.
  std::optional<wire::Failure> reserve_token(std::uint64_t tokens);
  // Reserves one more round; else returns why not.
  std::optional<wire::Failure> over_cap(std::uint64_t tokens_more) const;
  std::optional<wire::Failure> reserve_more(const Route& to, std::uint64_t input, std::uint64_t output, TimePoint now);
  void settle(std::uint64_t output_bytes, TimePoint now);
  void tell(TimePoint now);
};

}  // namespace plumb::proxy
