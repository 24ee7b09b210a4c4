// What a host cannot do. Internal to native/host.
#pragma once

#include <optional>
#include <string>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/host/fulfil.hpp"

namespace plumb::host {

// Why effects of this kind cannot be performed here; empty if they can.
std::string lacking(const Fulfiller& fulfiller, run::EffectKind kind);
// The same for all effects that a pipeline may use.
std::optional<Error> lacking(const Fulfiller& fulfiller, const pipelines::Known& known);

}  // namespace plumb::host
