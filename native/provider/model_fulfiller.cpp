// A call is a task that goes from hand to hand: a worker finds its provider, the gate of that provider lets it pass in
// its turn, a worker writes the request, the transport's thread reads the answer. finish() ends it, whoever comes
// first: the answer, a deadline, a cancellation, the end of the program.
#include "native/provider/model_fulfiller.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/contract/render.hpp"
#include "core/extract/task.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/isolated_call.hpp"
#include "native/host/workers.hpp"
#include "native/provider/effect_reply.hpp"
#include "native/provider/model_call.hpp"
#include "native/provider/prepared_call.hpp"
#include "native/provider/recording.hpp"
#include "native/provider/sample_exchanges.hpp"
#include "native/provider/stream_watch.hpp"

namespace plumb::provider {

namespace {

using Clock = std::chrono::steady_clock;

struct Core;

struct Task : std::enable_shared_from_this<Task> {
  Task(Core& of, std::uint64_t number_, host::EffectCall what, std::function<void(run::Reply)> tells);

  void route();
  bool is_pinned(const std::string& named) const;
  void go();
  void call_model();
  void run_extract();
  bool on_delta(const wire::ModelDelta& delta);
  bool on_text(std::string_view text);
  void on_retry(const Retry& retry);
  void on_done(ModelOutcome outcome);
  void cancel();
  void late();
  void finish(run::Reply reply);
  void refuse(wire::FailureClass failure_class, const std::string& message);
  void tell(std::string_view what, std::string json);
  std::uint64_t left_ms() const;

  Core& core;
  const std::uint64_t number;
  host::EffectCall call;
  std::function<void(run::Reply)> done;
  const Clock::time_point deadline;
  std::atomic<TimerId> timer{0};
  std::atomic<bool> over{false};
  // Known together, once route() has found the provider: whoever sees `chosen` sees the other two.
  std::atomic<const Choice*> chosen{nullptr};
  std::string phase;
  std::uint64_t wait_ms = 0;
  const Settings* settings = nullptr;
  const Choice* choice() const { return chosen.load(); }
  bool passed = false;  // the gate; guarded by the gate's lock

  std::mutex mutex;  // of the two below
  bool cancelled = false;
  std::shared_ptr<ModelCall> begun;

  // Of the transport's thread once the call has begun.
  std::optional<EffectRequest> request;
  std::optional<StreamWatch> watch;
  Answered how;
};

// So many at once, the others in the order in which they were asked for.
struct Gate {
  explicit Gate(std::uint64_t most) : in_progress_max(most) {}

  const std::uint64_t in_progress_max;
  std::mutex mutex;
  std::uint64_t in_progress = 0;
  std::map<std::uint64_t, std::shared_ptr<Task>> waiting;
};

// What finished answers took, to tell what a stop has saved.
struct Mean {
  std::uint64_t answers = 0;
  std::uint64_t tokens = 0;
};

struct Core {
  explicit Core(FulfillerOptions wanted) : options(std::move(wanted)) {
    for (const Settings& one : options.settings) {
      gates.emplace(one.name, std::make_unique<Gate>(one.calls_max));
    }
  }

  void enter(const std::shared_ptr<Task>& task);
  void leave(Task& task);
  void pump(Gate& gate);

