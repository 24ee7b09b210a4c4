// A run's life here: events are applied to the machine and stored; then the pipeline is stepped, and what it notes and
// the attempts of what it wants are stored; then the calls are begun. Each arrow is an append that has to be durable
// before the next thing happens, so a process that dies between any two of them has lost nothing that was used.

#include "native/host/driver.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "native/host/asked_here.hpp"
#include "native/host/host_clock.hpp"
#include "native/host/isolated_call.hpp"

namespace plumb::host {

namespace {

constexpr std::uint64_t flush_ms = 30'000;
constexpr std::uint64_t hour_ms = 3'600'000;

Error unavailable(std::string message, std::string where = {}) {
  return Error{ErrorCode::unavailable, std::move(message), std::move(where), 0, 0};
}

}  // namespace

Driver::Driver(store::Store& store, Fulfiller& fulfiller, HostSettings settings)
    : store_(store),
      fulfiller_(fulfiller),
      settings_(std::move(settings)),
      runs_(settings_.runs_max),
      watches_(settings_.watches_max, settings_.told_max),
      slots_(*this, settings_.effects_max),
      claims_(*this, store_, work_),
      calls_(*this, settings_, fulfiller_, timer_, slots_, claims_),
      storing_(*this, settings_, store_, timer_, work_, slots_,
               [this](const RunRef& run, const Error& error) { endings_.give_up(run, error); }),
      others_(*this, settings_, store_, runs_, watches_, claims_, slots_),
      endings_({*this, settings_, store_, runs_, watches_, work_, slots_, calls_, claims_}),
      admission_(settings_, fulfiller_, store_, slots_, calls_),
      applying_(settings_, calls_),
      work_(std::max<std::size_t>(1, settings_.workers)) {}

std::uint64_t Driver::now_ms() const { return host::now_ms(settings_); }

run::MachineOptions Driver::machine_options() {
  run::MachineOptions options = settings_.machine;
  // What costs nothing here is asked for again, however often the host was lost.
  options.lost = [this](run::EffectKind kind, const run::Data& request) {
    const AskedOf& asked = settings_.asked_of;
    if (waits_for_answer(fulfiller_, kind, request)) {
      return run::Lost::again;
    }
    const std::string part = part_of(kind, request.value());
    const auto is_it = [&](const Asked& one) { return one.part == part; };
    const bool here = !part.empty() && std::any_of(asked.begin(), asked.end(), is_it);
    const bool free =
        here && std::all_of(asked.begin(), asked.end(), [&](const Asked& one) { return !is_it(one) || one.free(); });
    return free ? run::Lost::again : run::effect_type(kind).lost;
  };
  options.read_contract = [contracts = contracts_](const std::string& text) { return contracts->read(text); };
  return options;
}

const pipelines::Known* Driver::known(std::string_view pipeline) const {
  for (const pipelines::Known& one : settings_.pipelines) {
    if (one.pipeline.name == pipeline) {
      return &one;
    }
  }
  return nullptr;
}

void Driver::begin() {
  others_.hear([this](const store::RunRow& row) { (void)take_up(row); });
  remove_old();
}

// ---------------------------------------------------------------- runs come

Result<RunRef> Driver::add(store::RunRow row, run::Machine machine, std::string& same) {
  const pipelines::Known* const table_row = known(row.pipeline);
  const auto run = std::make_shared<LiveRun>(std::move(row), table_row);
  run->phase.enter(RunPhase::loaded);
  run->machine.emplace(std::move(machine));
  Result<std::string> there = runs_.add(run);
  if (!there) {
    return there.error();
  }
  if (!there.value().empty()) {
    same = std::move(there).value();
    return RunRef();
  }
  After after;
  after.create = true;
  storing_.give(run, run->machine->take(), std::move(after));
  return run;
}

std::optional<Error> Driver::created(const RunRef& run) {
  std::optional<Error> error;
  {
    std::unique_lock<std::mutex> lock(run->mutex);
    run->changed.wait(lock, [&] { return run->is_known_as_stored(); });
    error = run->not_created;
  }
  if (error) {
    runs_.forget(run);
  } else {
    ++started_;
  }
  return error;
}

Result<RunRef> Driver::take_up(const store::RunRow& row, std::vector<Event> first) {
  const auto run = std::make_shared<LiveRun>(row, known(row.pipeline));
  run->inbox = std::move(first);
  run->stored = row.entries;
  Result<RunRef> there = runs_.take_up(run);
  if (!there || there.value() != run) {
    return there;
  }
  const std::lock_guard<std::mutex> lock(run->mutex);
  schedule(run);
  return run;
}

// ---------------------------------------------------------------- turns

void Driver::schedule(const RunRef& run) {
  if (!run->holder.is(RunHolder::nobody) || run->is_over()) {
    return;  // whoever has it looks again
  }
  run->holder.enter(RunHolder::queue);
  work_.give([self = shared_from_this(), run] { self->turn(run); });
}

void Driver::post(const RunRef& run, Event event) {
  std::optional<Error> given_up;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (!run->is_over()) {
      run->inbox.push_back(std::move(event));
      schedule(run);
      return;
    }
    if (run->phase.is(RunPhase::given_up)) {
      given_up = unavailable(run->problem, "run " + run->id);
    }
  }
  if (event.answer) {
    event.answer->set_value(given_up ? Result<bool>(*given_up) : Result<bool>(false));
  }
}

