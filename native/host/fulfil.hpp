// Fulfiller: performs the effects of runs for a host. Implementations are the model calls of native/provider,
// FileReads, and test scripts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/run/effect.hpp"

namespace plumb::host {

// Reports what happens inside a call in progress ("text", "finding", "usage", ...), as one JSON object, to those who
// watch the run. It is not journalled and has no number.
using Told = std::function<void(std::string_view what, std::string json)>;

// An effect to perform.
struct EffectCall {
  std::string run;
  std::string key;
  run::EffectKind kind = run::EffectKind::model;
  run::Data request;
  // The effect's remaining time in milliseconds. 0: the fulfiller's own limit applies.
  std::uint64_t deadline_ms = 0;
  // The text that the run is pinned to under this name (such as a request's `contract`), or nullptr. Valid until
  // `done` is called.
  std::function<const run::Data*(std::string_view name)> pin;
  Told told;
};

// Performs effects, except those that a person or a client program answers (host.hpp). All functions may be called from
// any thread.
class Fulfiller {
 public:
  virtual ~Fulfiller() = default;
  // True if it performs effects of this kind. A pipeline that needs other kinds is not started.
  virtual bool can(run::EffectKind kind) const {
    (void)kind;
    return true;
  }
  // True if it also answers what is asked of client programs (core/run/person.hpp). Otherwise the host waits for
  // Host::reply().
  virtual bool can_answer_for_client() const { return false; }
  // Begins the effect and returns at once. `done` is called exactly once, from any thread, but never inside begin().
  // For a kind that it cannot perform, the reply is `failed` and says so.
  virtual void begin(EffectCall call, std::function<void(run::Reply)> done) = 0;
  // The reply is no longer needed. `done` follows soon, with `cancelled` or a reply that had already arrived.
  virtual void stop(std::string_view run, std::string_view key) = 0;
};

}  // namespace plumb::host
