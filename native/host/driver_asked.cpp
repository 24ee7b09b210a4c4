// Whom the runs of a driver ask: what is held back since it would ask somebody else, what somebody has chosen, and what
// a call counts that nobody answered.
#include <algorithm>
#include <utility>

#include "core/json/writer.hpp"
#include "core/text/tokens.hpp"
#include "native/host/driver.hpp"

namespace plumb::host {

namespace {

const json::Value& input_of(const run::Journal& journal) {
  static const json::Value nothing{};
  const json::Value* input = journal.begin().data.value().find("input");
  return input == nullptr ? nothing : *input;
}

}  // namespace

void Driver::compare(LiveRun& run) {
  if (settings_.asked_of.empty()) {
    return;
  }
  const run::Journal& journal = run.machine->journal();
  run.differ = differences(asked_of_run(journal), settings_.asked_of, input_of(journal));
}

// Somebody has chosen: where that lets the run go on with whom this host has, the journal says so. False: it was the
// same, or the choice does not reach so far.
bool Driver::choose(LiveRun& run, const Event& event) {
  const run::Journal& journal = run.machine->journal();
  const bool search_said = std::any_of(run.differ.begin(), run.differ.end(),
                                       [](const Difference& one) { return one.part == search_part && one.said; });
  std::vector<std::string> parts;
  for (const Difference& one : run.differ) {
    const bool said = one.said || (search_said && one.part == search_part);
    if (!one.never && (event.with == GoOn::here || said)) {
      parts.push_back(one.part);
    }
  }
  if (parts.empty()) {
    return false;
  }
  const AskedOf now = with_parts(asked_of_run(journal).parts, settings_.asked_of, parts);
  const std::string told = chosen_text(now, input_of(journal), event.name);
  if (!run.machine->signal(asked_of_name, run::Data::written(told), now_ms())) {
    return false;
  }
  compare(run);
  const std::lock_guard<std::mutex> lock(run.mutex);
  run.held.clear();  // until it is seen what it wants now
  return true;
}

bool Driver::holds(const LiveRun& run, const run::Want& want) const {
  if (run.differ.empty()) {
    return false;
  }
  const std::string part = part_of(want.kind, want.request.value());
  return std::any_of(run.differ.begin(), run.differ.end(), [&](const Difference& one) { return one.part == part; });
}

// The reason stands in the store too, for who reads it beside this host.
void Driver::hold(const RunRef& run, std::string why) {
  {
    const std::lock_guard<std::mutex> lock(run->mutex);
    if (run->held == why) {
      return;
    }
    run->held = why;
  }
  run->changed.notify_all();
  if (!why.empty()) {
    store_.waits(run->id, std::move(why));
  }
}

// What is under way is given up, and the journal says so: it is no loss.
void Driver::hand_over(LiveRun& run) {
  std::vector<std::string> keys;
  {
    const std::lock_guard<std::mutex> lock(run.mutex);
    for (const auto& [key, call] : run.calls) {
      if (call.fulfilled) {
        keys.push_back(key);
      }
    }
  }
  for (const std::string& key : keys) {
    handed_over_ += run.machine->hand_over(key, now_ms()) ? 1 : 0;
    stop_call(run, key);
  }
}

// A call that nobody has heard of again may have been billed: it counts as what its request is estimated to be, and is
// marked so. What costs nothing here does not.
run::Reply Driver::timed_out(run::EffectKind kind, const run::Data& request, std::string error) const {
  run::Reply reply;
  reply.status = run::Status::timed_out;
  reply.error = std::move(error);
  const AskedOf& asked = settings_.asked_of;
  const std::string part = part_of(kind, request.value());
  const bool free =
      std::any_of(asked.begin(), asked.end(), [&](const Asked& one) { return one.part == part && one.extract(); });
  if (kind != run::EffectKind::model || free) {
    return reply;
  }
  const json::Value* messages = request.value().find("messages");
  std::string value;
  json::Writer json(value);
  json.begin_object().member("class", "timed_out").member_boolean("retryable", true);
  json.key("usage").begin_object();
  json.member_uint("input_tokens", messages == nullptr ? 0 : text::estimate_tokens(json::value_text(*messages)).likely);
  json.member_uint("output_tokens", 0).member_boolean("estimated", true).end_object().end_object();
  reply.value = run::Data::written(std::move(value));
  return reply;
}

}  // namespace plumb::host
