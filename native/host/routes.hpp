// Routes: a Fulfiller that passes each kind of effect to the Fulfiller for it.
//
//   Routes routes;
//   routes.add(run::EffectKind::model, models);
//   routes.add(run::EffectKind::read, files);
//
// For other kinds the reply is `failed` and says what the host cannot do. Add everything before the first effect. The
// added Fulfillers must outlive the routes.
#pragma once

#include <array>

#include "native/host/fulfil.hpp"
#include "native/host/workers.hpp"

namespace plumb::host {

class Routes final : public Fulfiller {
 public:
  void add(run::EffectKind kind, Fulfiller& fulfiller) { by_kind_[static_cast<std::size_t>(kind)] = &fulfiller; }

  bool can(run::EffectKind kind) const override { return by_kind_[static_cast<std::size_t>(kind)] != nullptr; }
  bool can_answer_for_client() const override;
  void begin(EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;

 private:
  std::array<Fulfiller*, run::effect_kinds> by_kind_{};
  Workers refusals_{1};
};

}  // namespace plumb::host
