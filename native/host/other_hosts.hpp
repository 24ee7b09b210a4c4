// OtherHosts: the runs of a store that several hosts share. Each run is driven by one host. Requests about a run go to
// that host; if it is not heard of any more, another host takes the run. Internal to native/host.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "native/host/call_slots.hpp"
#include "native/host/changes.hpp"
#include "native/host/claims.hpp"
#include "native/host/host.hpp"
#include "native/host/run_table.hpp"
#include "native/host/turns.hpp"
#include "native/host/watch_table.hpp"
#include "native/store/sharing.hpp"

namespace plumb::host {

// Also for a host that has its store alone; then there are no others.
class OtherHosts {
 public:
  OtherHosts(Turns& turns, const HostSettings& settings, store::Store& store, RunTable& runs, WatchTable& watches,
             Claims& claims, CallSlots& slots)
      : turns_(turns),
        settings_(settings),
        store_(store),
        sharing_(store.sharing()),
        runs_(runs),
        watches_(watches),
        claims_(claims),
        slots_(slots) {}

  bool is_shared() const { return sharing_ != nullptr; }
  // True if another host, which is heard of, drives the run.
  bool elsewhere(std::string_view id) const { return sharing_ != nullptr && sharing_->elsewhere(id); }
  // Starts listening for the runs of other hosts. Runs that nobody drives are given to `take_up`.
  void hear(const std::function<void(const store::RunRow& row)>& take_up);
  // When it returns, no callback is in progress any more.
  void hear_no_more();
  // Claims the run for this host. Returns why not, if another host has it.
  std::optional<Error> take(const LiveRun& run);
  // Forwards an event to the host that drives the run. not_found: no other host drives it.
  Result<bool> tell(const std::string& id, const Event& event);
  void watch(const std::string& id, const std::shared_ptr<WatchState>& state);
  // Waits until a run of any host may have changed since `seen`. False if the time is over.
  bool wait_for_change(std::uint64_t& seen, std::chrono::steady_clock::time_point until);

 private:
  void asked(const std::string& text, const store::AnswerTo& answer);
  bool works_on(const std::string& id);
  void changed(const std::string& id, std::uint64_t entries, run::State state);

  Turns& turns_;
  const HostSettings& settings_;
  store::Store& store_;
  store::Sharing* const sharing_;  // nullptr: the store is not shared
  RunTable& runs_;
  WatchTable& watches_;
  Claims& claims_;
  CallSlots& slots_;
  Changes changes_;
};

}  // namespace plumb::host
