#include "native/provider/model_task.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/contract/render.hpp"
#include "core/extract/task.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/isolated_call.hpp"
#include "native/provider/fulfiller_core.hpp"
#include "native/provider/prepared_call.hpp"

namespace plumb::provider {

ModelTask::ModelTask(FulfillerCore& of, std::uint64_t number_, host::EffectCall what,
                     std::function<void(run::Reply)> tells)
    : core(of),
      number(number_),
      call(std::move(what)),
      done(std::move(tells)),
      deadline(Clock::now() +
               std::chrono::milliseconds(call.deadline_ms == 0
                                             ? of.options.call_ms_max
                                             : std::min<std::uint64_t>(call.deadline_ms, std::uint64_t{1} << 40))) {}

std::uint64_t ModelTask::left_ms() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return left.count() > 0 ? static_cast<std::uint64_t>(left.count()) : 0;
}

void ModelTask::tell(std::string_view what, std::string json) {
  if (call.told && !over) {
    call.told(what, std::move(json));
  }
}

void ModelTask::tell_text(std::string_view what, std::string_view text) {
  if (call.told) {
    std::string told;
    json::Writer(told).begin_object().member("text", text).end_object();
    tell(what, std::move(told));
  }
}

void ModelTask::refuse(wire::FailureClass failure_class, const std::string& message) {
  finish(refused_reply(run::Status::failed, failure_class, message));
}

void ModelTask::finish(run::Reply reply) {
  if (over.exchange(true)) {
    return;
  }
  {
    const std::lock_guard lock(core.mutex);
    const auto found = core.tasks.find(std::pair(call.run, call.key));
    if (found != core.tasks.end() && found->second.get() == this) {
      core.tasks.erase(found);
    }
  }
  core.transport->forget(timer);
  core.leave(*this);
  const bool settled = reply.status == run::Status::ok || reply.status == run::Status::failed;
  if (core.recorder && settled && choice() != nullptr && settings->known->source != Source::replay) {
    const Result<bool> added = core.recorder->add(call.request, phase, reply);
    if (!added && core.options.problem) {
      core.options.problem(added.error().where + ": " + added.error().message);
    }
  }
  const std::function<void(run::Reply)> last = std::exchange(done, nullptr);
  last(std::move(reply));
}

bool ModelTask::is_pinned(const std::string& named) const {
  const run::Data* const pin = call.pin ? call.pin(host::asked_of_name) : nullptr;
  if (pin == nullptr) {
    return true;
  }
  for (const json::Value& one : json::list_of(pin->value(), "asked")) {
    if (json::text_of(one, "part") == std::string(also_phase) + named) {
      return true;
    }
  }
  return false;
}

void ModelTask::route() {
  if (over) {
    return;
  }
  {
    // Read whole, to be refused early; kept only once it is its turn, since thousands may wait.
    const Result<EffectRequest> read = read_effect_request(std::string(call.request.text()));
    if (!read) {
      refuse(wire::FailureClass::bad_request, "the request cannot be read" +
                                                  (read.error().where.empty() ? "" : " at " + read.error().where) +
                                                  ": " + read.error().message);
      return;
    }
    phase = read.value().model.phase;
    wait_ms = read.value().wait_ms;
  }
  const std::string named(json::text_of(call.request.value(), "provider"));
  if (!named.empty() && !is_pinned(named)) {
    refuse(wire::FailureClass::bad_request, "the run is not pinned to the provider '" + named + "'");
    return;
  }
  const std::string wanted = named.empty() ? phase : std::string(also_phase) + named;
  const Choice* found = nullptr;
  for (const Choice& one : core.options.choices) {
    if (one.phase == wanted) {
      found = &one;
    }
  }
  if (found == nullptr) {
    refuse(wire::FailureClass::bad_request,
           named.empty() ? "no provider was chosen for the phase '" + phase + "'"
                         : "this host's list has no provider '" + named + "' (providers.also in plumb.yaml)");
    return;
  }
  for (const Settings& one : core.options.settings) {
    if (one.name == found->provider) {
      settings = &one;
    }
  }
  how.provider = found->provider;
  how.model = found->model;
  chosen = found;
  const bool asks = settings->known->source == Source::network || settings->known->source == Source::sample;
  if (asks && wait_ms > 0) {
    core.transport->after(wait_ms, [self = shared_from_this()] { self->core.enter(self); });
  } else if (asks) {
    core.enter(shared_from_this());
  } else {
    go();
  }
}

