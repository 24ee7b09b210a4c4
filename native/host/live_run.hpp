// A waiting run in memory. Internal to native/host.
//
// Whatever happens to a run is put into its inbox; a worker that takes it up empties the inbox, works on the machine
// alone and gives what is to be stored to the store. Until that is stored nothing else is done with the run
// (run_phase.hpp says who has it). So a run needs no thread of its own, and no lock is held while its pipeline runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/machine.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/run_event.hpp"
#include "native/host/run_phase.hpp"
#include "native/host/run_watch.hpp"
#include "native/host/timer.hpp"
#include "native/store/store.hpp"

namespace plumb::host {

// An effect under way.
struct Call {
  std::uint64_t number = 0;
  run::EffectKind kind = run::EffectKind::model;
  bool fulfilled = false;  // by the Fulfiller, who is told when it is not wanted any more
  std::string signal;      // person: the signal that answers it
  std::optional<Timer::Handle> deadline;
};

// What follows when a batch is stored.
struct After {
  store::Batch batch;
  store::Change change;
  std::vector<run::Want> begin;  // attempts that are in the batch
  std::vector<Answer> answers;
  std::vector<bool> answered;  // what each of them is told
  bool create = false;
  std::size_t tries = 0;
};

struct LiveRun {
  LiveRun(store::RunRow of, const pipelines::Known* table_row) : row(std::move(of)), id(row.id), known(table_row) {}

  const store::RunRow row;  // as it was when the run was taken up
  const std::string& id;
  const pipelines::Known* const known;  // nullptr: this program has no such pipeline

  std::mutex mutex;  // of all below but what whoever works on it has
  std::condition_variable changed;
  std::vector<Event> inbox;
  PhaseProgress<run_phases> phase{RunPhase::fresh};
  PhaseProgress<run_holders> holder{RunHolder::nobody};
  bool again = true;         // there is more to do without anything new in the inbox
  std::uint64_t stored = 0;  // entries
  run::State state = run::State::waiting;
  std::string problem;  // why it does not go on; empty: it does
  std::string held;     // the same: it would ask somebody else
  std::string blocked;  // the same: another run holds what it claims
  std::optional<Error> not_created;
  std::map<std::string, Call> calls;  // by key
  std::vector<std::shared_ptr<WatchState>> watches;
  std::weak_ptr<const run::Journal> snapshot;
  std::uint64_t snapshot_entries = 0;

  std::string_view pipeline() const { return known == nullptr ? std::string_view() : known->pipeline.name; }

  // The mutex is held.
  bool is_over() const { return phase.is(RunPhase::given_up) || phase.is(RunPhase::ended); }
  // The store could not take what it was given, and gets it again.
  bool is_stored_again() const { return after.batch != nullptr && after.tries > 0 && !is_over(); }
  bool is_worked_on() const { return holder.is(RunHolder::worker) || holder.is(RunHolder::both); }
  bool is_known_as_stored() const { return stored > 0 || not_created; }
  // Nothing more is done with it here.
  void end() { phase.enter(state == run::State::waiting ? RunPhase::given_up : RunPhase::ended); }
  // What is in `after` is given to the store; and the store has it, or never will.
  void enter_store() { holder.enter(holder.is(RunHolder::worker) ? RunHolder::both : RunHolder::storing); }
  void leave_store() { holder.enter(holder.is(RunHolder::both) ? RunHolder::worker : RunHolder::nobody); }
  // The worker is through with it.
  void leave_worker() { holder.enter(holder.is(RunHolder::both) ? RunHolder::storing : RunHolder::nobody); }
  // All that it was told and nobody has looked at.
  std::vector<Event> take_events() {
    std::vector<Event> events = std::exchange(working, {});
    for (Event& event : std::exchange(inbox, {})) {
      events.push_back(std::move(event));
    }
    return events;
  }

  // Of the worker that has it.
  std::vector<Event> working;  // taken out of the inbox
  std::optional<run::Machine> machine;
  std::vector<Difference> differ;  // whom it is to ask, and here would
  bool step = true;                // there is something new for the pipeline
  bool stepped = false;            // since it was loaded: what it had asked before is asked again
  After after;                     // of the store, while it has it
};
using RunRef = std::shared_ptr<LiveRun>;

}  // namespace plumb::host
