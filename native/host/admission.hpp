// Admission: decides which of the effects that a run wants may begin now, and why the others must wait. Internal to
// native/host.
#pragma once

#include <string>
#include <vector>

#include "native/host/call_slots.hpp"
#include "native/host/calls.hpp"
#include "native/host/host.hpp"
#include "native/host/live_run.hpp"

namespace plumb::host {

class Admission {
 public:
  Admission(const HostSettings& settings, const Fulfiller& fulfiller, store::Store& store, CallSlots& slots,
            Calls& calls)
      : settings_(settings), fulfiller_(fulfiller), store_(store), slots_(slots), calls_(calls) {}

  // The wants that may begin once their attempts, now in the journal, are stored. A question for a person that is
  // already open begins at once.
  std::vector<run::Want> admit(const RunRef& run);

 private:
  std::string held(const LiveRun& run, const run::Want& want) const;
  void hold(const RunRef& run, std::string why);

  const HostSettings& settings_;
  const Fulfiller& fulfiller_;
  store::Store& store_;
  CallSlots& slots_;
  Calls& calls_;
};

}  // namespace plumb::host
