// Call: one model call of a client, from admission to accounting. policy.begin() makes it; then
//
//   while (true) {
//     Step step = call.next(now);                            // ask a target, wait, or give up
//     if (step.kind == StepKind::wait) { ... step.wait_ms later: call.next(now) again ... }
//     if (step.kind == StepKind::give_up) { ... append_failure(step.failure) ...; break; }
//     ... ask step.target at step.upstream->endpoint, sending `traceparent: ` + step.traceparent ...
//     call.first_byte(now);                                  // a good status and the first byte of the answer
//     call.answered(usage, now)                              // the upstream's answer is complete; or
//     call.failed(failure, now);                             // ... it failed, nothing released yet: next() again
//   }
//   call.end(end, now);                                      // once, last: settled, counted, logged
//
// A repair is another round: call.repair(input_tokens, output_tokens_max, now) reserves for it, or says why not; then
// next() and so on. A Call destroyed without end() is settled as cut with its reservation, so every call is accounted
// for exactly once. One Call is used by one thread at a time; different calls may run in parallel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"
#include "native/proxy/found_rule.hpp"
#include "native/proxy/secret.hpp"
#include "native/proxy/settings.hpp"
#include "native/proxy/spend_cap.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

enum class StepKind : std::uint8_t { ask, wait, give_up };
// The header lines of every request to an upstream, including its key.
struct UpstreamHeaders {
  std::string whole;   // for an answer in one piece
  std::string stream;  // for a stream
  Secret key;          // the key in these lines
};

// Pointers are valid as long as the Call.
struct Step {
  StepKind kind = StepKind::give_up;
  const Upstream* upstream = nullptr;  // for ask
  const UpstreamHeaders* headers = nullptr;
  const Target* target = nullptr;
  std::string_view model;        // the model name to send
  std::string_view traceparent;  // of this try, to send
  std::string_view tracestate;   // as the client sent it, if it is passed on; else empty
  std::uint64_t wait_ms = 0;     // for wait
  wire::Failure failure;         // for give_up
};

enum class CallResult : std::uint8_t {
  answered,     // the client has the whole answer
  refused,      // by the proxy, before any upstream was asked
  failed,       // the client got an error
  cut,          // the upstream ended early, after something was released
  client_left,  // before the answer was complete
};
std::string_view call_result_name(CallResult result);

// What a judge was asked about an answer.
struct JudgeCounts {
  std::uint32_t calls = 0;
  std::uint32_t failed = 0;
  std::uint32_t holds = 0;
  std::uint32_t broken = 0;
  std::uint32_t open = 0;
};

// The outcome of a call. `usage` covers all its upstream calls if the caller knows it; otherwise answered() reported
// it. Usage that nobody reported is estimated: input as reserved, output from `output_bytes`.
struct CallEnd {
  CallResult result = CallResult::answered;
  int status = 200;                // the status that the client got
  std::uint64_t output_bytes = 0;  // bytes of text from upstreams that reported no usage
  std::string_view error;          // a failure's class or our code; never a message
  // For calls with a contract:
  std::string_view contract;
  std::string_view mode;      // this and the next are static texts
  std::string_view decision;  // of the verdict: "accept", "revise", ...; empty without a verdict
  std::uint32_t findings = 0;
  std::string rules = {};                // some of the broken rules: "minItems, required"
  std::vector<FoundRule> found = {};     // the first findings
  std::uint32_t edits = 0, repairs = 0;  // the latter: by the model
  bool canary = false;                   // the share of a canary chose the mode
  bool stopped_early = false;            // the upstream was stopped at a certain error or a degenerate stream
  std::uint64_t tokens_saved = 0;        // saved by that, estimated
  JudgeCounts judge;
};

struct CallState;  // call.cpp

// The id for a request with this random number, also for refused ones: x-request-id.
std::string id_of(std::uint64_t random);

class Call {
 public:
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Settings& settings() const;
  const std::string& id() const;      // "c" and 20 letters: x-request-id, logs
  std::uint64_t deadline_us() const;  // steady time; for the whole call
  // "x-ratelimit-limit-requests: 60\r\n" and so on, with OpenAI's names, or Anthropic's for its clients, if a
  // per-minute limit applies.
  std::string limit_fields() const;

  Step next(TimePoint now);
  // Stores the provider's id of the try: x-request-id or request-id of its answer.
  void told_request_id(std::string_view id);
  void first_byte(TimePoint now);
  void answered(const wire::Usage& usage, TimePoint now);
  void failed(const wire::Failure& failure, TimePoint now);
  bool asked() const;  // an upstream was asked
  // Nothing was sent: this target's wire format cannot express something in the request. next() finds another target.
  void cannot_ask(const wire::Failure& failure, TimePoint now);
  // The try was stopped for a reason that is not the upstream's: the client left, or the guard stopped it.
  void stopped(const wire::Usage& usage, TimePoint now);

  // Reserves a repair round. Returns nothing on success, else why not: a limit, or the time.
  std::optional<wire::Failure> repair(std::uint64_t input_tokens, std::uint64_t output_tokens_max, TimePoint now);

  // The same for a round with the judge of the settings; the next repair() asks the answer's own provider again. The
  // round ends at `deadline_us`.
  std::optional<wire::Failure> judge(std::uint64_t input_tokens, std::uint64_t deadline_us, TimePoint now);

  std::uint64_t upstream_calls() const, tokens() const;  // tokens: as far as providers have told
  // The second: it was answered again for the same Idempotency-Key, and costs nothing.
  void cap(const SpendCap&cap), from_idempotency();
  void end(const CallEnd& end, TimePoint now);
  // end() in two steps: close() settles the limits before the client has the end of its answer; the second counts,
  // logs and shows the call afterwards.
  void close(const CallEnd& end, TimePoint now);
  void tell(TimePoint now);
  // Does the parts of end() that have not been done yet.
  void end_once(const CallEnd& end, TimePoint now);

 private:
  friend struct CallState;
  explicit Call(std::unique_ptr<CallState> state);
  std::unique_ptr<CallState> state_;
};

}  // namespace plumb::proxy
