// A run's life here: events are applied to the machine and stored; then the pipeline is stepped, and what it notes and
// the attempts of what it wants are stored; then the calls are begun. Each arrow is an append that has to be durable
// before the next thing happens, so a process that dies between any two of them has lost nothing that was used.

#include "native/host/driver.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/contract/check.hpp"
#include "core/json/writer.hpp"
#include "core/run/person.hpp"
#include "native/host/isolated_call.hpp"

namespace plumb::host {

namespace {

constexpr std::size_t store_tries_max = 10;  // 1, 2, 4, ... 60 seconds: five minutes in all
constexpr std::uint64_t store_retry_ms = 1000;
constexpr std::uint64_t store_retry_max_ms = 60'000;
constexpr std::uint64_t flush_ms = 30'000;
constexpr std::uint64_t heard_ms_max = 1'000;
constexpr std::size_t contracts_max = 256;
constexpr std::uint64_t hour_ms = 3'600'000;

Error host_error(ErrorCode code, std::string message, std::string where = {}) {
  return Error{code, std::move(message), std::move(where), 0, 0};
}

std::string request_name(std::string_view owner, std::string_view key) {
  return std::to_string(owner.size()) + '\n' + std::string(owner) + std::string(key);
}

// A person's answer is what the effect promises.
bool is_decision(const run::Data& value) { return value.value().find("decision") != nullptr; }

void tell(const std::vector<Answer>& answers, const std::vector<bool>& answered) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i]->set_value(static_cast<bool>(answered[i]));
  }
}

}  // namespace

Driver::Driver(store::Store& store, Fulfiller& fulfiller, HostSettings settings)
    : store_(store),
      sharing_(store.sharing()),
      fulfiller_(fulfiller),
      settings_(std::move(settings)),
      workers_(std::max<std::size_t>(1, settings_.workers)) {}

std::uint64_t Driver::now_ms() const {
  if (settings_.now_ms) {
    return settings_.now_ms();
  }
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

// The contracts of many runs are the same texts: each is compiled once.
run::MachineOptions Driver::machine_options() {
  run::MachineOptions options = settings_.machine;
  // What costs nothing here is asked for again, however often the host was lost.
  options.lost = [&asked = settings_.asked_of](run::EffectKind kind, const run::Data& request) {
    const std::string part = part_of(kind, request.value());
    const auto is_it = [&](const Asked& one) { return one.part == part; };
    const bool here = !part.empty() && std::any_of(asked.begin(), asked.end(), is_it);
    const bool free =
        here && std::all_of(asked.begin(), asked.end(), [&](const Asked& one) { return !is_it(one) || one.free(); });
    return free ? run::Lost::again : run::effect_type(kind).lost;
  };
  options.read_contract = [weak = weak_from_this()](const std::string& text) -> Result<contract::Contract> {
    const auto self = weak.lock();
    if (self == nullptr) {
      return contract::Contract::read(text);
    }
    {
      const std::lock_guard<std::mutex> lock(self->contracts_mutex_);
      const auto found = self->contracts_.find(text);
      if (found != self->contracts_.end()) {
        return found->second;
      }
    }
    Result<contract::Contract> read = contract::Contract::read(text);
    if (read) {
      const std::lock_guard<std::mutex> lock(self->contracts_mutex_);
      if (self->contracts_.size() >= contracts_max) {
        self->contracts_.clear();  // runs that use them keep them
      }
      self->contracts_.emplace(text, read.value());
    }
    return read;
  };
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

// ---------------------------------------------------------------- which runs there are

RunRef Driver::find(std::string_view id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = runs_.find(std::string(id));
  return found == runs_.end() ? nullptr : found->second;
}

std::string Driver::same_as(std::string_view fingerprint, std::string_view owner, std::string_view request_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!request_key.empty()) {
    const auto found = by_request_.find(request_name(owner, request_key));
    if (found != by_request_.end()) {
      return found->second;
    }
  }
  const auto found = by_fingerprint_.find(std::string(fingerprint));
  return fingerprint.empty() || found == by_fingerprint_.end() ? std::string() : found->second;
}

void Driver::remember(const store::RunRow& row) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!row.fingerprint.empty()) {
    by_fingerprint_[row.fingerprint] = row.id;
  }
  if (!row.request_key.empty()) {
    by_request_[request_name(row.owner, row.request_key)] = row.id;
  }
}

