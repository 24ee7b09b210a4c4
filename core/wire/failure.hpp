// What went wrong with a provider, as a value: which class, worth another try or not, and a sentence that may be shown.
//
//   std::optional<Failure> failure = failure_of(status, headers, body, now_ms, secrets);
//   if (failure && failure->retryable) { wait(failure->retry_after_ms.value_or(backoff)); }
//
// A message has at most 300 code points and no key in it: the caller's own secrets are taken out wherever they are,
// and so is what looks like a key (`sk-...`, `Bearer ...`, `api_key=...`), since providers repeat keys in what they say
// of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/reason.hpp"

namespace plumb::wire {

enum class FailureClass : std::uint8_t {
  bad_request,
  unauthorised,
  forbidden,
  not_found,
  rate_limited,
  overloaded,
  server,
  malformed,  // not what the protocol says: HTML, half a JSON, an answer without a choice
  cut,        // the stream ended before it was over
  limit,      // a bound of ours was reached
  timed_out,  // these two are told by transports
  unreachable,
};
std::string_view failure_class_name(FailureClass failure_class);

struct Failure {
  FailureClass failure_class = FailureClass::server;
  bool retryable = false;  // never for 400, 401 and 403
  int status = 0;          // HTTP; 0 where there was none, or it was fine
  std::optional<std::uint64_t> retry_after_ms;
  std::string code;  // the provider's own word: "context_length_exceeded"; at most 100 code points
  std::string message;
  std::string param;             // the member of the request that the provider names
  std::string request_id;        // the provider's, if its error says it
  Reason reason = Reason::none;  // too_long
};

// A failure of a class, retryable as the class is, with a message made safe.
Failure make_failure(FailureClass failure_class, std::string_view message);

struct Header {
  std::string_view name;
  std::string_view value;
};

// How long a provider asks to be left alone: `retry-after-ms`, else `retry-after` in seconds or as a date of HTTP (all
// three forms), counted from `now_ms` (since 1970). Nothing where neither can be read; a date that has passed is 0; at
// most a day.
std::optional<std::uint64_t> retry_after_ms(std::span<const Header> headers, std::uint64_t now_ms);

// What `x-should-retry` says, where it says something.
std::optional<bool> should_retry(std::span<const Header> headers);

// What an HTTP answer that is no success says, whatever its body is. Nothing for a status of 200 to 299.
std::optional<Failure> failure_of(int status, std::span<const Header> headers, std::string_view body,
                                  std::uint64_t now_ms, std::span<const std::string_view> secrets = {});

// What an `error` member says, in an answer or a stream that began well: an object (OpenAI, Anthropic) or a text
// (Ollama).
Failure failure_in(const json::Value& error);

// The `request_id` beside an error (Anthropic), into the failure.
void take_request_id(Failure& failure, const json::Value& body);

// `text` without line ends, controls and keys, and short enough to show.
std::string safe_message(std::string_view text, std::span<const std::string_view> secrets = {});

}  // namespace plumb::wire
