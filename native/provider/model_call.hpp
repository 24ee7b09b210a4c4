// A model call: one request to a provider, its answer as deltas, and tries again where these can help.
//
//   auto call = ModelCall::start(exchanges, request, limits, {
//       .delta = [](const wire::ModelDelta& delta) { return true; },     // false: enough, the provider is told to stop
//       .retry = [](const Retry& retry) { ... },                         // it will be tried again
//       .done = [](ModelOutcome outcome) { ... }});                      // once, last
//   call->cancel();                                                      // at any moment, from any thread
//
// Tried again, at most `tries_max` times in all, is what may be better next time: too many requests, overload, failures
// of the server (never 400, 401 and 403), no connection, a connection lost. Never once anything of an answer has come,
// which is paid for and has been shown. Between tries it waits as long as the provider asks, else longer each time;
// where that would take more than what is left of the call's time, it gives up at once. All callbacks come from the
// thread of the exchanges.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"
#include "core/wire/reply.hpp"
#include "native/provider/exchanges.hpp"

namespace plumb::provider {

struct ModelCallRequest {
  Endpoint endpoint;
  std::string body;  // as core/wire/request.hpp writes it
  bool stream = true;
  wire::ReplyOptions reply;
};

struct ModelCallLimits {
  ExchangeLimits exchange;          // `deadline_ms` is that of all tries together
  std::uint64_t token_idle_ms = 0;  // the longest silence between tokens once one has come; 0: as between bytes
  unsigned tries_max = 3;
  std::uint64_t backoff_ms = 500;  // before the second try; doubled before each further one, and never exactly that
};

struct Retry {
  unsigned tried = 1;  // how often so far
  std::uint64_t wait_ms = 0;
  wire::Failure failure;
};

enum class ModelEnd : std::uint8_t {
  answered,
  stopped,  // delta() wanted no more
  failed,
  timed_out,  // all of the call's time is used up
  cancelled,
};

struct ModelOutcome {
  ModelEnd end = ModelEnd::answered;
  wire::ModelReply reply;  // with what came, whatever the end
  wire::Failure failure;   // where failed or timed out
  unsigned tries = 0;
};

struct ModelCallEvents {
  std::function<bool(const wire::ModelDelta&)> delta;
  std::function<void(const Retry&)> retry;
  std::function<void(ModelOutcome)> done;
};

class ModelCall : public std::enable_shared_from_this<ModelCall> {
 public:
  static std::shared_ptr<ModelCall> start(Exchanges& exchanges, ModelCallRequest request, const ModelCallLimits& limits,
                                          ModelCallEvents events);
  void cancel();

 private:
  ModelCall(Exchanges& exchanges, ModelCallRequest request, const ModelCallLimits& limits, ModelCallEvents events);
  void attempt();
  void on_head(const ExchangeHead& head);
  Flow on_bytes(std::string_view bytes);
  bool read_deltas();
  void on_end(const ExchangeOutcome& outcome);
  void settle(wire::Failure failure);
  void finish(ModelEnd end, wire::Failure failure);
  void drain();
  void watch_silence();
  std::uint64_t left_ms() const;

  Exchanges& exchanges_;
  ModelCallRequest request_;
  ModelCallLimits limits_;
  ModelCallEvents events_;
  std::uint64_t deadline_ms_ = 0;
  unsigned tries_ = 0;
  ExchangeId exchange_ = 0;
  TimerId timer_ = 0;
  TimerId silence_ = 0;
  std::uint64_t last_token_ms_ = 0;
  ExchangeHead head_;
  std::string refusal_body_;  // of an answer that is no success
  std::unique_ptr<wire::ReplyStream> stream_;
  bool any_ = false;     // something of an answer has come
  bool enough_ = false;  // delta() wanted no more
  bool over_ = false;
};

}  // namespace plumb::provider
