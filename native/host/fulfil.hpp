// Fulfiller: what does the effects of runs. The host asks it; the model calls of native/provider, a test's script and a
// hostile one are such.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/run/effect.hpp"

namespace plumb::host {

// What happens inside a call while it is under way ("text", "finding", "usage", ...), as one JSON object: for whoever
// watches the run. It is not journalled and has no number.
using Told = std::function<void(std::string_view what, std::string json)>;

// An effect that is to be fulfilled.
struct EffectCall {
  std::string run;
  std::string key;
  run::EffectKind kind = run::EffectKind::model;
  run::Data request;
  // What is left of the effect's time, in milliseconds; 0: the fulfiller's own limit.
  std::uint64_t deadline_ms = 0;
  // The text that the run is pinned to under a name (the `contract` of a request is one), or nullptr. Good until `done`
  // has been called.
  std::function<const run::Data*(std::string_view name)> pin;
  Told told;
};

// What a run wants from the world is done here. All functions may be called from any thread.
class Fulfiller {
 public:
  virtual ~Fulfiller() = default;
  // Whether it fulfils effects of this kind at all: what needs others is not begun here.
  virtual bool can(run::EffectKind kind) const {
    (void)kind;
    return true;
  }
  // Begins, and returns at once. `done` is called exactly once, from any thread, never from inside begin(). A kind that
  // it cannot fulfil is answered with a `failed` reply that says so.
  virtual void begin(EffectCall call, std::function<void(run::Reply)> done) = 0;
  // The reply is not wanted any more: `done` comes soon, with `cancelled` or with what had come before.
  virtual void stop(std::string_view run, std::string_view key) = 0;
};

}  // namespace plumb::host
