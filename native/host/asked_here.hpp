// Compares the providers, searches and roots that a run is pinned to with those of this host: which effects are held
// back because this host would ask another, what a person has chosen, and how a call counts that was never answered.
// Internal to native/host.
#pragma once

#include <cstdint>
#include <string>

#include "native/host/fulfil.hpp"
#include "native/host/live_run.hpp"

namespace plumb::host {

// Notes in a run with a machine where it differs from this host.
void compare(LiveRun& run, const AskedOf& here);

// Somebody has chosen how the run may continue. If the choice lets it continue with this host's providers, writes that
// to the journal and returns true. Returns false if nothing differs, or the choice does not allow it.
bool choose(LiveRun& run, const Event& event, const AskedOf& here, std::uint64_t now_ms);

// True if this host would send `want` to another than the run is pinned to.
bool holds(const LiveRun& run, const run::Want& want);

// True if nobody is called: the effect waits until a person or a client program answers it.
bool waits_for_answer(const Fulfiller& fulfiller, run::EffectKind kind, const run::Data& request);

// The reply for a call that was lost. The provider may have billed it, so it counts with the estimated tokens of its
// request, marked as estimated. Calls that cost nothing here count as nothing.
run::Reply timed_out(const AskedOf& here, run::EffectKind kind, const run::Data& request, std::string error);

}  // namespace plumb::host