  FulfillerOptions options;
  ContractShelf shelf;
  std::map<std::string, std::unique_ptr<Gate>> gates;
  std::map<std::string, std::unique_ptr<Recording>> recordings;  // by file
  std::unique_ptr<Recorder> recorder;
  std::mutex mutex;  // of the three below
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Task>, std::less<>> tasks;
  std::map<std::string, Mean> means;  // by provider, model and phase
  std::uint64_t last_number = 0;
  std::optional<Transport> transport;
  std::optional<NetworkExchanges> network;
  std::optional<SampleExchanges> sample;
  std::optional<host::Workers> workers;
};

void Core::enter(const std::shared_ptr<Task>& task) {
  Gate& gate = *gates.at(task->choice()->provider);
  {
    const std::lock_guard lock(gate.mutex);
    gate.waiting.emplace(task->number, task);
  }
  if (task->over) {
    leave(*task);  // it was ended in between
    return;
  }
  pump(gate);
}

void Core::pump(Gate& gate) {
  for (;;) {
    std::shared_ptr<Task> next;
    {
      const std::lock_guard lock(gate.mutex);
      if (gate.waiting.empty() || gate.in_progress >= gate.in_progress_max) {
        return;
      }
      next = std::move(gate.waiting.begin()->second);
      gate.waiting.erase(gate.waiting.begin());
      ++gate.in_progress;
      next->passed = true;
    }
    workers->give([next] { next->go(); });
  }
}

void Core::leave(Task& task) {
  if (task.choice() == nullptr) {
    return;
  }
  const auto found = gates.find(task.choice()->provider);
  if (found == gates.end()) {
    return;
  }
  Gate& gate = *found->second;
  std::shared_ptr<Task> gone;  // goes after the lock
  {
    const std::lock_guard lock(gate.mutex);
    if (task.passed) {
      task.passed = false;
      --gate.in_progress;
    } else if (const auto waiting = gate.waiting.find(task.number); waiting != gate.waiting.end()) {
      gone = std::move(waiting->second);
      gate.waiting.erase(waiting);
    }
  }
  pump(gate);
}

Task::Task(Core& of, std::uint64_t number_, host::EffectCall what, std::function<void(run::Reply)> tells)
    : core(of),
      number(number_),
      call(std::move(what)),
      done(std::move(tells)),
      deadline(Clock::now() +
               std::chrono::milliseconds(call.deadline_ms == 0
                                             ? of.options.call_ms_max
                                             : std::min<std::uint64_t>(call.deadline_ms, std::uint64_t{1} << 40))) {}

std::uint64_t Task::left_ms() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return left.count() > 0 ? static_cast<std::uint64_t>(left.count()) : 0;
}

void Task::tell(std::string_view what, std::string json) {
  if (call.told && !over) {
    call.told(what, std::move(json));
  }
}

void Task::refuse(wire::FailureClass failure_class, const std::string& message) {
  finish(refused_reply(run::Status::failed, failure_class, message));
}

void Task::finish(run::Reply reply) {
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

// Whether the run may name it: where it is pinned to whom it asks, that one is among them.
bool Task::is_pinned(const std::string& named) const {
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

// Whose turn is it to answer this?
void Task::route() {
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

void Task::go() {
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
    case Source::replay: {
      Result<run::Reply> reply = core.recordings.at(choice()->model)->answer(call.request, phase);
      if (!reply) {
        refuse(wire::FailureClass::not_found, reply.error().where + ": " + reply.error().message);
        return;
      }
      if (const json::Value* const answer = reply.value().value.value().find("text")) {
        std::string told;
        json::Writer(told).begin_object().member("text", answer->str()).end_object();
        tell("text", std::move(told));
      }
      finish(std::move(reply).value());
      return;
    }
    case Source::network:
    case Source::sample:
      call_model();
      return;
  }
}

void Task::run_extract() {
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
  std::string told;
  json::Writer(told).begin_object().member("text", reply.text).end_object();
  tell("text", std::move(told));
  how.received_bytes = reply.text.size();
  finish(ok_reply(reply, Spent{}, how));
}

void Task::call_model() {
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
      refuse(wire::FailureClass::bad_request,
             "the contract " + request->contract + " is none: " + known.error().message);
      return;
    }
    contract = std::move(known).value();
  }
  Result<PreparedCall> prepared = prepare_call(*request, *choice(), *settings, contract.get(), left_ms(), how);
  if (!prepared) {
    refuse(wire::FailureClass::bad_request, prepared.error().message);
    return;
  }
  watch.emplace(contract, request->early_stop);
  const std::shared_ptr<Task> self = shared_from_this();
  const std::lock_guard lock(mutex);
  if (cancelled) {
    return;  // whoever cancelled it answers
  }
  Exchanges& exchanges =
      settings->known->source == Source::sample ? static_cast<Exchanges&>(*core.sample) : *core.network;
  begun = ModelCall::start(exchanges, std::move(prepared.value().request), prepared.value().limits,
                           {[self](const wire::ModelDelta& delta) { return self->on_delta(delta); },
                            [self](const Retry& retry) { self->on_retry(retry); },
                            [self](ModelOutcome outcome) { self->on_done(std::move(outcome)); }});
}

bool Task::on_delta(const wire::ModelDelta& delta) {
  if (over) {
    return false;
  }
  if (delta.kind == wire::DeltaKind::text) {
    return on_text(delta.text);
  }
  if (delta.kind == wire::DeltaKind::thinking && call.told) {
    std::string told;
    json::Writer(told).begin_object().member("text", delta.text).end_object();
    tell("thinking", std::move(told));
  }
  return true;
}

bool Task::on_text(std::string_view text) {
  how.received_bytes += text.size();
  if (call.told) {
    std::string told;
    json::Writer(told).begin_object().member("text", text).end_object();
    tell("text", std::move(told));
  }
  std::vector<contract::Finding> certain;
  how.stop = watch->push(text, certain);
  for (const contract::Finding& finding : certain) {
    tell("finding", contract::finding_json(finding));
  }
  return !how.stop;
}

void Task::on_retry(const Retry& retry) {
  std::string told;
  json::Writer json(told);
  json.begin_object().member_uint("tried", retry.tried).member_uint("wait_ms", retry.wait_ms);
  json.member("class", wire::failure_class_name(retry.failure.failure_class));
  json.key("status").integer(retry.failure.status).member("message", retry.failure.message).end_object();
  tell("retry", std::move(told));
}

void Task::on_done(ModelOutcome outcome) {
  const Spent cost = cost_of(*request, outcome);
  how.tries = outcome.tries;
  if (!outcome.reply.text.empty() || outcome.reply.usage.known) {
    tell("usage", usage_json(cost));
  }
  switch (outcome.end) {
    case ModelEnd::answered: {
      const std::lock_guard lock(core.mutex);
      Mean& mean = core.means[choice()->said.text + " " + phase];
      ++mean.answers;
      mean.tokens += cost.usage.output_tokens;
      break;
    }
    case ModelEnd::stopped: {
      std::uint64_t expected = request->model.output_tokens_max;
      {
        const std::lock_guard lock(core.mutex);
        const auto mean = core.means.find(choice()->said.text + " " + phase);
        if (mean != core.means.end()) {
          expected = mean->second.tokens / mean->second.answers;
        }
      }
      if (expected != 0) {
        how.saved_tokens = expected > cost.usage.output_tokens ? expected - cost.usage.output_tokens : 0;
      }
      std::string told;
      json::Writer json(told);
      json.begin_object().member("why", how.stop ? how.stop->why : "cancelled");
      json.member("detail", how.stop ? how.stop->detail : "").member_uint("received_bytes", how.received_bytes);
      if (how.saved_tokens) {
        json.member_uint("saved_tokens", *how.saved_tokens);
      }
      json.end_object();
      tell("stopped", std::move(told));
      break;
    }
    case ModelEnd::failed:
    case ModelEnd::timed_out:
    case ModelEnd::cancelled:
      break;
  }
  finish(reply_of(*request, outcome, how));
}

void Task::cancel() {
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

// The time of a call that has not begun, or is no call of a model, is up. One that has begun looks at its own time.
void Task::late() {
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

class ModelFulfiller final : public host::Fulfiller {
 public:
  explicit ModelFulfiller(std::unique_ptr<Core> core) : core_(std::move(core)) {}

  ~ModelFulfiller() override {
    std::vector<std::shared_ptr<Task>> left;
    {
      const std::lock_guard lock(core_->mutex);
      for (const auto& [key, task] : core_->tasks) {
        left.push_back(task);
      }
    }
    for (const std::shared_ptr<Task>& task : left) {
      task->finish(refused_reply(run::Status::cancelled, wire::FailureClass::cut, "the program is ending"));
      task->cancel();
    }
    left.clear();
    // Workers hand over to the transport, and the other way round: both are at rest before either is gone.
    core_->workers->stop();
    core_->transport.reset();
  }

  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
    std::shared_ptr<Task> task;
    bool room = true;
    {
      const std::lock_guard lock(core_->mutex);
      task = std::make_shared<Task>(*core_, ++core_->last_number, std::move(call), std::move(done));
      room = core_->tasks.size() < core_->options.calls_max;
      if (room) {
        core_->tasks[std::pair(task->call.run, task->call.key)] = task;
      }
    }
    if (task->call.kind != run::EffectKind::model || !room) {
      const std::string kind(run::effect_type(task->call.kind).name);
      const std::string message = room ? "nothing here fulfils effects of the kind " + kind
                                       : "there are " + std::to_string(core_->options.calls_max) +
                                             " model calls under way, the most there may be";
      core_->workers->give([task, room, message] {
        task->refuse(room ? wire::FailureClass::bad_request : wire::FailureClass::limit, message);
      });
      return;
    }
    task->timer = core_->transport->after(task->left_ms(), [task] { task->late(); });
    core_->workers->give([task] { task->route(); });
  }

  void stop(std::string_view run, std::string_view key) override {
    std::shared_ptr<Task> task;
    {
      const std::lock_guard lock(core_->mutex);
      const auto found = core_->tasks.find(std::pair(std::string(run), std::string(key)));
      if (found == core_->tasks.end()) {
        return;
      }
      task = found->second;
    }
    task->cancel();
  }

 private:
  std::unique_ptr<Core> core_;
};

}  // namespace

Result<std::unique_ptr<host::Fulfiller>> make_model_fulfiller(FulfillerOptions options) {
  std::vector<std::string> secrets;
  for (const Settings& one : options.settings) {
    if (!one.problem.empty()) {
      return Error{ErrorCode::invalid_argument, one.problem, "", 0, 0};
    }
    if (!one.endpoint.key.empty()) {
      secrets.push_back(one.endpoint.key);
    }
  }
  auto core = std::make_unique<Core>(std::move(options));
  for (const Choice& choice : core->options.choices) {
    const KnownProvider* const known = known_provider(choice.provider);
    if (known == nullptr || known->source != Source::replay || core->recordings.count(choice.model) != 0) {
      continue;
    }
    if (choice.model == core->options.record) {
      return choice.said.refused("'" + choice.model + "' cannot be replayed and recorded to at once");
    }
    Result<std::unique_ptr<Recording>> recording = Recording::read(choice.model);
    if (!recording) {
      return recording.error();
    }
    core->recordings.emplace(choice.model, std::move(recording).value());
  }
  if (!core->options.record.empty()) {
    Result<std::unique_ptr<Recorder>> recorder = Recorder::open(core->options.record, std::move(secrets));
    if (!recorder) {
      return recorder.error();
    }
    core->recorder = std::move(recorder).value();
  }
  core->transport.emplace(core->options.transport);
  core->network.emplace(*core->transport);
  core->sample.emplace(*core->network);
  core->workers.emplace(core->options.workers);
  return std::unique_ptr<host::Fulfiller>(new ModelFulfiller(std::move(core)));
}

}  // namespace plumb::provider