Result<RunRef> Driver::add(store::RunRow row, run::Machine machine, std::string& same) {
  const auto run = std::make_shared<LiveRun>(row.id, known(row.pipeline));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) {
      return host_error(ErrorCode::unavailable, "the host is being stopped");
    }
    if (!row.request_key.empty()) {
      const auto found = by_request_.find(request_name(row.owner, row.request_key));
      if (found != by_request_.end()) {
        same = found->second;
        return RunRef();
      }
    }
    if (!row.fingerprint.empty()) {
      const auto found = by_fingerprint_.find(row.fingerprint);
      if (found != by_fingerprint_.end()) {
        same = found->second;
        return RunRef();
      }
    }
    if (runs_.size() >= settings_.runs_max) {
      return host_error(ErrorCode::limit, "there are " + std::to_string(runs_.size()) +
                                              " runs going on, the most there may be; try again when some have ended");
    }
    runs_.emplace(row.id, run);
    if (!row.fingerprint.empty()) {
      by_fingerprint_[row.fingerprint] = row.id;
    }
    if (!row.request_key.empty()) {
      by_request_[request_name(row.owner, row.request_key)] = row.id;
    }
  }
  run->row = row;
  run->loaded = true;
  run->machine.emplace(std::move(machine));
  After after;
  after.create = true;
  give(run, run->machine->take(), std::move(after));
  return run;
}

std::optional<Error> Driver::created(const RunRef& run) {
  std::optional<Error> error;
  {
    std::unique_lock<std::mutex> lock(run->mutex);
    run->changed.wait(lock, [&] { return run->stored > 0 || run->not_created; });
    error = run->not_created;
  }
  if (error) {
    forget(run);
  } else {
    ++started_;
  }
  return error;
}

Result<RunRef> Driver::take_up(const store::RunRow& row, std::vector<Event> first) {
  const auto run = std::make_shared<LiveRun>(row.id, known(row.pipeline));
  run->row = row;
  run->inbox = std::move(first);
  run->stored = row.entries;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) {
      return host_error(ErrorCode::unavailable, "the host is being stopped");
    }
    if (const auto [there, fresh] = runs_.emplace(row.id, run); !fresh) {
      // What had to be given up is taken up anew; else there is nothing to do.
      bool given_up = false;
      {
        const std::lock_guard<std::mutex> its(there->second->mutex);
        given_up = there->second->over && there->second->state == run::State::waiting;
      }
      if (!given_up) {
        return there->second;
      }
      there->second = run;
    }
  }
  remember(row);
  const std::lock_guard<std::mutex> lock(run->mutex);
  schedule(run);
  return run;
}

void Driver::forget(const RunRef& run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = runs_.find(run->id);
  if (found != runs_.end() && found->second == run) {
    runs_.erase(found);
  }
  auto drop = [&](auto& map, const std::string& name) {
    const auto at = map.find(name);
    if (at != map.end() && at->second == run->id) {
      map.erase(at);
    }
  };
  drop(by_fingerprint_, run->row.fingerprint);
  drop(by_request_, request_name(run->row.owner, run->row.request_key));
}

// ---------------------------------------------------------------- turns

void Driver::enter() {
  const std::lock_guard<std::mutex> lock(active_mutex_);
  ++active_;
}

void Driver::leave() {
  const std::lock_guard<std::mutex> lock(active_mutex_);
  --active_;
  active_changed_.notify_all();
}

void Driver::schedule(const RunRef& run) {
  if (run->queued || run->busy || run->storing || run->over) {
    return;  // whoever has it looks again
  }
  run->queued = true;
  enter();
  workers_.give([self = shared_from_this(), run] { self->turn(run); });
}

void Driver::post(const RunRef& run, Event event) {
  std::optional<Error> given_up;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (!run->over) {
      run->inbox.push_back(std::move(event));
      schedule(run);
      return;
    }
    if (run->state == run::State::waiting) {
      given_up = host_error(ErrorCode::unavailable, run->problem, "run " + run->id);
    }
  }
  if (event.answer) {
    event.answer->set_value(given_up ? Result<bool>(*given_up) : Result<bool>(false));
  }
}

void Driver::refuse(std::vector<Event> events, const Error& error) {
  for (const Event& event : events) {
    if (event.answer) {
      event.answer->set_value(error);
    }
  }
}

void Driver::turn(const RunRef& run) {
  bool over = false;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->queued = false;
    over = run->over;
    if (!over) {
      run->busy = true;
      run->again = false;
      run->working = std::move(run->inbox);
      run->inbox.clear();
    }
  }
  std::string failed;
  if (!over) {
    const IsolatedWork isolated([self = shared_from_this(), run](const std::string& problem) {
      self->workers_.lost();
      self->broken(run, problem);
      self->leave();
    });
    try {
      work(run);
    } catch (const std::exception& error) {
      failed = std::string("stopped by an error that nothing handles: ") + error.what();
    }
  }
  if (!failed.empty()) {
    broken(run, failed);
  } else if (!over) {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->busy = false;
    run->working.clear();
    if (!run->inbox.empty() || run->again || (run->loaded && run->step)) {
      schedule(run);
    }
  }
  run->changed.notify_all();
  wake_waiting();
  leave();
}