void Driver::turn(const RunRef& run) {
  bool over = false;
  RunPhase phase = RunPhase::fresh;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    phase = run->phase.now();
    over = run->is_over();
    run->holder.enter(over ? RunHolder::nobody : RunHolder::worker);
    if (!over) {
      run->again = false;
      run->working = std::move(run->inbox);
      run->inbox.clear();
    }
  }
  std::string failed;
  if (!over) {
    const IsolatedWork isolated([self = shared_from_this(), run](const std::string& problem) {
      self->endings_.broken(run, problem);
      self->work_.lost();
    });
    try {
      work(run, phase);
    } catch (const std::exception& error) {
      failed = std::string("stopped by an error that nothing handles: ") + error.what();
    }
  }
  if (!failed.empty()) {
    endings_.broken(run, failed);
  } else if (!over) {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->leave_worker();
    run->working.clear();
    if (!run->inbox.empty() || run->again || (run->phase.is(RunPhase::loaded) && run->step)) {
      schedule(run);
    }
  }
  run->changed.notify_all();
  slots_.wake();
}

void Driver::work(const RunRef& run, RunPhase phase) {
  if (phase == RunPhase::fresh) {
    if (const std::optional<Error> error = others_.take(*run)) {
      endings_.drop(run, *error);
      return;
    }
    phase = load(*run);
  }
  if (phase == RunPhase::parked) {
    work_parked(run);
    return;
  }
  settle(run);
  if (run->machine->state() != run::State::waiting) {
    return;
  }
  if (!run->stepped) {
    keep_answers(*run);
  }
  After after;
  for (Event& event : run->working) {
    applying_.apply(*run, event, after);
  }
  std::vector<run::Stored> fresh = run->machine->take();
  if (!fresh.empty()) {
    run->step = true;
    storing_.give(run, std::move(fresh), std::move(after));
    return;
  }
  tell(after.answers, after.answered);
  after = {};
  if (std::exchange(run->step, false)) {
    after.change = step(*run);
  }
  if (run->machine->state() == run::State::waiting) {
    after.begin = admission_.admit(run);
  }
  fresh = run->machine->take();
  if (!fresh.empty()) {
    storing_.give(run, std::move(fresh), std::move(after));
  }
}

// Out of `working`: the store's thread may end the run, and answer what it finds there, before this is through.
void Driver::work_parked(const RunRef& run) {
  std::vector<Event> events;
  std::string problem;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    events = std::exchange(run->working, {});
    problem = run->problem;
  }
  for (const Event& event : events) {
    if (event.what == Event::What::cancel) {
      endings_.end_by_hand(run, run::State::cancelled, event.name, event.answer);
    } else if (event.answer) {
      event.answer->set_value(unavailable(problem, "run " + run->id));
    }
  }
}

store::Change Driver::step(LiveRun& run) {
  store::Change change;
  run.stepped = true;
  change.state = run.machine->step(now_ms());
  for (const std::string& key : run.machine->abandoned()) {
    calls_.stop(run, key);
  }
  if (change.state == run::State::failed) {
    change.error = run.machine->error().message;
  } else if (change.state == run::State::cancelled) {
    for (const run::Entry& entry : run.machine->journal().entries()) {
      if (entry.kind == run::EntryKind::cancel) {
        change.error = entry.error;
      }
    }
  }
  return change;
}

