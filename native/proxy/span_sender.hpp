// SpanSender: sends waiting spans to an OpenTelemetry collector as OTLP/HTTP JSON, one request at a time.
//
// If the collector does not answer, or answers 429 or 5xx, the same spans are sent again after 1, 2, 4 and 8 seconds,
// and then count as failed. Meanwhile the queue fills, and spans that do not fit are dropped. Other refusals are
// final.
#pragma once

#include <cstdint>
#include <memory>

#include "native/proxy/settings.hpp"
#include "native/proxy/spans.hpp"

namespace plumb::proxy {

class SpanSender {
 public:
  SpanSender();
  ~SpanSender();
  SpanSender(const SpanSender&) = delete;
  SpanSender& operator=(const SpanSender&) = delete;

  // Starts the next request if none is in progress and there is something to send. Never waits.
  void work(SpanQueue& queue, const Settings& settings, TimePoint now);
  // Sends the rest, for at most two seconds.
  void finish(SpanQueue& queue, const Settings& settings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::proxy
