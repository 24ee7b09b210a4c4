// Calls: begins, times, stops and ends the effects of runs. Internal to native/host.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native/host/call_slots.hpp"
#include "native/host/claims.hpp"
#include "native/host/counts.hpp"
#include "native/host/host.hpp"
#include "native/host/timer.hpp"
#include "native/host/turns.hpp"

namespace plumb::host {

class Calls {
 public:
  Calls(Turns& turns, const HostSettings& settings, Fulfiller& fulfiller, Timer& timer, CallSlots& slots,
        Claims& claims)
      : turns_(turns), settings_(settings), fulfiller_(fulfiller), timer_(timer), slots_(slots), claims_(claims) {}

  // Begins an effect whose attempt is stored. The fulfiller's effects have a slot already.
  void begin(const RunRef& run, const run::Want& want);
  // Ends the call with this key. False if it is not in progress, or is another attempt than `number` (0: any attempt).
  bool end(LiveRun& run, const std::string& key, std::uint64_t number);
  // The same, and tells the fulfiller that the reply is no longer needed.
  void stop(LiveRun& run, std::string_view key);
  // Ends all calls of a run, whose mutex is held. Returns the keys of calls that the fulfiller has, for
  // stop_fulfilled() without the mutex.
  std::vector<std::string> end_all(LiveRun& run);
  void stop_fulfilled(const LiveRun& run, const std::vector<std::string>& keys);
  // Gives up the calls in progress for the next host. The journal notes it, so they do not count as lost.
  void hand_over(LiveRun& run);
  // The keys of the calls that the fulfiller has.
  std::vector<std::string> fulfilled(LiveRun& run) const;
  // Discards every reply from now on.
  void drop_replies() { dropping_ = true; }
  void count(Counts& counts) const;

 private:
  void fulfil(const RunRef& run, const run::Want& want, std::uint64_t number, std::uint64_t left_ms);
  Timer::Handle at_deadline(const RunRef& run, const std::string& key, std::uint64_t number, std::uint64_t left_ms,
                            std::uint64_t whole_ms);
  void over(const RunRef& run, const std::string& key, std::uint64_t number, run::Reply reply);

  Turns& turns_;
  const HostSettings& settings_;
  Fulfiller& fulfiller_;
  Timer& timer_;
  CallSlots& slots_;
  Claims& claims_;
  std::atomic<bool> dropping_{false};
  std::atomic<std::uint64_t> next_{1};
  std::atomic<std::uint64_t> calls_{0}, again_{0}, handed_over_{0};
};

}  // namespace plumb::host