void Driver::work(const RunRef& shared) {
  LiveRun& run = *shared;
  if (!run.loaded && !run.parked) {
    if (!take(shared)) {
      return;
    }
    load(run);
  }
  if (run.parked) {
    // Out of `working`: the store's thread may end the run, and answer what it finds there, before this is through.
    std::vector<Event> events;
    {
      const std::lock_guard<std::mutex> lock(run.mutex);
      events = std::exchange(run.working, {});
    }
    for (const Event& event : events) {
      if (event.what == Event::What::cancel) {
        end_by_hand(shared, run::State::cancelled, event.name, event.answer);
      } else if (event.answer) {
        event.answer->set_value(host_error(ErrorCode::unavailable, run.problem, "run " + run.id));
      }
    }
    return;
  }
  settle(shared);
  if (run.machine->state() != run::State::waiting) {
    return;
  }
  if (!run.stepped) {
    keep_answers(run);
  }
  After after;
  for (Event& event : run.working) {
    apply(run, event, after);
  }
  std::vector<run::Stored> fresh = run.machine->take();
  if (!fresh.empty()) {
    run.step = true;
    give(shared, std::move(fresh), std::move(after));
    return;
  }
  tell(after.answers, after.answered);
  after = {};
  if (std::exchange(run.step, false)) {
    run.stepped = true;
    const run::State state = run.machine->step(now_ms());
    for (const std::string& key : run.machine->abandoned()) {
      stop_call(run, key);
    }
    if (state == run::State::failed) {
      after.change.error = run.machine->error().message;
    } else if (state == run::State::cancelled) {
      for (const run::Entry& entry : run.machine->journal().entries()) {
        if (entry.kind == run::EntryKind::cancel) {
          after.change.error = entry.error;
        }
      }
    }
    after.change.state = state;
  }
  if (run.machine->state() == run::State::waiting) {
    after.begin = want(shared);
  }
  fresh = run.machine->take();
  if (!fresh.empty()) {
    give(shared, std::move(fresh), std::move(after));
  }
}

// Before its first step the questions that stand are not known again: answers to them wait for it.
void Driver::keep_answers(LiveRun& run) {
  const auto answers = [](const Event& event) {
    return event.what == Event::What::answer || (event.what == Event::What::signal && is_decision(event.value));
  };
  const auto kept = std::stable_partition(run.working.begin(), run.working.end(),
                                          [&](const Event& event) { return !answers(event); });
  const std::lock_guard<std::mutex> lock(run.mutex);
  run.inbox.insert(run.inbox.begin(), std::make_move_iterator(kept), std::make_move_iterator(run.working.end()));
  run.working.erase(kept, run.working.end());
}

void Driver::park(LiveRun& run, std::string problem) {
  store_.waits(run.id, problem);
  const std::lock_guard<std::mutex> lock(run.mutex);
  run.parked = true;
  run.problem = std::move(problem);
}

void Driver::load(LiveRun& run) {
  if (run.known == nullptr) {
    park(run, "this program has no pipeline '" + run.row.pipeline + "'");
    return;
  }
  Result<run::Journal> journal = store::read_journal(store_, run.id);
  if (!journal) {
    park(run, "its journal cannot be read: " + journal.error().message);
    return;
  }
  const std::uint64_t stored = journal.value().entries().size();
  Result<run::Machine> machine =
      run::Machine::resume(run.known->pipeline, std::move(journal).value(), machine_options(), now_ms());
  if (!machine) {
    park(run, machine.error().message);
    return;
  }
  if (machine.value().state() != run::State::waiting) {
    park(run, "its journal has ended, and the store says that it goes on");
    return;
  }
  run.machine.emplace(std::move(machine).value());
  compare(run);
  const std::lock_guard<std::mutex> lock(run.mutex);
  run.stored = stored;
  run.loaded = true;
}

