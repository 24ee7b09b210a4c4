// Policy: what the data port decides and counts, without a socket: who may call, at what cost, who is asked, what is
// told afterwards. One object for all loops; every function may be called from any thread and takes a few microseconds.
//
//   auto opened = Policy::open({settings, plumb.yaml's path, ...}, now);
//   Policy& policy = *opened.value();
//   Identified who = policy.identify({authorization, api_key, origin}, now);    // `who.refused`: 401 or 403
//   Begun begun = policy.begin(who.caller, {.model = "fast", ...}, now, random);
//   if (begun.refused) ... append_failure(*begun.refused), Retry-After from its retry_after_ms
//   begun.call->next(now) ...                                                   // call.hpp
//
// A refusal is a wire::Failure, which core/wire/reply_writer.hpp writes in the client's format; `code` is ours:
// invalid_api_key, model_not_found, rate_limit_exceeded, ...
//
// begin() also counts and logs what it refuses. What never gets that far (no route, no HTTP, a key that is not known, a
// body too large) the port tells with refused().
//
// The maintenance (maintenance.hpp) reads changed files, writes counters and sends spans on its own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/call.hpp"
#include "native/proxy/client_keys.hpp"
#include "native/proxy/idempotency.hpp"
#include "native/proxy/response_book.hpp"
#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

// What a request presents of itself. Views of its head; empty where absent.
struct Presented {
  std::string_view authorization;  // "Bearer plumb_..."
  std::string_view api_key;        // x-api-key
  std::string_view origin;         // of a page
  bool forwarded = false;          // came through another proxy, which says for whom
};

// The key that a request presents; empty: none.
std::string_view presented_key(std::string_view authorization, std::string_view api_key);

struct Identified {
  CallerPtr caller;  // never null where not refused
  std::optional<wire::Failure> refused;
};

struct Ask {
  std::string_view route;     // "/v1/chat/completions": of logs and metrics; a text that stays
  std::string_view model;     // as the client wrote it
  std::string_view contract;  // a name; empty: none
  bool own_schema = false;    // a contract of the client's own, in the body
  bool stream = false;
  std::uint64_t input_tokens = 0;            // at most so many
  std::uint64_t output_tokens_max = 0;       // as the client asks; 0: it says none
  bool writes = true;                        // a model writes: else no output is reserved
  std::uint64_t choices = 1;                 // `n`
  std::string_view traceparent, tracestate;  // of the request's head
  std::string_view client;                   // its address: of logs
  bool patient = false;  // is asked again within milliseconds where a share of a limit is on its way (`pending`)
};

// A request that is refused before it is a call. What is not known is empty.
struct Refusal {
  std::string_view id;      // that the client is told: x-request-id
  std::string_view client;  // its address
  std::string_view key;     // its id
  std::string_view route;
  int status = 0;
  std::string_view code;
};

struct Begun {
  std::unique_ptr<Call> call;  // or why not
  std::optional<wire::Failure> refused;
  bool pending = false;  // neither: ask again in a moment, at last not `patient`
};

struct PolicyOptions {
  std::shared_ptr<const Settings> settings;
  // Where lines of the log go, each without its end; nullptr: nowhere.
  std::function<void(std::string_view line)> log;
  bool log_calls = true;  // not only problems
};

struct PolicyState;  // policy.cpp

class Policy {
 public:
  // Reads client keys and counters. The error: a file with a mistake, or an address that others can reach without any
  // client key.
  static Result<std::unique_ptr<Policy>> open(PolicyOptions options, TimePoint now);
  ~Policy();
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  std::shared_ptr<const Settings> settings() const;
  // From now on. Counters, breakers and reservations go on where names are the same; calls under way keep the old
  // settings. The error: what cannot be changed while running (address, threads); nothing has changed then.
  Result<bool> replace(std::shared_ptr<const Settings> settings, TimePoint now);
  // One sentence for the start, where there is something to say: "no client key: only this machine is answered".
  std::string start_note() const;

  Identified identify(const Presented& presented, TimePoint now);
  Begun begin(const CallerPtr& caller, const Ask& ask, TimePoint now, std::uint64_t random);
  void refused(const Refusal& refusal, TimePoint now);
  // Whose request it is: the address of the connection, or what a trusted proxy in front says (X-Forwarded-For).
  std::string client_of(std::string_view address, std::string_view forwarded_for) const;

  // The ports are about to close: /readyz says so from then on.
  void set_stopping();
  bool stopping() const;

  std::shared_ptr<const KeyTable> keys() const;  // that are accepted at present, or were
  // Whether a page of that origin may be answered: the allow-list of all, and where a caller is known its own.
  bool allows_origin(std::string_view origin, const Caller* caller) const;
  // The names that a caller may ask for, for GET /v1/models.
  std::vector<std::string> models(const Caller& caller) const;

  // A line of the log about something else than a call.
  void tell(std::string_view level, std::string_view event, std::string_view message) const;

  // Whether prompts and answers are kept (`record`); record() then takes one call's.
  bool records() const;
  void record(const Call& call, const Caller& caller, std::string_view route, std::string_view request,
              std::string_view answer, TimePoint now);

  Idempotency& idempotency();
  ResponseBook& responses();  // whose are those that providers keep

  // For the control port: Prometheus text, the live page's state, its changes.
  void append_metrics(std::string& out, TimePoint now) const;
  std::string state_json(TimePoint now) const;
  std::string call_json(std::string_view id) const;  // {"call", "found"} of one of the last; empty: none of this id
  std::uint64_t changes() const;                     // another number with every call

  PolicyState& state() { return *state_; }  // for maintenance.hpp

 private:
  explicit Policy(std::shared_ptr<PolicyState> state);
  std::shared_ptr<PolicyState> state_;
};

}  // namespace plumb::proxy
