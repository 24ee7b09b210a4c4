// One model effect on its way to an answer. Internal to the sources of the fulfiller.
//
// It goes from hand to hand: a worker finds its provider (route), the gate of that provider lets it pass in its turn, a
// worker writes the request (go), the transport's thread reads the answer (on_delta, on_done). finish() ends it,
// whoever comes first: the answer, a deadline, a cancellation, the end of the program.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "native/host/fulfil.hpp"
#include "native/provider/choice.hpp"
#include "native/provider/effect_reply.hpp"
#include "native/provider/model_call.hpp"
#include "native/provider/settings.hpp"
#include "native/provider/stream_watch.hpp"
#include "native/provider/transport.hpp"

namespace plumb::provider {

struct FulfillerCore;

struct ModelTask : std::enable_shared_from_this<ModelTask> {
  using Clock = std::chrono::steady_clock;

  ModelTask(FulfillerCore& of, std::uint64_t number_, host::EffectCall what, std::function<void(run::Reply)> tells);

  // Whose turn is it to answer this?
  void route();
  void go();
  void cancel();
  // The time of a call that has not begun, or is no call of a model, is up. One that has begun looks at its own time.
  void late();
  void finish(run::Reply reply);
  void refuse(wire::FailureClass failure_class, const std::string& message);

  // Whether the run may name it: where it is pinned to whom it asks, that one is among them.
  bool is_pinned(const std::string& named) const;
  void run_extract();
  void replay();
  void call_model();
  bool on_delta(const wire::ModelDelta& delta);
  bool on_text(std::string_view text);
  void on_retry(const Retry& retry);
  void on_done(const ModelOutcome& outcome);
  // A provider that answers 400 to a request with structured output is asked once in the next weaker mode, unless the
  // mode was set.
  bool asks_weaker(const ModelOutcome& outcome);
  void tell(std::string_view what, std::string json);
  void tell_text(std::string_view what, std::string_view text);
  void tell_stopped();
  std::uint64_t left_ms() const;

  FulfillerCore& core;
  const std::uint64_t number;
  host::EffectCall call;
  std::function<void(run::Reply)> done;
  const Clock::time_point deadline;
  std::atomic<TimerId> timer{0};
  std::atomic<bool> over{false};
  // Known together, once route() has found the provider: whoever sees `chosen` sees the other two.
  std::atomic<const Choice*> chosen{nullptr};
  std::string phase;
  std::uint64_t wait_ms = 0;
  const Settings* settings = nullptr;
  const Choice* choice() const { return chosen.load(); }
  bool passed = false;  // the gate; guarded by the gate's lock

  std::mutex mutex;  // of the two below
  bool cancelled = false;
  std::shared_ptr<ModelCall> begun;

  // Of the transport's thread once the call has begun.
  std::optional<EffectRequest> request;
  std::optional<StreamWatch> watch;
  std::optional<Structured> strongest;  // less than the profile has, since that was refused
  unsigned tries_before = 0;            // of the call that was refused
  Answered how;
};

}  // namespace plumb::provider
