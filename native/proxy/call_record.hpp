// CallRecord: all that is known of a call when it is over. Metrics, logs, spans and the live page are made of it, so
// that they cannot disagree. No key, no prompt and no answer is in it.
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
  std::uint64_t began_us = 0;  // steady
  std::uint64_t ended_us = 0;
  int status = 0;            // of a failure; 0: none was told
  std::string_view failure;  // its class; empty: answered
  std::string request_id;    // the provider's own, at most 100 bytes
  wire::Usage usage;
};

struct CallRecord {
  std::string id;
  std::string_view route;  // "/v1/chat/completions"
  std::string client;      // its address, where it is known
  std::string key;         // the id of the client key
  std::string model;       // the name of the route: "*" for a name that was passed on
  std::string asked;       // what the client asked for, at most 100 bytes
  bool stream = false;
  CallResult result = CallResult::answered;
  int status = 0;
  std::string error;  // a class or code; empty: none
  std::string contract;
  std::string_view mode;
  std::string_view decision;
  std::uint32_t findings = 0;
  std::string rules;             // that were broken, some of them
  std::vector<FoundRule> found;  // the first few
  std::uint32_t edits = 0;
  JudgeCounts judge;
  bool stopped_early = false;
  bool replayed = false;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  bool estimated = false;
  std::uint64_t tokens_saved = 0;
  std::uint64_t nano_usd = 0;
  unsigned retries = 0;
  std::uint64_t began_us = 0;       // steady
  std::uint64_t first_byte_us = 0;  // after that; 0: none came
  std::uint64_t took_us = 0;
  std::uint64_t began_wall_ms = 0;
  std::vector<TryRecord> tries;
  TraceContext trace;  // of the call's own span
  std::uint64_t parent_span = 0;

  // The target of the last try: "openai/gpt-4o", or empty.
  std::string target() const;
};

}  // namespace plumb::proxy
