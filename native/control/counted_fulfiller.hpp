// A fulfiller that counts: what passes through it is in the metrics (effects, their times, tokens of model calls).
#pragma once

#include "native/control/metrics.hpp"
#include "native/host/fulfil.hpp"

namespace plumb::control {

class CountedFulfiller final : public host::Fulfiller {
 public:
  // Both must outlive it, and every call that it has begun.
  CountedFulfiller(host::Fulfiller& inner, Metrics& metrics) : inner_(inner), metrics_(metrics) {}

  bool can(run::EffectKind kind) const override { return inner_.can(kind); }
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override { inner_.stop(run, key); }

 private:
  host::Fulfiller& inner_;
  Metrics& metrics_;
};

}  // namespace plumb::control
