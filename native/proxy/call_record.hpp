// CallRecord: everything known about a finished call. Metrics, logs, spans and the live page are made from it, so they
// cannot disagree. It contains no key, prompt or answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native/proxy/call.hpp"
#include "native/proxy/trace_context.hpp"

namespace plumb::proxy {

// One request to an upstream.
struct TryRecord {
  std::string provider;
  std::string model;
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t span = 0;
  std::uint64_t began_us = 0;  // steady time
  std::uint64_t ended_us = 0;
  int status = 0;            // of a failure; 0: none was given
  std::string_view failure;  // its class; empty: answered
  std::string request_id;    // the provider's own, at most 100 bytes
  wire::Usage usage;
};

struct CallRecord {
  std::string id;
  std::string_view route;  // "/v1/chat/completions"
  std::string client;      // its address, if known
  std::string key;         // the client key's id
  std::string model;       // the route's name; "*" for a name that was passed on
  std::string asked;       // the name the client asked for, at most 100 bytes
  bool stream = false;
  CallResult result = CallResult::answered;
  int status = 0;
  std::string error;  // a class or code; empty: none
  std::string contract;
  std::string_view mode;
  std::string_view decision;
  std::uint32_t findings = 0;
  std::string rules;             // some of the broken rules
  std::vector<FoundRule> found;  // the first findings
  std::uint32_t edits = 0;
  std::uint32_t repairs = 0;
  bool canary = false;
  JudgeCounts judge;
  bool stopped_early = false;
  bool replayed = false;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  bool estimated = false;
  std::uint64_t tokens_saved = 0;
  std::uint64_t nano_usd = 0;
  unsigned retries = 0;
  std::uint64_t began_us = 0;       // steady time
  std::uint64_t first_byte_us = 0;  // time from began_us; 0: no byte came
  std::uint64_t took_us = 0;
  std::uint64_t began_wall_ms = 0;
  std::vector<TryRecord> tries;
  TraceContext trace;  // of the call's own span
  std::uint64_t parent_span = 0;

  // The last try's target: "openai/gpt-4o", or empty.
  std::string target() const;
};

}  // namespace plumb::proxy