void Driver::apply(LiveRun& run, Event& event, After& after) {
  run::Machine& machine = *run.machine;
  auto call_ended = [&](const std::string& key, std::uint64_t number) {
    const std::lock_guard<std::mutex> lock(run.mutex);
    const auto found = run.calls.find(key);
    if (found == run.calls.end() || (number != 0 && found->second.number != number)) {
      return false;
    }
    if (found->second.deadline) {
      timer_.take_back(*found->second.deadline);
    }
    run.calls.erase(found);
    return true;
  };
  auto answered = [&](bool yes) {
    if (event.answer) {
      after.answers.push_back(std::move(event.answer));
      after.answered.push_back(yes);
      event.answer = nullptr;
    }
  };
  switch (event.what) {
    case Event::What::reply:
      if (call_ended(event.key, event.call)) {
        machine.reply(event.key, std::move(event.reply), now_ms());
      }
      break;
    case Event::What::deadline: {
      bool fulfilled = false;
      run::EffectKind kind = run::EffectKind::person;
      {
        const std::lock_guard<std::mutex> lock(run.mutex);
        const auto found = run.calls.find(event.key);
        fulfilled = found != run.calls.end() && found->second.number == event.call && found->second.fulfilled;
        kind = fulfilled ? found->second.kind : kind;
      }
      if (call_ended(event.key, event.call)) {
        run::Data request;
        for (const run::Want& want : machine.under_way()) {
          request = want.key == event.key ? want.request : request;
        }
        machine.reply(event.key, timed_out(kind, request, event.name), now_ms());
        if (fulfilled) {
          fulfiller_.stop(run.id, event.key);
        }
      }
      break;
    }
    case Event::What::cancel:
      machine.cancel(event.name, now_ms());
      answered(true);
      break;
    case Event::What::choice:
      answered(choose(run, event));
      run.step = true;
      break;
    case Event::What::stop:
      hand_over(run);
      break;
    case Event::What::signal: {
      const run::Entry* before = is_decision(event.value) ? run::answered_by(machine.journal(), event.name) : nullptr;
      if (before != nullptr) {
        answered(before->data.text() == event.value.text());  // the same once more is no second answer
        break;
      }
      if (!machine.signal(event.name, event.value, now_ms())) {
        answered(false);
        break;
      }
      std::string key;
      {
        const std::lock_guard<std::mutex> lock(run.mutex);
        std::uint64_t oldest = 0;
        for (const auto& [one, call] : run.calls) {
          if (call.kind == run::EffectKind::person && call.signal == event.name &&
              (oldest == 0 || call.number < oldest)) {
            oldest = call.number;
            key = one;
          }
        }
      }
      if (!key.empty() && is_decision(event.value) && call_ended(key, 0)) {
        run::Reply reply;
        reply.value = std::move(event.value);
        machine.reply(key, std::move(reply), now_ms());
      }
      answered(true);
      break;
    }
    case Event::What::answer: {
      bool open = false;
      {
        const std::lock_guard<std::mutex> lock(run.mutex);
        const auto found = run.calls.find(event.key);
        open = found != run.calls.end() && found->second.kind == run::EffectKind::person;
      }
      if (open && call_ended(event.key, 0)) {
        run::Reply reply;
        reply.value = std::move(event.value);
        machine.reply(event.key, std::move(reply), now_ms());
      }
      answered(open);
      break;
    }
  }
}

// ---------------------------------------------------------------- effects

// What the machine wants and may begin now, with its attempts in the journal.
std::vector<run::Want> Driver::want(const RunRef& shared) {
  LiveRun& run = *shared;
  run::Machine& machine = *run.machine;
  std::vector<run::Want> out;
  bool full = false;
  std::string held;
  for (run::Want& want : machine.wanted()) {
    if (holds(run, want)) {
      held = why_it_waits(run.differ, run.id);
      continue;
    }
    const bool works = want.kind == run::EffectKind::command || want.kind == run::EffectKind::worktree;
    if (works && run.row.imported) {
      held =
          "it waits: it was imported, and nothing that others wrote makes this host run a command or change a "
          "repository. Who has looked at it lets it: plumb runs resume " +
          run.id + " --adopt";
      continue;
    }
    if (std::string lacks = lacking(want.kind); !lacks.empty()) {
      held = "it waits: " + lacks;
      continue;
    }
    {
      const std::lock_guard<std::mutex> lock(run.mutex);
      if (run.calls.count(want.key) != 0) {
        continue;
      }
    }
    const std::uint64_t now = now_ms();
    if (!want.anew && want.deadline_ms > 0 && now >= want.since_ms + want.deadline_ms) {
      machine.reply(want.key,
                    timed_out(want.kind, want.request, "no answer within " + std::to_string(want.deadline_ms) + " ms"),
                    now);
      run.step = true;
      continue;
    }
    const bool asks_person = want.kind == run::EffectKind::person;
    const bool own = asks_person || want.kind == run::EffectKind::claim;
    if (!own && (full || !take_slot(shared))) {
      full = true;
      continue;
    }
    // What a person was asked already is not asked again: the question stands.
    if (!(asks_person && want.attempts > 0) && !machine.attempt(want.key, now)) {
      run.step = true;  // a bound was reached, which ends the run in its next step
      if (!own) {
        release_slot();
      }
      break;
    }
    if (asks_person && want.attempts > 0) {
      begin(shared, want);
    } else {
      out.push_back(std::move(want));
    }
  }
  hold(shared, std::move(held));
  return out;
}

// What follows from what was stored.
void Driver::settle(const RunRef& shared) {
  LiveRun& run = *shared;
  After after;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    after = std::exchange(run.after, {});
  }
  if (after.change.state != run::State::waiting) {
    finish(shared);
    return;
  }
  for (const run::Want& want : after.begin) {
    begin(shared, want);
  }
}