void ModelTask::go() {
  if (over) {
    core.leave(*this);
    return;
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().member("phase", phase).member("provider", choice()->provider).member("model", choice()->model);
  json.end_object();
  tell("call", std::move(text));
  switch (settings->known->source) {
    case Source::extract:
      run_extract();
      return;
    case Source::replay:
      replay();
      return;
    case Source::network:
    case Source::sample:
      call_model();
      return;
  }
}

void ModelTask::run_extract() {
  struct Shared {
    std::string request;
    std::optional<Result<std::string>> answer;
  };
  auto shared = std::make_shared<Shared>();
  shared->request = call.request.text();
  const host::CallOutcome outcome = host::isolated_call([shared] {
    const Result<EffectRequest> read = read_effect_request(shared->request);
    shared->answer = read ? extract::answer_to(read.value().task) : Result<std::string>(read.error());
  });
  if (!outcome.finished) {
    refuse(wire::FailureClass::server, "extract: " + outcome.problem);
    return;
  }
  if (!*shared->answer) {
    const Error& error = shared->answer->error();
    refuse(wire::FailureClass::bad_request,
           "extract: " + error.message + (error.where.empty() ? "" : " (" + error.where + ")"));
    return;
  }
  wire::ModelReply reply;
  reply.text = std::move(*shared->answer).value();
  reply.model = "extract";
  reply.finish = wire::Finish::stop;
  tell_text("text", reply.text);
  how.received_bytes = reply.text.size();
  finish(ok_reply(reply, Spent{}, how));
}

void ModelTask::replay() {
  Result<run::Reply> reply = core.recordings.at(choice()->model)->answer(call.request, phase);
  if (!reply) {
    refuse(wire::FailureClass::not_found, reply.error().where + ": " + reply.error().message);
    return;
  }
  if (const json::Value* const answer = reply.value().value.value().find("text")) {
    tell_text("text", answer->str());
  }
  finish(std::move(reply).value());
}

void ModelTask::call_model() {
  Result<EffectRequest> read = read_effect_request(std::string(call.request.text()));
  request.emplace(std::move(read).value());
  std::shared_ptr<const KnownContract> contract;
  if (!request->contract.empty()) {
    const run::Data* const pin = call.pin ? call.pin(request->contract) : nullptr;
    if (pin == nullptr) {
      refuse(wire::FailureClass::bad_request, "the run has no text named '" + request->contract + "' for a contract");
      return;
    }
    Result<std::shared_ptr<const KnownContract>> known = core.shelf.read(std::string(pin->text()));
    if (!known) {
      refuse(wire::FailureClass::bad_request, request->contract + " is not a contract: " + known.error().message);
      return;
    }
    contract = std::move(known).value();
  }
  Settings held = *settings;
  if (!held.structured) {
    held.structured = strongest ? strongest : core.structured_of(choice()->said.text);
  }
  Result<PreparedCall> prepared = prepare_call(*request, *choice(), held, contract.get(), left_ms(), how);
  if (!prepared) {
    refuse(wire::FailureClass::bad_request, prepared.error().message);
    return;
  }
  watch.emplace(contract, request->early_stop);
  const std::shared_ptr<ModelTask> self = shared_from_this();
  const std::lock_guard lock(mutex);
  if (cancelled) {
    return;  // whoever cancelled it answers
  }
  Exchanges& exchanges =
      settings->known->source == Source::sample ? static_cast<Exchanges&>(*core.sample) : *core.network;
  begun = ModelCall::start(exchanges, std::move(prepared.value().request), prepared.value().limits,
                           {[self](const wire::ModelDelta& delta) { return self->on_delta(delta); },
                            [self](const Retry& retry) { self->on_retry(retry); },
                            [self](const ModelOutcome& outcome) { self->on_done(outcome); }});
}

bool ModelTask::on_delta(const wire::ModelDelta& delta) {
  if (over) {
    return false;
  }
  if (delta.kind == wire::DeltaKind::text) {
    return on_text(delta.text);
  }
  if (delta.kind == wire::DeltaKind::thinking) {
    tell_text("thinking", delta.text);
  }
  return true;
}

bool ModelTask::on_text(std::string_view text) {
  how.received_bytes += text.size();
  tell_text("text", text);
  std::vector<contract::Finding> certain;
  how.stop = watch->push(text, certain);
  for (const contract::Finding& finding : certain) {
    tell("finding", contract::finding_json(finding));
  }
  return !how.stop;
}

void ModelTask::on_retry(const Retry& retry) {
  std::string told;
  json::Writer json(told);
  json.begin_object().member_uint("tried", retry.tried).member_uint("wait_ms", retry.wait_ms);
  json.member("class", wire::failure_class_name(retry.failure.failure_class));
  json.key("status").integer(retry.failure.status).member("message", retry.failure.message).end_object();
  tell("retry", std::move(told));
}

bool ModelTask::asks_weaker(const ModelOutcome& outcome) {
  constexpr int status_refused = 400;
  const bool refused = outcome.end == ModelEnd::failed && outcome.failure.status == status_refused;
  const bool chosen_here = settings->known->source == Source::network && !settings->structured && !strongest;
  const std::optional<Structured> weaker =
      refused && chosen_here ? weaker_output(settings->endpoint.wire, how.structured) : std::nullopt;
  if (!weaker || left_ms() == 0) {
    return false;
  }
  {
    const std::lock_guard lock(mutex);
    if (cancelled) {
      return false;
    }
    begun = nullptr;  // until the next call has begun, a cancellation ends the task itself
  }
  how.refused = how.structured;
  strongest = weaker;
  tries_before = outcome.tries;
  core.workers->give([self = shared_from_this()] {
    if (!self->over) {
      self->call_model();
    }
  });
  return true;
}

void ModelTask::on_done(const ModelOutcome& outcome) {
  if (asks_weaker(outcome)) {
    return;
  }
  const Spent cost = cost_of(*request, outcome);
  how.tries = tries_before + outcome.tries;
  if (strongest && outcome.end == ModelEnd::answered) {
    core.keep_structured(choice()->said.text, *strongest);
  }
  if (!outcome.reply.text.empty() || outcome.reply.usage.known) {
    tell("usage", usage_json(cost));
  }
  switch (outcome.end) {
    case ModelEnd::answered:
      core.add_answer(choice()->said.text + " " + phase, cost.usage.output_tokens);
      break;
    case ModelEnd::stopped: {
      const std::uint64_t expected =
          core.usual_tokens(choice()->said.text + " " + phase, request->model.output_tokens_max);
      if (expected != 0) {
        how.saved_tokens = expected > cost.usage.output_tokens ? expected - cost.usage.output_tokens : 0;
      }
      tell_stopped();
      break;
    }
    case ModelEnd::failed:
    case ModelEnd::timed_out:
    case ModelEnd::cancelled:
      break;
  }
  finish(reply_of(*request, outcome, how));
}

void ModelTask::tell_stopped() {
  std::string told;
  json::Writer json(told);
  json.begin_object().member("why", how.stop ? how.stop->why : "cancelled");
  json.member("detail", how.stop ? how.stop->detail : "").member_uint("received_bytes", how.received_bytes);
  if (how.saved_tokens) {
    json.member_uint("saved_tokens", *how.saved_tokens);
  }
  json.end_object();
  tell("stopped", std::move(told));
}

void ModelTask::cancel() {
  std::shared_ptr<ModelCall> to_cancel;
  {
    const std::lock_guard lock(mutex);
    if (cancelled) {
      return;
    }
    cancelled = true;
    to_cancel = begun;
  }
  if (to_cancel != nullptr) {
    to_cancel->cancel();
    return;
  }
  core.transport->post([self = shared_from_this()] {
    self->finish(refused_reply(run::Status::cancelled, wire::FailureClass::cut, "cancelled before it was begun"));
  });
}

void ModelTask::late() {
  {
    const std::lock_guard lock(mutex);
    if (begun != nullptr) {
      return;
    }
    cancelled = true;
  }
  const std::string who = choice() == nullptr ? "" : choice()->said.text + ": ";
  finish(refused_reply(run::Status::timed_out, wire::FailureClass::timed_out,
                       who + "its time was up before it was answered; calls before it may have taken it"));
}

}  // namespace plumb::provider