// Before its first step the open questions are not known again: answers to them wait for it.
void Driver::keep_answers(LiveRun& run) {
  const auto answers = [](const Event& event) {
    return event.what == Event::What::answer || (event.what == Event::What::signal && is_decision(event.value));
  };
  const std::lock_guard<std::mutex> lock(run.mutex);
  const auto kept = std::stable_partition(run.working.begin(), run.working.end(),
                                          [&](const Event& event) { return !answers(event); });
  run.inbox.insert(run.inbox.begin(), std::make_move_iterator(kept), std::make_move_iterator(run.working.end()));
  run.working.erase(kept, run.working.end());
}

// What follows from what was stored.
void Driver::settle(const RunRef& run) {
  After after;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    after = std::exchange(run->after, {});
  }
  if (after.change.state != run::State::waiting) {
    endings_.finish(run);
    return;
  }
  for (const run::Want& want : after.begin) {
    calls_.begin(run, want);
  }
}

RunPhase Driver::park(LiveRun& run, std::string problem) {
  store_.waits(run.id, problem);
  const std::lock_guard<std::mutex> lock(run.mutex);
  run.phase.enter(RunPhase::parked);
  run.problem = std::move(problem);
  return RunPhase::parked;
}

RunPhase Driver::load(LiveRun& run) {
  if (run.known == nullptr) {
    return park(run, "this program has no pipeline '" + run.row.pipeline + "'");
  }
  Result<run::Journal> journal = store::read_journal(store_, run.id);
  if (!journal) {
    return park(run, "its journal cannot be read: " + journal.error().message);
  }
  const std::uint64_t stored = journal.value().entries().size();
  Result<run::Machine> machine =
      run::Machine::resume(run.known->pipeline, std::move(journal).value(), machine_options(), now_ms());
  if (!machine) {
    return park(run, machine.error().message);
  }
  if (machine.value().state() != run::State::waiting) {
    return park(run, "its journal has ended, and the store says that it goes on");
  }
  run.machine.emplace(std::move(machine).value());
  compare(run, settings_.asked_of);
  const std::lock_guard<std::mutex> lock(run.mutex);
  run.stored = stored;
  run.phase.enter(RunPhase::loaded);
  return RunPhase::loaded;
}

// ---------------------------------------------------------------- the whole

void Driver::remove_old() {
  if (settings_.keep_ms == 0) {
    return;
  }
  work_.give([self = shared_from_this()] {
    const std::uint64_t now = self->now_ms();
    if (now > self->settings_.keep_ms) {
      (void)self->store_.remove_ended(now - self->settings_.keep_ms);  // tried again in an hour
    }
    self->timer_.after(hour_ms, [weak = self->weak_from_this()] {
      if (const auto again = weak.lock()) {
        again->remove_old();
      }
    });
  });
}

Counts Driver::counts() {
  Counts counts;
  const std::vector<RunRef> runs = runs_.all();
  counts.runs = runs.size();
  for (const RunRef& run : runs) {
    const std::lock_guard<std::mutex> lock(run->mutex);
    counts.held += run->held.empty() ? 0 : 1;
  }
  counts.started = started_;
  counts.watches = watches_.size();
  counts.store_failures = storing_.failures();
  slots_.count(counts);
  calls_.count(counts);
  endings_.count(counts);
  return counts;
}

void Driver::stop(std::uint64_t grace_ms) {
  if (!runs_.close()) {
    return;
  }
  watches_.close();
  others_.hear_no_more();
  slots_.close(grace_ms);
  timer_.stop();
  work_.wait(flush_ms);
  const std::vector<RunRef> runs = runs_.all();
  // What is under way still is handed over to the next host.
  for (const RunRef& run : runs) {
    if (!calls_.fulfilled(*run).empty()) {
      Event event;
      event.what = Event::What::stop;
      post(run, std::move(event));
    }
  }
  work_.wait(flush_ms);
  calls_.drop_replies();
  // What could not be handed over (the store fails) counts as lost.
  for (const RunRef& run : runs) {
    calls_.stop_fulfilled(*run, calls_.fulfilled(*run));
  }
  work_.wait(flush_ms);
  work_.stop();
  const Error stopped = unavailable("the host is being stopped");
  for (const RunRef& run : runs) {
    std::vector<Event> late;
    {
      const std::lock_guard<std::mutex> lock(run->mutex);
      if (run->state == run::State::waiting) {
        run->end();
        run->problem = "the host was stopped";
        late = std::exchange(run->inbox, {});
      }
    }
    refuse(late, stopped);
    run->changed.notify_all();
  }
  watches_.stop();
}

}  // namespace plumb::host
