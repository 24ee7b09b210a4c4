// Applying: what an event changes in a run's machine. Internal to native/host.
#pragma once

#include <string>

#include "native/host/calls.hpp"
#include "native/host/host.hpp"
#include "native/host/live_run.hpp"

namespace plumb::host {

class Applying {
 public:
  Applying(const HostSettings& settings, Calls& calls) : settings_(settings), calls_(calls) {}

  // Applies `event` to a run that has a machine; called by the run's worker. Callers that wait for the event are
  // answered once `after` is stored.
  void apply(LiveRun& run, Event& event, After& after);

 private:
  void deadline(LiveRun& run, const Event& event);
  bool signal(LiveRun& run, Event& event);
  bool answer(LiveRun& run, Event& event);
  void reply_to_person(LiveRun& run, const std::string& key, run::Data value);
  std::uint64_t now() const;

  const HostSettings& settings_;
  Calls& calls_;
};

}  // namespace plumb::host
