// OtherHosts: the runs of a store that several hosts share. Each is driven by one of them. What the others are asked of
// it goes to that one; when that one is heard of no more, another takes the run. Internal to native/host.
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

// Of a host that has its store alone too: then there is nobody else.
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
  // Another host, which is heard of, drives the run.
  bool elsewhere(std::string_view id) const { return sharing_ != nullptr && sharing_->elsewhere(id); }
  // From now on this host hears of the others' runs; those that nobody drives are given to `take_up`.
  void hear(const std::function<void(const store::RunRow& row)>& take_up);
  // Nobody is being told anything any more when it returns.
  void hear_no_more();
  // This host begins with the run, unless another has it: then why not.
  std::optional<Error> take(const LiveRun& run);
  // What the host that drives the run makes of it. not_found: there is none but this one.
  Result<bool> tell(const std::string& id, const Event& event);
  void watch(const std::string& id, const std::shared_ptr<WatchState>& state);
  // Until a run of any host may have changed since `seen`. False: the time is over.
  bool wait_for_change(std::uint64_t& seen, std::chrono::steady_clock::time_point until);

 private:
  void asked(const std::string& text, const store::AnswerTo& answer);
  bool works_on(const std::string& id);
  void changed(const std::string& id, std::uint64_t entries, run::State state);

  Turns& turns_;
  const HostSettings& settings_;
  store::Store& store_;
  store::Sharing* const sharing_;  // nullptr: nobody else has the store
  RunTable& runs_;
  WatchTable& watches_;
  Claims& claims_;
  CallSlots& slots_;
  Changes changes_;
};

}  // namespace plumb::host