void Driver::begin(const RunRef& shared, const run::Want& want) {
  LiveRun& run = *shared;
  const std::uint64_t number = next_call_++;
  const std::uint64_t now = now_ms();
  Call call;
  call.number = number;
  call.kind = want.kind;
  call.fulfilled = want.kind != run::EffectKind::person && want.kind != run::EffectKind::claim;
  // A restart does not renew the time.
  const std::uint64_t since = want.anew ? now : std::min(want.since_ms, now);
  // A command waits for its turn, which is not charged to it: who runs it knows its time.
  const bool bounds_itself = want.kind == run::EffectKind::command || want.kind == run::EffectKind::worktree;
  const std::uint64_t whole = want.deadline_ms > 0               ? want.deadline_ms
                              : call.fulfilled && !bounds_itself ? settings_.effect_ms_max
                                                                 : 0;
  std::uint64_t left = whole;
  if (want.deadline_ms > 0) {
    left = since + whole > now ? since + whole - now : 1;
  }
  if (want.kind == run::EffectKind::person) {
    call.signal = run::answering_signal(want.request.value());
  }
  if (left > 0) {
    // Who fulfils it knows the time too, and tells more of what was delivered: it is heard first.
    const std::uint64_t heard = call.fulfilled ? std::min(left / 10, heard_ms_max) : 0;
    call.deadline = timer_.after(left + heard, [weak = weak_from_this(), weak_run = std::weak_ptr<LiveRun>(shared),
                                                key = want.key, number, whole] {
      const auto self = weak.lock();
      const auto its = weak_run.lock();
      if (self && its) {
        Event event;
        event.what = Event::What::deadline;
        event.key = key;
        event.call = number;
        event.name = "no answer within " + std::to_string(whole) + " ms";
        self->post(its, std::move(event));
      }
    });
  }
  const bool fulfilled = call.fulfilled;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    run.calls[want.key] = std::move(call);
  }
  if (want.kind == run::EffectKind::claim) {
    claim(shared, want, number);
    return;
  }
  if (!fulfilled) {
    return;
  }
  ++calls_;
  if (!want.anew) {
    ++calls_again_;
  }
  // The pins are read by the fulfiller's threads: it gets copies of its own.
  struct CallPins {
    std::mutex mutex;
    std::map<std::string, run::Data, std::less<>> read;
  };
  EffectCall effect;
  effect.run = run.id;
  effect.key = want.key;
  effect.kind = want.kind;
  effect.request = want.request.deep_copy();
  effect.deadline_ms = left;
  effect.pin = [shared, pins = std::make_shared<CallPins>()](std::string_view name) -> const run::Data* {
    const std::lock_guard<std::mutex> lock(pins->mutex);
    const auto known = pins->read.find(name);
    if (known != pins->read.end()) {
      return &known->second;
    }
    const run::Data* pin = shared->machine->pin(name);
    if (pin == nullptr) {
      return nullptr;
    }
    return &pins->read.emplace(std::string(name), pin->deep_copy()).first->second;
  };
  effect.told = [weak_run = std::weak_ptr<LiveRun>(shared), key = want.key](std::string_view what, std::string json) {
    if (const auto its = weak_run.lock()) {
      const std::lock_guard<std::mutex> lock(its->mutex);
      for (const std::shared_ptr<WatchState>& watch : its->watches) {
        watch->told(its->stored, key, what, json);
      }
    }
  };
  fulfiller_.begin(std::move(effect), [weak = weak_from_this(), shared, key = want.key, number](run::Reply reply) {
    if (const auto self = weak.lock()) {
      self->call_over(shared, key, number, std::move(reply));
    }
  });
}

void Driver::stop_call(LiveRun& run, std::string_view key) {
  bool fulfilled = false;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    const auto found = run.calls.find(std::string(key));
    if (found == run.calls.end()) {
      return;
    }
    fulfilled = found->second.fulfilled;
    if (found->second.deadline) {
      timer_.take_back(*found->second.deadline);
    }
    run.calls.erase(found);
  }
  if (fulfilled) {
    fulfiller_.stop(run.id, key);
  }
}

void Driver::call_over(const RunRef& run, const std::string& key, std::uint64_t number, run::Reply reply) {
  // The reply goes into the inbox before the call counts as over: who waits for the last call finds it there.
  if (!dropping_) {
    Event event;
    event.what = Event::What::reply;
    event.key = key;
    event.call = number;
    event.reply = std::move(reply);
    post(run, std::move(event));
  }
  release_slot();
}

bool Driver::take_slot(const RunRef& run) {
  const std::lock_guard<std::mutex> lock(slots_mutex_);
  if (no_more_calls_) {
    return false;
  }
  if (under_way_ >= settings_.effects_max) {
    if (!std::exchange(run->waits_for_call, true)) {
      waiting_.push_back(run);
    }
    return false;
  }
  ++under_way_;
  return true;
}

