#include "native/host/asked_here.hpp"

#include <algorithm>
#include <utility>

#include "core/json/writer.hpp"
#include "core/run/person.hpp"
#include "core/text/tokens.hpp"

namespace plumb::host {

namespace {

const json::Value& input_of(const run::Journal& journal) {
  static const json::Value nothing{};
  const json::Value* input = journal.begin().data.value().find("input");
  return input == nullptr ? nothing : *input;
}

}  // namespace

void compare(LiveRun& run, const AskedOf& here) {
  if (here.empty()) {
    return;
  }
  const run::Journal& journal = run.machine->journal();
  run.differ = differences(asked_of_run(journal), here, input_of(journal));
}

bool choose(LiveRun& run, const Event& event, const AskedOf& here, std::uint64_t now_ms) {
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
  const AskedOf now = with_parts(asked_of_run(journal).parts, here, parts);
  const std::string told = chosen_text(now, input_of(journal), event.name);
  if (!run.machine->signal(asked_of_name, run::Data::written(told), now_ms)) {
    return false;
  }
  compare(run, here);
  const std::lock_guard<std::mutex> lock(run.mutex);
  run.held.clear();  // until it is seen what it wants now
  return true;
}

bool holds(const LiveRun& run, const run::Want& want) {
  if (run.differ.empty()) {
    return false;
  }
  const std::string part = part_of(want.kind, want.request.value());
  return std::any_of(run.differ.begin(), run.differ.end(), [&](const Difference& one) { return one.part == part; });
}

bool waits_for_answer(const Fulfiller& fulfiller, run::EffectKind kind, const run::Data& request) {
  return kind == run::EffectKind::person ||
         (run::asks_client(kind, request.value()) && !fulfiller.can_answer_for_client());
}

run::Reply timed_out(const AskedOf& here, run::EffectKind kind, const run::Data& request, std::string error) {
  run::Reply reply;
  reply.status = run::Status::timed_out;
  reply.error = std::move(error);
  const std::string part = part_of(kind, request.value());
  const bool free =
      std::any_of(here.begin(), here.end(), [&](const Asked& one) { return one.part == part && one.extract(); });
  if (kind != run::EffectKind::model || free || run::asks_client(kind, request.value())) {
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
