// What a host cannot do. Internal to native/host.
#pragma once

#include <optional>
#include <string>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/host/fulfil.hpp"

namespace plumb::host {

// Why effects of that kind cannot be done here; empty: they can.
std::string lacking(const Fulfiller& fulfiller, run::EffectKind kind);
// The same for what a pipeline may ask for.
std::optional<Error> lacking(const Fulfiller& fulfiller, const pipelines::Known& known);

}  // namespace plumb::host