void Driver::release_slot() {
  {
    const std::lock_guard<std::mutex> lock(slots_mutex_);
    --under_way_;
  }
  slots_changed_.notify_all();
  wake_waiting();
}

// One of the runs that wait for a call to become free; when it has had its turn, the next one.
void Driver::wake_waiting() {
  for (;;) {
    RunRef run;
    {
      const std::lock_guard<std::mutex> lock(slots_mutex_);
      if (waiting_.empty() || under_way_ >= settings_.effects_max || no_more_calls_) {
        return;
      }
      run = std::move(waiting_.front());
      waiting_.pop_front();
      run->waits_for_call = false;
    }
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (!run->over) {
      run->again = true;
      schedule(run);
      return;
    }
  }
}

// ---------------------------------------------------------------- storing

void Driver::give(const RunRef& run, std::vector<run::Stored> entries, After after) {
  const std::vector<run::Entry>& journal = run->machine->journal().entries();
  after.change.at_ms = journal.back().at_ms;
  after.batch = std::make_shared<const std::vector<run::Stored>>(std::move(entries));
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (after.change.state == run::State::waiting) {
      after.change.error = run->held;
    }
    run->after = std::move(after);
    run->storing = true;
  }
  submit(run);
}

void Driver::submit(const RunRef& run) {
  enter();
  auto done = [self = shared_from_this(), run](const store::Outcome& outcome) {
    self->stored(run, outcome);
    self->leave();
  };
  const After& after = run->after;  // nobody else touches it while `storing`
  if (after.create) {
    store_.create(run->row, after.batch, std::move(done));
  } else {
    store_.append(run->id, run->stored, after.batch, after.change, std::move(done));
  }
}

// A store that begins to fail, and one that writes again, is told once.
void Driver::tell_store(const store::Outcome& outcome) {
  const bool fails = outcome && outcome->code == ErrorCode::unavailable;
  store_failures_ += fails ? 1 : 0;
  if ((fails || !outcome) && store_fails_.exchange(fails) != fails && settings_.store_fails) {
    settings_.store_fails(fails ? std::string_view(outcome->message) : std::string_view());
  }
}

void Driver::stored(const RunRef& run, const store::Outcome& outcome) {
  tell_store(outcome);
  std::vector<Answer> answers;
  std::vector<bool> answered;
  std::uint64_t retry_ms = 0;
  bool halts = false;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    After& after = run->after;
    if (!outcome) {
      run->stored += after.batch->size();
      run->state = after.change.state;
      run->problem.clear();
      run->storing = false;
      run->again = true;
      answers = std::move(after.answers);
      answered = std::move(after.answered);
      after.batch = nullptr;
      for (const std::shared_ptr<WatchState>& watch : run->watches) {
        watch->stored(run->stored);
      }
      schedule(run);
    } else if (after.create) {
      run->not_created = outcome;
      run->storing = false;
      run->over = true;
    } else if (outcome->code != ErrorCode::invalid_argument && after.tries < store_tries_max && !stopping()) {
      retry_ms = std::min(store_retry_ms << after.tries++, store_retry_max_ms);
      run->problem = "the store " + outcome->message + "; tried again";
    } else {
      halts = true;
    }
  }
  if (halts) {
    give_up(run, *outcome);
  }
  if (!outcome && settings_.stored) {
    settings_.stored(run->id, run->known == nullptr ? std::string_view() : run->known->pipeline.name);
  }
  run->changed.notify_all();
  tell(answers, answered);
  if (retry_ms > 0) {
    timer_.after(retry_ms, [weak = weak_from_this(), run] {
      if (const auto self = weak.lock()) {
        self->submit(run);
      }
    });
  }
}

void Driver::give_up(const RunRef& shared, const Error& error) {
  LiveRun& run = *shared;
  std::vector<Answer> answers;
  std::vector<Event> events;
  std::vector<std::string> stopped;
  std::size_t slots = 0;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    run.problem = (sharing_ != nullptr ? "it halted: " : "it halted: the store ") + error.message;
    run.storing = false;
    run.over = true;
    answers = std::exchange(run.after.answers, {});
    events = std::exchange(run.inbox, {});
    for (const run::Want& want : std::exchange(run.after.begin, {})) {
      slots += want.kind != run::EffectKind::person && want.kind != run::EffectKind::claim ? 1 : 0;
    }
    for (const auto& [key, call] : std::exchange(run.calls, {})) {
      if (call.fulfilled) {
        stopped.push_back(key);
      }
    }
  }
  for (const Answer& answer : answers) {
    answer->set_value(error);
  }
  refuse(std::move(events), error);
  for (const std::string& key : stopped) {
    fulfiller_.stop(run.id, key);
  }
  for (; slots > 0; --slots) {
    release_slot();
  }
  // Where another host goes on with it, this one has no more to do with it.
  if (sharing_ != nullptr && error.code == ErrorCode::invalid_argument) {
    drop(shared, error);
    if (settings_.lost) {
      settings_.lost(run.id, error.message);
    }
  }
}

