#include "native/host/storing.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace plumb::host {

namespace {

constexpr std::size_t tries_max = 10;  // 1, 2, 4, ... 60 seconds: five minutes in all
constexpr std::uint64_t retry_first_ms = 1000;
constexpr std::uint64_t retry_max_ms = 60'000;

}  // namespace

void Storing::give(const RunRef& run, std::vector<run::Stored> entries, After after) {
  const std::vector<run::Entry>& journal = run->machine->journal().entries();
  after.change.at_ms = journal.back().at_ms;
  after.batch = std::make_shared<const std::vector<run::Stored>>(std::move(entries));
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (after.change.state == run::State::waiting) {
      after.change.error = run->held;
    }
    run->after = std::move(after);
    run->enter_store();
  }
  submit(run);
}

void Storing::submit(const RunRef& run) {
  work_.enter();
  auto done = [this, keep = turns_.self(), run](const store::Outcome& outcome) {
    stored(run, outcome);
    work_.leave();
  };
  const After& after = run->after;  // nobody else touches it while the store has it
  if (after.create) {
    store_.create(run->row, after.batch, std::move(done));
  } else {
    store_.append(run->id, run->stored, after.batch, after.change, std::move(done));
  }
}

// A store that begins to fail, and one that writes again, is told once.
void Storing::note_failure(const store::Outcome& outcome) {
  const bool fails = outcome && outcome->code == ErrorCode::unavailable;
  failures_ += fails ? 1 : 0;
  if ((fails || !outcome) && fails_.exchange(fails) != fails && settings_.store_fails) {
    settings_.store_fails(fails ? std::string_view(outcome->message) : std::string_view());
  }
}

void Storing::stored(const RunRef& run, const store::Outcome& outcome) {
  note_failure(outcome);
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
      run->leave_store();
      run->again = true;
      answers = std::move(after.answers);
      answered = std::move(after.answered);
      after.batch = nullptr;
      for (const std::shared_ptr<WatchState>& watch : run->watches) {
        watch->stored(run->stored);
      }
      turns_.schedule(run);
    } else if (after.create) {
      run->not_created = outcome;
      run->leave_store();
      run->end();
    } else if (outcome->code != ErrorCode::invalid_argument && after.tries < tries_max && !slots_.closed()) {
      retry_ms = std::min(retry_first_ms << after.tries++, retry_max_ms);
      run->problem = "the store " + outcome->message + "; tried again";
    } else {
      halts = true;
    }
  }
  if (halts) {
    halts_(run, *outcome);
  }
  if (!outcome && settings_.stored) {
    settings_.stored(run->id, run->pipeline());
  }
  run->changed.notify_all();
  tell(answers, answered);
  if (retry_ms > 0) {
    timer_.after(retry_ms, [this, weak = std::weak_ptr<Turns>(turns_.self()), run] {
      if (const auto keep = weak.lock()) {
        submit(run);
      }
    });
  }
}

}  // namespace plumb::host
