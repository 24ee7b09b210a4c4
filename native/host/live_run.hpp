// LiveRun: a waiting run in memory. Internal to native/host.
//
// Events go to the run's inbox. A worker takes the run, empties the inbox, works on the machine alone, and gives the
// new entries to the store. Until they are stored, nobody else works on the run (run_phase.hpp says who has it). So a
// run needs no thread of its own, and no lock is held while its pipeline runs.
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

// An effect in progress.
struct Call {
  std::uint64_t number = 0;
  run::EffectKind kind = run::EffectKind::model;
  bool fulfilled = false;  // the Fulfiller performs it; stop() cancels it there
  std::string signal;      // person: the signal that answers it
  std::optional<Timer::Handle> deadline;
};

// What follows when a batch is stored.
struct After {
  store::Batch batch;
  store::Change change;
  std::vector<run::Want> begin;  // attempts in the batch
  std::vector<Answer> answers;
  std::vector<bool> answered;  // the answer for each of them
  bool create = false;
  std::size_t tries = 0;
};

struct LiveRun {
  LiveRun(store::RunRow of, const pipelines::Known* table_row) : row(std::move(of)), id(row.id), known(table_row) {}

  const store::RunRow row;  // as it was when the run was taken up
  const std::string& id;
  const pipelines::Known* const known;  // nullptr: this program has no such pipeline

  std::mutex mutex;  // guards everything below, except what belongs to the worker
  std::condition_variable changed;
  std::vector<Event> inbox;
  PhaseProgress<run_phases> phase{RunPhase::fresh};
  PhaseProgress<run_holders> holder{RunHolder::nobody};
  bool again = true;         // there is more to do without a new event
  std::uint64_t stored = 0;  // entries
  run::State state = run::State::waiting;
  std::string problem;  // why it does not continue; empty if it does
  std::string held;     // the same: this host would ask another provider
  std::string blocked;  // the same: another run holds what it claims
  std::optional<Error> not_created;
  std::map<std::string, Call> calls;  // by key
  std::vector<std::shared_ptr<WatchState>> watches;
  std::weak_ptr<const run::Journal> snapshot;
  std::uint64_t snapshot_entries = 0;

  std::string_view pipeline() const { return known == nullptr ? std::string_view() : known->pipeline.name; }

  // The mutex is held.
  bool is_over() const { return phase.is(RunPhase::given_up) || phase.is(RunPhase::ended); }
  // The store could not take the batch, and gets it again.
  bool is_stored_again() const { return after.batch != nullptr && after.tries > 0 && !is_over(); }
  bool is_worked_on() const { return holder.is(RunHolder::worker) || holder.is(RunHolder::both); }
  bool is_known_as_stored() const { return stored > 0 || not_created; }
  // This host does nothing more with the run.
  void end() { phase.enter(state == run::State::waiting ? RunPhase::given_up : RunPhase::ended); }
  // Gives `after` to the store; and the store has it, or refuses it for good.
  void enter_store() { holder.enter(holder.is(RunHolder::worker) ? RunHolder::both : RunHolder::storing); }
  void leave_store() { holder.enter(holder.is(RunHolder::both) ? RunHolder::worker : RunHolder::nobody); }
  // The worker has finished its turn.
  void leave_worker() { holder.enter(holder.is(RunHolder::both) ? RunHolder::storing : RunHolder::nobody); }
  // Removes and returns all unhandled events.
  std::vector<Event> take_events() {
    std::vector<Event> events = std::exchange(working, {});
    for (Event& event : std::exchange(inbox, {})) {
      events.push_back(std::move(event));
    }
    return events;
  }

  // The following members belong to the worker.
  std::vector<Event> working;  // taken from the inbox
  std::optional<run::Machine> machine;
  std::vector<Difference> differ;  // whom it is pinned to, and whom this host would ask
  bool step = true;                // there is something new for the pipeline
  bool stepped = false;            // since it was loaded; before, its earlier wants are asked again
  After after;                     // belongs to the store while the store has it
};
using RunRef = std::shared_ptr<LiveRun>;

}  // namespace plumb::host
