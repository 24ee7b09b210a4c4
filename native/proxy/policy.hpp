// Policy: the decisions and counts of the data port, without a socket: who may call, at what cost, whom to ask, and
// what to report. One object serves all loops. Every function may be called from any thread and takes a few
// microseconds.
//
//   auto opened = Policy::open({settings, plumb.yaml's path, ...}, now);
//   Policy& policy = *opened.value();
//   Identified who = policy.identify({authorization, api_key, origin}, now);    // `who.refused`: 401 or 403
//   Begun begun = policy.begin(who.caller, {.model = "fast", ...}, now, random);
//   if (begun.refused) ... append_failure(*begun.refused), Retry-After from its retry_after_ms
//   begun.call->next(now) ...                                                   // call.hpp
//
// A refusal is a wire::Failure, which core/wire/reply_writer.hpp writes in the client's format. Its `code` is ours:
// invalid_api_key, model_not_found, rate_limit_exceeded, ...
//
// begin() also counts and logs refusals. The port reports requests that never get that far (unknown route, not HTTP,
// unknown key, body too large) with refused().
//
// The maintenance thread (maintenance.hpp) reads changed files, writes counters and sends spans.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "native/proxy/call.hpp"
#include "native/proxy/client_keys.hpp"
#include "native/proxy/idempotency.hpp"
#include "native/proxy/presented.hpp"
#include "native/proxy/response_book.hpp"
#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

// What a call is for. `through` and `list` are tried once; the first passes unread what clients send (`passthrough`),
// the second asks a provider for its models, at no cost.
enum class AskKind : std::uint8_t { answer, through, list };

struct Ask {
  AskKind kind = AskKind::answer;
  std::string_view route;     // "/v1/chat/completions", for logs and metrics; a static text
  std::string_view model;     // as the client wrote it
  std::string_view contract;  // a name; may be empty
  bool own_schema = false;    // the client's own contract, in the body
  bool stream = false;
  std::uint64_t input_tokens = 0;            // an upper limit
  std::uint64_t output_tokens_max = 0;       // as the client asks; 0: not given
  bool writes = true;                        // a model writes; else no output is reserved
  std::uint64_t choices = 1;                 // `n`
  std::string_view traceparent, tracestate;  // from the request's head
  std::string_view client;                   // its address, for logs
  bool patient = false;  // the caller retries within milliseconds if a share of a limit is on its way (`pending`)
};

// A request refused before it became a call. Unknown fields are empty.
struct Refusal {
  std::string_view id;      // the id the client gets: x-request-id
  std::string_view client;  // its address
  std::string_view key;     // its id
  std::string_view route;
  int status = 0;
  std::string_view code;
};

struct Begun {
  std::unique_ptr<Call> call;  // or why not
  std::optional<wire::Failure> refused;
  bool pending = false;  // neither: ask again in a moment, the last time without `patient`
};

struct PolicyOptions {
  std::shared_ptr<const Settings> settings;
  // Takes the log's lines, without line ends; nullptr: no log.
  std::function<void(std::string_view line)> log;
  bool log_calls = true;  // also calls, not only problems
};

struct PolicyState;  // policy.cpp

class Policy {
 public:
  // Reads client keys and counters. Error: a file with a mistake, or an address open to others without any client key.
  static Result<std::unique_ptr<Policy>> open(PolicyOptions options, TimePoint now);
  ~Policy();
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  std::shared_ptr<const Settings> settings() const;
  // Replaces the settings. Counters, breakers and reservations continue under the same names; calls in progress keep
  // the old settings. Error: a setting that cannot change while running (address, threads); then nothing has changed.
  Result<bool> replace(std::shared_ptr<const Settings> settings, TimePoint now);
  // A note for the start, such as "no client key: only this machine is answered". May be empty.
  std::string start_note() const;

  Identified identify(const Presented& presented, TimePoint now);
  // A client token as JSON, for POST /v1/client-tokens. `client_key` is who asks; empty: the operator.
  Result<std::string> sign_token(const json::Value& body, std::string_view client_key, TimePoint now);
  bool any_token_signed() const;  // since the start
  Begun begin(const CallerPtr& caller, const Ask& ask, TimePoint now, std::uint64_t random);
  void refused(const Refusal& refusal, TimePoint now);
  // The client's address: the connection's, or the one that a trusted proxy in front reports (X-Forwarded-For).
  std::string client_of(std::string_view address, std::string_view forwarded_for) const;

  // The ports are about to close; /readyz reports it from then on.
  void set_stopping();
  bool stopping() const, refuses_all(TimePoint now) const;  // the latter: callers need a key, and none is accepted

  std::shared_ptr<const KeyTable> keys() const;  // those accepted now, and former ones
  // True if pages of that origin may be answered: by the common list, or a known caller's own.
  bool allows_origin(std::string_view origin, const Caller* caller) const;
  // The model names that a caller may use, for GET /v1/models.
  std::vector<std::string> models(const Caller& caller) const;

  // Writes a line of the log that is not about a call.
  void tell(std::string_view level, std::string_view event, std::string_view message) const;

  // True if prompts and answers are kept (`record`); record() then takes one call's.
  bool records() const;
  void record(const Call& call, const Caller& caller, std::string_view route, std::string_view request,
              std::string_view answer, TimePoint now);

  Idempotency& idempotency();
  ResponseBook& responses();  // the owners of responses that providers keep

  // For the control port: Prometheus text, the live page's state, its changes.
  void append_metrics(std::string& out, TimePoint now) const;
  std::string state_json(TimePoint now) const;
  std::string call_json(std::string_view id) const;  // {"call", "found"} of a recent call; empty for an unknown id
  std::uint64_t changes() const;                     // changes with every call

  PolicyState& state() { return *state_; }  // for maintenance.hpp

 private:
  explicit Policy(std::shared_ptr<PolicyState> state);
  Identified identify_token(std::string_view text, const Presented& presented, TimePoint now);
  std::shared_ptr<PolicyState> state_;
};

}  // namespace plumb::proxy