void Driver::finish(const RunRef& run) {
  std::vector<Event> late;
  std::vector<std::string> stopped;
  run::State state = run::State::waiting;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    state = run->state;
  }
  // Who has waited for the end finds it counted, and the run gone from memory.
  forget(run);
  let_claims();
  ++(state == run::State::done ? done_ : state == run::State::cancelled ? cancelled_ : failed_);
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->over = true;
    late = std::exchange(run->inbox, {});
    for (Event& event : run->working) {
      late.push_back(std::move(event));
    }
    run->working.clear();
    for (const auto& [key, call] : std::exchange(run->calls, {})) {
      if (call.deadline) {
        timer_.take_back(*call.deadline);
      }
      if (call.fulfilled) {
        stopped.push_back(key);
      }
    }
    for (const std::shared_ptr<WatchState>& watch : std::exchange(run->watches, {})) {
      watch->ended(run->stored);
    }
  }
  run->changed.notify_all();
  for (const Event& event : late) {
    if (event.answer) {
      event.answer->set_value(false);
    }
  }
  for (const std::string& key : stopped) {
    fulfiller_.stop(run->id, key);
  }
  if (settings_.ended) {
    settings_.ended(run->id);
  }
}

// ---------------------------------------------------------------- what cannot go on

// An assumption of ours is false: the machine is not touched again (`busy` stays), the run ends as failed.
void Driver::broken(const RunRef& run, const std::string& problem) {
  std::vector<Event> events;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    events = std::exchange(run->working, {});
    for (Event& event : std::exchange(run->inbox, {})) {
      events.push_back(std::move(event));
    }
    run->problem = problem;
  }
  refuse(std::move(events), host_error(ErrorCode::unavailable, problem, "run " + run->id));
  enter();
  workers_.give([self = shared_from_this(), run, problem] {
    self->end_by_hand(run, run::State::failed, problem + "; this is a bug in plumb, please report it", nullptr);
    self->leave();
  });
}

// Ends a run without its pipeline.
void Driver::end_by_hand(const RunRef& run, run::State state, const std::string& why, const Answer& answer) {
  auto refused = [&](const Error& error) {
    {
      const std::lock_guard<std::mutex> lock(run->mutex);
      run->over = state == run::State::failed;
    }
    run->changed.notify_all();
    if (answer) {
      answer->set_value(error);
    }
  };
  Result<run::Journal> read = store::read_journal(store_, run->id);
  if (!read) {
    refused(read.error());
    return;
  }
  run::Journal journal = std::move(read).value();
  const std::uint64_t expected = journal.entries().size();
  if (state == run::State::cancelled) {
    run::Entry cancel;
    cancel.kind = run::EntryKind::cancel;
    cancel.at_ms = now_ms();
    cancel.error = why;
    journal.append(std::move(cancel));
  }
  run::Entry end;
  end.kind = run::EntryKind::end;
  end.at_ms = now_ms();
  end.status = state == run::State::cancelled ? run::Status::cancelled : run::Status::failed;
  end.error = why;
  journal.append(std::move(end));
  store::Change change;
  change.at_ms = journal.entries().back().at_ms;
  change.state = state;
  change.error = why;
  const auto batch = std::make_shared<const std::vector<run::Stored>>(journal.take());
  enter();
  store_.append(run->id, expected, batch, change,
                [self = shared_from_this(), run, state, answer, batch, expected](const store::Outcome& outcome) {
                  if (outcome) {
                    {
                      const std::lock_guard<std::mutex> lock(run->mutex);
                      run->problem += (run->problem.empty() ? "" : "; ") + ("the store " + outcome->message);
                      run->over = state == run::State::failed;
                    }
                    run->changed.notify_all();
                    if (answer) {
                      answer->set_value(*outcome);
                    }
                  } else {
                    {
                      const std::lock_guard<std::mutex> lock(run->mutex);
                      run->stored = expected + batch->size();
                      run->state = state;
                      run->problem.clear();
                    }
                    if (self->settings_.stored) {
                      self->settings_.stored(run->id,
                                             run->known == nullptr ? std::string_view() : run->known->pipeline.name);
                    }
                    self->finish(run);
                    if (answer) {
                      answer->set_value(true);
                    }
                  }
                  self->leave();
                });
}

// ---------------------------------------------------------------- the rest

