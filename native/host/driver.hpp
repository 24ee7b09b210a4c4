// Driver: what a host does with the runs in memory (host.hpp says what it promises). Internal to native/host.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/host/changes.hpp"
#include "native/host/host.hpp"
#include "native/host/live_run.hpp"
#include "native/host/timer.hpp"
#include "native/host/waiting_claims.hpp"
#include "native/host/workers.hpp"
#include "native/store/sharing.hpp"

namespace plumb::host {

using RunRef = std::shared_ptr<LiveRun>;

class Driver : public std::enable_shared_from_this<Driver> {
 public:
  Driver(store::Store& store, Fulfiller& fulfiller, HostSettings settings);

  const HostSettings& settings() const { return settings_; }
  store::Store& store() { return store_; }
  std::uint64_t now_ms() const;
  run::MachineOptions machine_options();
  const pipelines::Known* known(std::string_view pipeline) const;

  // Why this host cannot do effects of that kind; empty: it can.
  std::string lacking(run::EffectKind kind) const;
  // The same for what a pipeline may ask for.
  std::optional<Error> lacking(const pipelines::Known& known) const;

  RunRef find(std::string_view id);
  // The run that is to be given instead of a new one, or an empty name.
  std::string same_as(std::string_view fingerprint, std::string_view owner, std::string_view request_key);
  void remember(const store::RunRow& row);  // a waiting run that is not taken up
  // Of a store that several hosts share (shared_runs.cpp).
  bool is_shared() const { return sharing_ != nullptr; }
  bool elsewhere(std::string_view id) const { return sharing_ != nullptr && sharing_->elsewhere(id); }
  void share();
  // What the host that drives the run makes of it. not_found: there is none but this one.
  Result<bool> tell_elsewhere(const std::string& id, const Event& event);
  void watch_elsewhere(const std::string& id, const std::shared_ptr<WatchState>& state);
  // Until a run of any host may have changed since `seen`. False: the time is over.
  bool wait_for_change(std::uint64_t& seen, std::chrono::steady_clock::time_point until);
  // A new run; stored, or refused, when `created` has said so. `same`: there is one already.
  Result<RunRef> add(store::RunRow row, run::Machine machine, std::string& same);
  std::optional<Error> created(const RunRef& run);
  // Takes up a waiting run of the store. `first` happens before any effect of it is begun.
  Result<RunRef> take_up(const store::RunRow& row, std::vector<Event> first = {});
  void post(const RunRef& run, Event event);
  Result<std::shared_ptr<WatchState>> watch(const RunRef& run, std::uint64_t stored, bool ended);
  void watch_closed() { --watches_; }
  void remove_old();
  Counts counts();
  bool stopping();
  void stop(std::uint64_t grace_ms);

 private:
  void enter();
  void leave();
  void schedule(const RunRef& run);  // its mutex is held
  void turn(const RunRef& run);
  void work(const RunRef& run);
  void load(LiveRun& run);
  void park(LiveRun& run, std::string problem);
  void keep_answers(LiveRun& run);
  void refuse(std::vector<Event> events, const Error& error);
  void apply(LiveRun& run, Event& event, After& after);
  void compare(LiveRun& run);
  bool choose(LiveRun& run, const Event& event);
  void hand_over(LiveRun& run);
  bool holds(const LiveRun& run, const run::Want& want) const;
  void hold(const RunRef& run, std::string why);
  run::Reply timed_out(run::EffectKind kind, const run::Data& request, std::string error) const;
  void settle(const RunRef& run);
  std::vector<run::Want> want(const RunRef& run);
  void begin(const RunRef& run, const run::Want& want);
  void claim(const RunRef& run, const run::Want& want, std::uint64_t number);
  void claim_again();
  void let_claims();
  bool take(const RunRef& run);
  void drop(const RunRef& run, const Error& error);
  void asked(const std::string& text, const store::AnswerTo& answer);
  bool works_on(const std::string& id);
  void changed_elsewhere(const std::string& id, std::uint64_t entries, run::State state);
  void stop_call(LiveRun& run, std::string_view key);
  void call_over(const RunRef& run, const std::string& key, std::uint64_t number, run::Reply reply);
  void give(const RunRef& run, std::vector<run::Stored> entries, After after);
  void submit(const RunRef& run);
  void stored(const RunRef& run, const store::Outcome& outcome);
  void give_up(const RunRef& run, const Error& error);
  void tell_store(const store::Outcome& outcome);
  void finish(const RunRef& run);
  void forget(const RunRef& run);
  void broken(const RunRef& run, const std::string& problem);
  void end_by_hand(const RunRef& run, run::State state, const std::string& why, const Answer& answer);
  bool take_slot(const RunRef& run);
  void release_slot();
  void wake_waiting();

  store::Store& store_;
  store::Sharing* const sharing_;  // nullptr: nobody else has the store
  Fulfiller& fulfiller_;
  const HostSettings settings_;

  std::mutex mutex_;  // of the maps; no run's mutex is taken while it is held
  std::unordered_map<std::string, RunRef> runs_;
  std::unordered_map<std::string, std::string> by_fingerprint_;
  std::unordered_map<std::string, std::string> by_request_;
  std::vector<std::weak_ptr<WatchState>> watch_states_;
  std::unordered_map<std::string, std::vector<std::weak_ptr<WatchState>>> watches_elsewhere_;  // by run
  bool stopping_ = false;

  std::mutex slots_mutex_;
  std::condition_variable slots_changed_;
  std::size_t under_way_ = 0;
  std::deque<RunRef> waiting_;
  bool no_more_calls_ = false;

  std::mutex active_mutex_;  // of how many runs are queued, worked on or being stored
  std::condition_variable active_changed_;
  std::size_t active_ = 0;
  WaitingClaims claims_;
  Changes changes_;
  std::mutex contracts_mutex_;
  std::unordered_map<std::string, contract::Contract> contracts_;  // by text, shared by all runs
  std::atomic<bool> dropping_{false};
  std::atomic<std::uint64_t> next_call_{1};
  std::atomic<std::size_t> watches_{0};
  std::atomic<std::uint64_t> started_{0}, done_{0}, failed_{0}, cancelled_{0}, calls_{0}, calls_again_{0},
      handed_over_{0}, store_failures_{0};
  std::atomic<bool> store_fails_{false};
  Timer timer_;
  Workers workers_;
};

}  // namespace plumb::host
