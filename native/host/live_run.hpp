// A waiting run in memory. Internal to native/host.
//
// Whatever happens to a run is put into its inbox; a worker that takes it up empties the inbox, works on the machine
// alone
// (`busy`) and gives what is to be stored to the store. Until that is stored (`storing`) nothing else is done with the
// run. So a run needs no thread of its own, and no lock is held while its pipeline runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/machine.hpp"
#include "native/host/host.hpp"
#include "native/host/run_watch.hpp"
#include "native/host/timer.hpp"
#include "native/store/store.hpp"

namespace plumb::host {

// Who waits for something to be stored. Answered once.
class Answering {
 public:
  explicit Answering(std::function<void(const Result<bool>&)> told) : told_(std::move(told)) {}
  void set_value(const Result<bool>& how) const { told_(how); }

 private:
  std::function<void(const Result<bool>&)> told_;
};
using Answer = std::shared_ptr<const Answering>;

struct Event {
  enum class What : std::uint8_t { reply, deadline, cancel, signal, answer, choice, stop };
  What what = What::reply;
  std::string key;         // reply, deadline, answer
  std::string name;        // signal; cancel: why; choice: whose
  GoOn with = GoOn::same;  // choice
  std::uint64_t call = 0;  // reply, deadline: of which call
  run::Reply reply;
  run::Data value;
  Answer answer;  // may be empty
};

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
  LiveRun(std::string run_id, const pipelines::Known* table_row) : id(std::move(run_id)), known(table_row) {}

  const std::string id;
  const pipelines::Known* known;  // nullptr: this program has no such pipeline
  store::RunRow row;              // as it was when the run was taken up

  std::mutex mutex;  // of all below but what `busy` guards
  std::condition_variable changed;
  std::vector<Event> inbox;
  bool queued = false;   // a worker will take it up
  bool busy = false;     // one has
  bool storing = false;  // `after` is with the store
  bool loaded = false;   // there is a machine
  bool parked = false;   // there will be none: `problem` says why
  bool over = false;     // it has ended, or was given up: `problem` says why
  bool again = true;     // there is more to do without anything new in the inbox
  bool waits_for_call = false;
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

  // Of whom `busy` is set by.
  std::vector<Event> working;  // taken out of the inbox
  std::optional<run::Machine> machine;
  std::vector<Difference> differ;  // whom it is to ask, and here would
  bool step = true;                // there is something new for the pipeline
  bool stepped = false;            // since it was loaded: what it had asked before is asked again
  After after;
};

}  // namespace plumb::host
