// SpanSender: hands waiting spans to an OpenTelemetry collector, over OTLP/HTTP as JSON, one request at a time.
//
// A collector that does not answer, or says 429 or 5xx, is asked again with the same spans after 1, 2, 4 and 8 seconds,
// then they count as failed; meanwhile the queue fills, and what does not fit is dropped. Another refusal is final.
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

  // Begins the next request where none is under way and there is something to send. Never waits.
  void work(SpanQueue& queue, const Settings& settings, TimePoint now);
  // Sends what is left, for at most two seconds.
  void finish(SpanQueue& queue, const Settings& settings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::proxy
