#include "native/host/applying.hpp"

#include <utility>

#include "core/json/members.hpp"
#include "core/run/person.hpp"
#include "native/host/asked_here.hpp"
#include "native/host/host_clock.hpp"

namespace plumb::host {

std::uint64_t Applying::now() const { return now_ms(settings_); }

void Applying::apply(LiveRun& run, Event& event, After& after) {
  run::Machine& machine = *run.machine;
  const auto answered = [&](bool yes) {
    if (event.answer) {
      after.answers.push_back(std::move(event.answer));
      after.answered.push_back(yes);
      event.answer = nullptr;
    }
  };
  switch (event.what) {
    case Event::What::reply:
      if (calls_.end(run, event.key, event.call)) {
        machine.reply(event.key, std::move(event.reply), now());
      }
      break;
    case Event::What::deadline:
      deadline(run, event);
      break;
    case Event::What::cancel:
      machine.cancel(event.name, now());
      answered(true);
      break;
    case Event::What::choice:
      answered(choose(run, event, settings_.asked_of, now()));
      run.step = true;
      break;
    case Event::What::stop:
      calls_.hand_over(run);
      break;
    case Event::What::signal:
      answered(signal(run, event));
      break;
    case Event::What::answer:
      answered(answer(run, event));
      break;
  }
}

void Applying::deadline(LiveRun& run, const Event& event) {
  bool fulfilled = false;
  run::EffectKind kind = run::EffectKind::person;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    const auto found = run.calls.find(event.key);
    fulfilled = found != run.calls.end() && found->second.number == event.call && found->second.fulfilled;
    kind = fulfilled ? found->second.kind : kind;
  }
  if (!calls_.end(run, event.key, event.call)) {
    return;
  }
  run::Data request;
  for (const run::Want& want : run.machine->under_way()) {
    request = want.key == event.key ? want.request : request;
  }
  run.machine->reply(event.key, timed_out(settings_.asked_of, kind, request, event.name), now());
  if (fulfilled) {
    calls_.stop_fulfilled(run, {event.key});
  }
}

namespace {

// The value of an event that answers a client's question: {"status", "error", "value"}.
bool read_reply(const json::Value& given, run::Reply& reply) {
  const json::Value* value = given.find("value");
  reply.error = json::text_of(given, "error");
  reply.value = value == nullptr ? run::Data() : run::Data::written(json::value_text(*value));
  return run::status_of(json::text_of(given, "status"), reply.status);
}

}  // namespace

void Applying::reply_to_person(LiveRun& run, const std::string& key, run::Data value) {
  run::Reply reply;
  reply.value = std::move(value);
  run.machine->reply(key, std::move(reply), now());
}

// The oldest question that waits for a signal of this name takes it. False: the run does not.
bool Applying::signal(LiveRun& run, Event& event) {
  run::Machine& machine = *run.machine;
  const run::Entry* before = is_decision(event.value) ? run::answered_by(machine.journal(), event.name) : nullptr;
  if (before != nullptr) {
    return before->data.text() == event.value.text();  // the same once more is no second answer
  }
  if (!machine.signal(event.name, event.value, now())) {
    return false;
  }
  std::string key;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    std::uint64_t oldest = 0;
    for (const auto& [one, call] : run.calls) {
      if (call.kind == run::EffectKind::person && call.signal == event.name && (oldest == 0 || call.number < oldest)) {
        oldest = call.number;
        key = one;
      }
    }
  }
  if (!key.empty() && is_decision(event.value) && calls_.end(run, key, 0)) {
    reply_to_person(run, key, std::move(event.value));
  }
  return true;
}

bool Applying::answer(LiveRun& run, Event& event) {
  bool open = false;
  bool of_client = false;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    const auto found = run.calls.find(event.key);
    open = found != run.calls.end() && found->second.kind == run::EffectKind::person;
    of_client = found != run.calls.end() && found->second.kind == run::EffectKind::model && !found->second.fulfilled;
  }
  run::Reply reply;
  if (of_client && read_reply(event.value.value(), reply)) {
    return calls_.end(run, event.key, 0) && run.machine->reply(event.key, std::move(reply), now());
  }
  if (open && calls_.end(run, event.key, 0)) {
    reply_to_person(run, event.key, std::move(event.value));
  }
  return open;
}

}  // namespace plumb::host
