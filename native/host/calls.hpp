// Calls: the effects of runs that are under way: begun, timed, stopped, over. Internal to native/host.
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

  // The attempt is stored, and where the fulfiller is asked a slot is taken.
  void begin(const RunRef& run, const run::Want& want);
  // The call is not under way any more. False: it was not, or it is another one. `number` 0: whichever it is.
  bool end(LiveRun& run, const std::string& key, std::uint64_t number);
  // The same, and who fulfils it is told that it is not wanted any more.
  void stop(LiveRun& run, std::string_view key);
  // All calls of a run end here; its mutex is held. Those that fulfil() has, for stop_fulfilled() without the mutex.
  std::vector<std::string> end_all(LiveRun& run);
  void stop_fulfilled(const LiveRun& run, const std::vector<std::string>& keys);
  // What is under way is given up, and the journal says so: it is no loss.
  void hand_over(LiveRun& run);
  // Keys of calls that the fulfiller has.
  std::vector<std::string> fulfilled(LiveRun& run) const;
  // From now on replies are thrown away.
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
