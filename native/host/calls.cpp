#include "native/host/calls.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/run/person.hpp"
#include "native/host/asked_here.hpp"
#include "native/host/host_clock.hpp"

namespace plumb::host {

namespace {

constexpr std::uint64_t heard_ms_max = 1'000;

// The pins of a run that a call has asked for: the fulfiller's threads read them, and get copies of their own.
class CallPins {
 public:
  explicit CallPins(RunRef run) : run_(std::move(run)) {}

  const run::Data* pin(std::string_view name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = read_.find(name);
    if (known != read_.end()) {
      return &known->second;
    }
    const run::Data* pin = run_->machine->pin(name);
    if (pin == nullptr) {
      return nullptr;
    }
    return &read_.emplace(std::string(name), pin->deep_copy()).first->second;
  }

 private:
  const RunRef run_;
  std::mutex mutex_;
  std::map<std::string, run::Data, std::less<>> read_;
};

}  // namespace

void Calls::begin(const RunRef& run, const run::Want& want) {
  const std::uint64_t number = next_++;
  const std::uint64_t now = now_ms(settings_);
  Call call;
  call.number = number;
  call.kind = want.kind;
  call.fulfilled = want.kind != run::EffectKind::claim && !waits_for_answer(fulfiller_, want.kind, want.request);
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
    call.deadline = at_deadline(run, want.key, number, left + heard, whole);
  }
  const bool fulfilled = call.fulfilled;
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    run->calls[want.key] = std::move(call);
  }
  if (want.kind == run::EffectKind::claim) {
    claims_.ask(run, want, number);
  } else if (fulfilled) {
    ++calls_;
    again_ += want.anew ? 0 : 1;
    fulfil(run, want, number, left);
  }
}

Timer::Handle Calls::at_deadline(const RunRef& run, const std::string& key, std::uint64_t number, std::uint64_t left_ms,
                                 std::uint64_t whole_ms) {
  return timer_.after(left_ms, [weak = std::weak_ptr<Turns>(turns_.self()), weak_run = std::weak_ptr<LiveRun>(run), key,
                                number, whole_ms] {
    const auto turns = weak.lock();
    const auto its = weak_run.lock();
    if (turns && its) {
      Event event;
      event.what = Event::What::deadline;
      event.key = key;
      event.call = number;
      event.name = "no answer within " + std::to_string(whole_ms) + " ms";
      turns->post(its, std::move(event));
    }
  });
}

void Calls::fulfil(const RunRef& run, const run::Want& want, std::uint64_t number, std::uint64_t left_ms) {
  EffectCall effect;
  effect.run = run->id;
  effect.key = want.key;
  effect.kind = want.kind;
  effect.request = want.request.deep_copy();
  effect.deadline_ms = left_ms;
  effect.pin = [pins = std::make_shared<CallPins>(run)](std::string_view name) { return pins->pin(name); };
  effect.told = [weak_run = std::weak_ptr<LiveRun>(run), key = want.key](std::string_view what,
                                                                         const std::string& json) {
    if (const auto its = weak_run.lock()) {
      const std::lock_guard<std::mutex> lock(its->mutex);
      for (const std::shared_ptr<WatchState>& watch : its->watches) {
        watch->told(its->stored, key, what, json);
      }
    }
  };
  fulfiller_.begin(std::move(effect),
                   [this, weak = std::weak_ptr<Turns>(turns_.self()), run, key = want.key, number](run::Reply reply) {
                     if (const auto keep = weak.lock()) {
                       over(run, key, number, std::move(reply));
                     }
                   });
}

void Calls::over(const RunRef& run, const std::string& key, std::uint64_t number, run::Reply reply) {
  // The reply goes into the inbox before the call counts as over: who waits for the last call finds it there.
  if (!dropping_) {
    turns_.post(run, reply_event(key, number, std::move(reply)));
  }
  slots_.release();
}

bool Calls::end(LiveRun& run, const std::string& key, std::uint64_t number) {
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
}

void Calls::stop(LiveRun& run, std::string_view key) {
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

std::vector<std::string> Calls::end_all(LiveRun& run) {
  std::vector<std::string> keys;
  for (const auto& [key, call] : std::exchange(run.calls, {})) {
    if (call.deadline) {
      timer_.take_back(*call.deadline);
    }
    if (call.fulfilled) {
      keys.push_back(key);
    }
  }
  return keys;
}

void Calls::stop_fulfilled(const LiveRun& run, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    fulfiller_.stop(run.id, key);
  }
}

std::vector<std::string> Calls::fulfilled(LiveRun& run) const {
  std::vector<std::string> keys;
  const std::lock_guard<std::mutex> lock(run.mutex);
  for (const auto& [key, call] : run.calls) {
    if (call.fulfilled) {
      keys.push_back(key);
    }
  }
  return keys;
}

void Calls::hand_over(LiveRun& run) {
  for (const std::string& key : fulfilled(run)) {
    handed_over_ += run.machine->hand_over(key, now_ms(settings_)) ? 1 : 0;
    stop(run, key);
  }
}

void Calls::count(Counts& counts) const {
  counts.calls = calls_;
  counts.calls_again = again_;
  counts.handed_over = handed_over_;
}

}  // namespace plumb::host
