// Spans of calls by OpenTelemetry's GenAI conventions, and the queue of spans to send.
//
// A call is one server span ("POST /v1/chat/completions"). Each request to an upstream is a client span ("chat
// gpt-4o") below it. A verdict is an event of the call's span. One table has the names of all attributes, by version
// of the conventions. Spans contain no text of a prompt or an answer.
//
// The queue is bounded: spans that do not fit while the collector is away are dropped and counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "native/proxy/call_record.hpp"
#include "native/proxy/settings.hpp"

namespace plumb::proxy {

enum class SpanAttribute : std::uint8_t {
  operation,
  provider,
  request_model,
  input_tokens,
  output_tokens,
  cached_tokens,
  server_address,
  server_port,
  error_type,
  http_method,
  http_route,
  http_status,
  call_id,
  key_id,
  model_alias,
  contract,
  mode,
  decision,
  findings,
  edits,
  stopped_early,
  tokens_saved,
  tokens_estimated,
  cost_usd,
  result,
  replayed,
  evaluation_name,
  evaluation_score,
  evaluation_label,
  evaluation_explanation,
  count_
};
struct SpanAttributeName {
  SpanAttribute attribute;
  std::array<std::string_view, static_cast<std::size_t>(Conventions::count_)> names;  // empty: not sent
  std::string_view meaning;

  std::string_view name(Conventions conventions) const { return names[static_cast<std::size_t>(conventions)]; }
};
// A verdict, as an event of the call's span.
inline constexpr std::string_view evaluation_event = "gen_ai.evaluation.result";
// In the order of SpanAttribute.
std::span<const SpanAttributeName> span_attributes();

using RecordPtr = std::shared_ptr<const CallRecord>;

// The body of a POST to /v1/traces.
std::string otlp_json(std::span<const RecordPtr> records, const Telemetry& telemetry, std::string_view version);

struct SpanCounts {
  std::uint64_t waiting = 0;  // calls
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;  // the queue was full
  std::uint64_t failed = 0;   // the collector did not take them
};

// For any number of threads.
class SpanQueue {
 public:
  static constexpr std::size_t records_max = 8'192;
  static constexpr std::size_t batch_max = 256;

  void push(RecordPtr record);
  // At most `batch_max`, oldest first.
  std::vector<RecordPtr> take();
  void sent(std::size_t records);
  void failed(std::size_t records);
  SpanCounts counts() const;

 private:
  mutable std::mutex mutex_;
  std::deque<RecordPtr> waiting_;
  SpanCounts counts_;
};

}  // namespace plumb::proxy
