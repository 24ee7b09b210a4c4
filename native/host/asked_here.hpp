// Whom a run asks, and whom this host would: what is held back since it would ask somebody else, what somebody has
// chosen, and what a call counts that nobody answered. Internal to native/host.
#pragma once

#include <cstdint>
#include <string>

#include "native/host/live_run.hpp"

namespace plumb::host {

// Notes in the run, which has a machine, where it differs from what is asked here.
void compare(LiveRun& run, const AskedOf& here);

// Somebody has chosen: where that lets the run go on with whom this host has, the journal says so. False: it was the
// same, or the choice does not reach so far.
bool choose(LiveRun& run, const Event& event, const AskedOf& here, std::uint64_t now_ms);

// Whether what is wanted would be asked of somebody else than the run is pinned to.
bool holds(const LiveRun& run, const run::Want& want);

// A call that nobody has heard of again may have been billed: it counts as what its request is estimated to be, and is
// marked so. What costs nothing here does not.
run::Reply timed_out(const AskedOf& here, run::EffectKind kind, const run::Data& request, std::string error);

}  // namespace plumb::host
