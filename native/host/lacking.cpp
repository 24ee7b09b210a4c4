#include "native/host/lacking.hpp"

namespace plumb::host {

std::string lacking(const Fulfiller& fulfiller, run::EffectKind kind) {
  const bool own = kind == run::EffectKind::person || kind == run::EffectKind::claim;
  if (own || fulfiller.can(kind)) {
    return {};
  }
  const run::EffectType& type = run::effect_type(kind);
  return "this host cannot " + std::string(type.capability) + " (effect '" + std::string(type.name) + "')";
}

std::optional<Error> lacking(const Fulfiller& fulfiller, const pipelines::Known& known) {
  for (const run::EffectType& type : run::effect_types()) {
    if (!known.needs.has(type.kind)) {
      continue;
    }
    if (const std::string why = lacking(fulfiller, type.kind); !why.empty()) {
      return Error{ErrorCode::unavailable,
                   "the pipeline '" + std::string(known.pipeline.name) + "' is not begun: " + why, "", 0, 0};
    }
  }
  return std::nullopt;
}

}  // namespace plumb::host
