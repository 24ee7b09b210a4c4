// Call: one model call of a client from its admission to its account. policy.begin() makes it; then
//
//   while (true) {
//     Step step = call.next(now);                            // who is asked, or how long to wait first, or nobody
//     if (step.kind == StepKind::wait) { ... step.wait_ms later: call.next(now) again ... }
//     if (step.kind == StepKind::give_up) { ... append_failure(step.failure) ...; break; }
//     ... ask step.target at step.upstream->endpoint, sending `traceparent: ` + step.traceparent ...
//     call.first_byte(now);                                  // a good status and the first byte of the answer
//     call.answered(usage, now)                              // the upstream's answer is whole; or
//     call.failed(failure, now);                             // ... it is not, nothing is released yet: next() again
//   }
//   call.end(end, now);                                      // once, last: settled, counted, logged
//
// A repair is another round: call.repair(input_tokens, output_tokens_max, now) reserves for it (or says why not), then
// next() and so on. A Call that is destroyed without end() is settled as cut with what was reserved, so that every
// call is accounted for exactly once. Not for several threads at once; different calls are.
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
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

enum class StepKind : std::uint8_t { ask, wait, give_up };

// What every request to an upstream has in its head, as lines; a key is in them.
struct UpstreamHeaders {
  std::string whole;   // where an answer in one piece is wanted
  std::string stream;  // where a stream is
  Secret key;          // that is in them
};

// The pointers live as long as the Call.
struct Step {
  StepKind kind = StepKind::give_up;
  const Upstream* upstream = nullptr;  // of ask
  const UpstreamHeaders* headers = nullptr;
  const Target* target = nullptr;
  std::string_view model;        // what the upstream is asked for
  std::string_view traceparent;  // of this try, to be sent
  std::string_view tracestate;   // as the client sent it, where it is to be passed on; empty: none
  std::uint64_t wait_ms = 0;     // of wait
  wire::Failure failure;         // of give_up
};

enum class CallResult : std::uint8_t {
  answered,     // the client has all of it
  refused,      // by us, before anybody was asked
  failed,       // the client was told of an error
  cut,          // the upstream ended too early, after something was released
  client_left,  // before it had all
};
std::string_view call_result_name(CallResult result);

// What a judge was asked of an answer.
struct JudgeCounts {
  std::uint32_t calls = 0;
  std::uint32_t failed = 0;
  std::uint32_t holds = 0;
  std::uint32_t broken = 0;
  std::uint32_t open = 0;
};

// What a call has come to. `usage` is of all upstream calls together where the caller knows it; else answered() has
// told it, and what nobody told is estimated: input as reserved, output from `output_bytes`.
struct CallEnd {
  CallResult result = CallResult::answered;
  int status = 200;                // that the client was told
  std::uint64_t output_bytes = 0;  // of text that came from the upstream whose usage is not known
  std::string_view error;          // a failure's class or a code of ours; never a message
  // Of contracted calls:
  std::string_view contract;
  std::string_view mode;      // this and the next are texts that stay
  std::string_view decision;  // of the verdict: "accept", "revise", ...; empty: no verdict
  std::uint32_t findings = 0;
  std::string rules = {};             // that were broken, some of them: "minItems, required"
  std::vector<FoundRule> found = {};  // the first few
  std::uint32_t edits = 0;
  bool stopped_early = false;      // the upstream was stopped at a certain error or a degenerate stream
  std::uint64_t tokens_saved = 0;  // by that, estimated
  JudgeCounts judge;
};

struct CallState;  // call.cpp

// The id of a request that was given this random number: x-request-id, also of one that is refused.
std::string id_of(std::uint64_t random);

class Call {
 public:
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Settings& settings() const;
  const std::string& id() const;      // "c" and 20 letters: x-request-id, logs
  std::uint64_t deadline_us() const;  // steady; of the whole call
  // "x-ratelimit-limit-requests: 60\r\n" and the like, as OpenAI names them, and for Anthropic's clients as that does,
  // where a limit of a minute holds.
  std::string limit_fields() const;

  Step next(TimePoint now);
  // The provider's own id of the try: x-request-id or request-id of its answer.
  void told_request_id(std::string_view id);
  void first_byte(TimePoint now);
  void answered(const wire::Usage& usage, TimePoint now);
  void failed(const wire::Failure& failure, TimePoint now);
  bool asked() const;  // somebody was
  // Nothing was sent: this target has no word for something that the request says. next() finds another one.
  void cannot_ask(const wire::Failure& failure, TimePoint now);
  // The try was given up for a reason that is not the upstream's: the client left, the guard stopped it.
  void stopped(const wire::Usage& usage, TimePoint now);

  // Nothing: reserved. Else why there is no other round: a limit, or the time.
  std::optional<wire::Failure> repair(std::uint64_t input_tokens, std::uint64_t output_tokens_max, TimePoint now);

  // The same for a round with the judge of the settings; the next repair() asks the answer's own provider again. Its
  // time ends at `deadline_us`.
  std::optional<wire::Failure> judge(std::uint64_t input_tokens, std::uint64_t deadline_us, TimePoint now);

  // Was answered again for the same Idempotency-Key: costs nothing.
  void from_idempotency();

  void end(const CallEnd& end, TimePoint now);
  // The same in two: what limits wait for, before the client has the end of its answer; and what is counted, logged and
  // shown, for which nobody waits.
  void close(const CallEnd& end, TimePoint now);
  void tell(TimePoint now);
  // end(), for whoever does not know what of it has been done.
  void end_once(const CallEnd& end, TimePoint now);

 private:
  friend struct CallState;
  explicit Call(std::unique_ptr<CallState> state);
  std::unique_ptr<CallState> state_;
};

}  // namespace plumb::proxy
