#include "native/host/endings.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "core/run/outcome.hpp"
#include "native/host/host_clock.hpp"

namespace plumb::host {

void Endings::finish(const RunRef& run) {
  std::vector<Event> late;
  std::vector<std::string> stopped;
  run::State state = run::State::waiting;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    state = run->state;
  }
  // Who has waited for the end finds it counted, and the run gone from memory.
  in_.runs.forget(run);
  in_.claims.freed();
  ++(state == run::State::done ? done_ : state == run::State::cancelled ? cancelled_ : failed_);
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->end();
    late = run->take_events();
    stopped = in_.calls.end_all(*run);
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
  in_.calls.stop_fulfilled(*run, stopped);
  if (in_.settings.ended) {
    in_.settings.ended(run->id);
  }
}

void Endings::give_up(const RunRef& run, const Error& error) {
  const bool is_shared = in_.store.sharing() != nullptr;
  std::vector<Answer> answers;
  std::vector<Event> events;
  std::vector<std::string> stopped;
  std::size_t slots = 0;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->problem = (is_shared ? "it halted: " : "it halted: the store ") + error.message;
    run->leave_store();
    run->end();
    answers = std::exchange(run->after.answers, {});
    events = std::exchange(run->inbox, {});
    for (const run::Want& want : std::exchange(run->after.begin, {})) {
      slots += want.kind != run::EffectKind::person && want.kind != run::EffectKind::claim ? 1 : 0;
    }
    stopped = in_.calls.end_all(*run);
  }
  for (const Answer& answer : answers) {
    answer->set_value(error);
  }
  refuse(events, error);
  in_.calls.stop_fulfilled(*run, stopped);
  for (; slots > 0; --slots) {
    in_.slots.release();
  }
  // Where another host goes on with it, this one has no more to do with it.
  if (is_shared && error.code == ErrorCode::invalid_argument) {
    drop(run, error);
    if (in_.settings.lost) {
      in_.settings.lost(run->id, error.message);
    }
  }
}

void Endings::drop(const RunRef& run, const Error& error) {
  std::vector<Event> events;
  std::vector<std::shared_ptr<WatchState>> watches;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->end();
    run->problem = error.message;
    events = run->take_events();
    watches = std::exchange(run->watches, {});
  }
  in_.runs.forget(run);
  run->changed.notify_all();
  refuse(events, error);
  for (const std::shared_ptr<WatchState>& one : watches) {
    in_.watches.add_elsewhere(run->id, one);
  }
}

void Endings::broken(const RunRef& run, const std::string& problem) {
  std::vector<Event> events;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    events = run->take_events();
    run->problem = problem;
  }
  refuse(events, Error{ErrorCode::unavailable, problem, "run " + run->id, 0, 0});
  in_.work.give([this, keep = in_.turns.self(), run, problem] {
    end_by_hand(run, run::State::failed, problem + "; this is a bug in plumb, please report it", nullptr);
  });
}

void Endings::end_by_hand(const RunRef& run, run::State state, const std::string& why, const Answer& answer) {
  Result<run::Journal> read = store::read_journal(in_.store, run->id);
  if (!read) {
    not_ended_by_hand(run, state, read.error(), false, answer);
    return;
  }
  run::Journal journal = std::move(read).value();
  const std::uint64_t expected = journal.entries().size();
  if (state == run::State::cancelled) {
    run::Entry cancel;
    cancel.kind = run::EntryKind::cancel;
    cancel.at_ms = now_ms(in_.settings);
    cancel.error = why;
    journal.append(std::move(cancel));
  }
  run::Entry end;
  end.kind = run::EntryKind::end;
  end.at_ms = now_ms(in_.settings);
  end.status = state == run::State::cancelled ? run::Status::cancelled : run::Status::failed;
  end.error = why;
  end.outcome =
      run::Data::of(state == run::State::cancelled ? run::Outcome{run::CameTo::cancelled, {}}
                                                   : run::Outcome{run::CameTo::undecided, {{"ended_by_an_error", {}}}});
  journal.append(std::move(end));
  store::Change change;
  change.at_ms = journal.entries().back().at_ms;
  change.state = state;
  change.error = why;
  const auto batch = std::make_shared<const std::vector<run::Stored>>(journal.take());
  in_.work.enter();
  in_.store.append(run->id, expected, batch, change,
                   [this, keep = in_.turns.self(), run, state, answer,
                    entries = expected + batch->size()](const store::Outcome& outcome) {
                     if (outcome) {
                       not_ended_by_hand(run, state, *outcome, true, answer);
                     } else {
                       ended_by_hand(run, state, entries, answer);
                     }
                     in_.work.leave();
                   });
}

void Endings::ended_by_hand(const RunRef& run, run::State state, std::uint64_t entries, const Answer& answer) {
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->stored = entries;
    run->state = state;
    run->problem.clear();
  }
  if (in_.settings.stored) {
    in_.settings.stored(run->id, run->pipeline());
  }
  finish(run);
  if (answer) {
    answer->set_value(true);
  }
}

// One that was to be cancelled waits on, as it did.
void Endings::not_ended_by_hand(const RunRef& run, run::State state, const Error& error, bool by_store,
                                const Answer& answer) {
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (by_store) {
      run->problem += (run->problem.empty() ? "" : "; ") + ("the store " + error.message);
    }
    if (state == run::State::failed) {
      run->end();
    }
  }
  run->changed.notify_all();
  if (answer) {
    answer->set_value(error);
  }
}

void Endings::count(Counts& counts) const {
  counts.done = done_;
  counts.failed = failed_;
  counts.cancelled = cancelled_;
}

}  // namespace plumb::host