Result<std::shared_ptr<WatchState>> Driver::watch(const RunRef& run, std::uint64_t stored, bool ended) {
  if (++watches_ > settings_.watches_max) {
    --watches_;
    return host_error(ErrorCode::limit, "there are " + std::to_string(settings_.watches_max) +
                                            " watchers of runs, the most there may be; try again later");
  }
  auto state = std::make_shared<WatchState>(stored, ended, settings_.told_max);
  if (run != nullptr) {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (run->over && run->state != run::State::waiting) {
      state->ended(run->stored);
    } else {
      state->stored(run->stored);
      auto& watches = run->watches;
      watches.erase(
          std::remove_if(watches.begin(), watches.end(), [](const auto& one) { return one.use_count() == 1; }),
          watches.end());
      watches.push_back(state);
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  watch_states_.erase(
      std::remove_if(watch_states_.begin(), watch_states_.end(), [](const auto& one) { return one.expired(); }),
      watch_states_.end());
  watch_states_.push_back(state);
  if (stopping_) {
    state->stop();
  }
  return state;
}

void Driver::remove_old() {
  if (settings_.keep_ms == 0) {
    return;
  }
  enter();
  workers_.give([self = shared_from_this()] {
    const std::uint64_t now = self->now_ms();
    if (now > self->settings_.keep_ms) {
      (void)self->store_.remove_ended(now - self->settings_.keep_ms);  // tried again in an hour
    }
    self->timer_.after(hour_ms, [weak = self->weak_from_this()] {
      if (const auto again = weak.lock()) {
        again->remove_old();
      }
    });
    self->leave();
  });
}

Counts Driver::counts() {
  Counts counts;
  std::vector<RunRef> runs;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    counts.runs = runs_.size();
    runs.reserve(runs_.size());
    for (const auto& [id, run] : runs_) {
      runs.push_back(run);
    }
  }
  for (const RunRef& run : runs) {
    const std::lock_guard<std::mutex> lock(run->mutex);
    counts.held += run->held.empty() ? 0 : 1;
  }
  {
    const std::lock_guard<std::mutex> lock(slots_mutex_);
    counts.under_way = under_way_;
    counts.queued = waiting_.size();
  }
  counts.watches = watches_;
  counts.done = done_;
  counts.failed = failed_;
  counts.cancelled = cancelled_;
  counts.calls = calls_;
  counts.calls_again = calls_again_;
  counts.handed_over = handed_over_;
  counts.store_failures = store_failures_;
  counts.started = started_;
  return counts;
}

bool Driver::stopping() {
  const std::lock_guard<std::mutex> lock(slots_mutex_);
  return no_more_calls_;
}

void Driver::stop(std::uint64_t grace_ms) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(stopping_, true)) {
      return;
    }
  }
  if (sharing_ != nullptr) {
    sharing_->hear({});
  }
  {
    std::unique_lock<std::mutex> lock(slots_mutex_);
    no_more_calls_ = true;
    waiting_.clear();
    slots_changed_.wait_for(lock, std::chrono::milliseconds(grace_ms), [&] { return under_way_ == 0; });
  }
  timer_.stop();
  const auto flushed = [this] {
    std::unique_lock<std::mutex> lock(active_mutex_);
    active_changed_.wait_for(lock, std::chrono::milliseconds(flush_ms), [&] { return active_ == 0; });
  };
  flushed();
  std::vector<RunRef> runs;
  std::vector<std::shared_ptr<WatchState>> watches;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, run] : runs_) {
      runs.push_back(run);
    }
    for (const auto& one : watch_states_) {
      if (auto state = one.lock()) {
        watches.push_back(std::move(state));
      }
    }
  }
  // What is under way still is handed over to the next host.
  for (const RunRef& run : runs) {
    bool calls = false;
    {
      const std::lock_guard<std::mutex> lock(run->mutex);
      calls = std::any_of(run->calls.begin(), run->calls.end(), [](const auto& one) { return one.second.fulfilled; });
    }
    if (calls) {
      Event event;
      event.what = Event::What::stop;
      post(run, std::move(event));
    }
  }
  flushed();
  dropping_ = true;
  const Error stopped = host_error(ErrorCode::unavailable, "the host is being stopped");
  // What could not be handed over (the store fails) counts as lost.
  for (const RunRef& run : runs) {
    std::vector<std::string> keys;
    {
      const std::lock_guard<std::mutex> lock(run->mutex);
      for (const auto& [key, call] : run->calls) {
        if (call.fulfilled) {
          keys.push_back(key);
        }
      }
    }
    for (const std::string& key : keys) {
      fulfiller_.stop(run->id, key);
    }
  }
  flushed();
  workers_.stop();
  for (const RunRef& run : runs) {
    {
      const std::lock_guard<std::mutex> lock(run->mutex);
      if (run->state == run::State::waiting) {
        run->over = true;
        run->problem = "the host was stopped";
        refuse(std::exchange(run->inbox, {}), stopped);
      }
    }
    run->changed.notify_all();
  }
  for (const std::shared_ptr<WatchState>& watch : watches) {
    watch->stop();
  }
}

}  // namespace plumb::host
