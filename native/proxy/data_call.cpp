#include "native/proxy/data_call.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/wire/facet.hpp"
#include "core/wire/generate.hpp"

namespace plumb::proxy {

namespace {

// More than this is read or judged by a worker: about a millisecond.
constexpr std::size_t heavy_bytes = 256 << 10;
// A call waits so long for a share of a limit that other proxies hold.
constexpr std::uint64_t patient_ms = 400;
constexpr std::uint64_t share_look_ms = 3;

// A client key may be in there. Of what such keys begin with, the last letter is the rarest.
bool may_have_key(std::string_view body) {
  constexpr std::string_view begins = "plumb_";
  for (std::size_t at = body.find('_'); at != std::string_view::npos; at = body.find('_', at + 1)) {
    if (body.substr(0, at + 1).ends_with(begins)) {
      return true;
    }
  }
  return false;
}

// The headers by which a client says what it wants of an answer.
constexpr std::array<std::string_view, 3> wish_headers = {"x-plumb-contract", "x-plumb-mode", "x-plumb-events"};

// Names of rules for operators: the first few, each once. They are words of a contract, which a client may have sent.
void add_rules(std::string& rules, const contract::Verdict& verdict) {
  constexpr std::size_t bytes_max = 200;
  for (const contract::Finding& finding : verdict.findings) {
    const std::string name = json::excerpt(finding.rule, 40);
    if (rules.size() < bytes_max && (", " + rules + ",").find(", " + name + ",") == std::string::npos) {
      rules += (rules.empty() ? "" : ", ") + name;
    }
  }
}

}  // namespace

DataCall::DataCall(PortServices& services, Loop& loop, HttpRequest& request, Client& client, const ClientRoute& route)
    : services_(services),
      loop_(loop),
      head_(request),
      route_(route),
      wire_(route.wire),
      body_(std::move(request.body)),
      answer_(client, route.wire, false) {
  request.body.clear();
}

void DataCall::start(const CallerPtr& caller, std::string address, const std::string& fields, std::uint64_t random) {
  caller_ = caller;
  address_ = std::move(address);
  random_ = random;
  answer_.add_fields(fields);
  contained([this] { read_body(); });
}

void DataCall::read_body() {
  wire::ClientLimits limits;
  limits.body_bytes_max = std::max(limits.body_bytes_max, body_.size());
  limits.hash_seed = services_.hash_seed;
  const auto read_now = [this, limits]() -> Result<wire::ClientRequest> {
    if (route_.prompt) {
      Result<std::string> chat = wire::chat_of_generate(body_);
      if (!chat) {
        return chat.error();
      }
      body_ = std::move(chat).value();
    }
    return wire::read_client_request(wire_, body_, limits, route_.wish);
  };
  if (body_.size() <= heavy_bytes) {
    on_read(read_now());
    return;
  }
  auto read = std::make_shared<std::optional<Result<wire::ClientRequest>>>();
  on_worker([read, read_now] { read->emplace(read_now()); }, [this, read] { on_read(std::move(read->value())); });
}

// `work` on a worker, then `then` on the loop, unless the client has gone: for what takes more than a millisecond.
void DataCall::on_worker(std::function<void()> work, std::function<void()> then) {
  working_ = true;
  services_.work.give(caller_->id,
                      [self = shared_from_this(), work = std::move(work), then = std::move(then)]() mutable {
                        std::optional<std::string> broken = host::contained(work);
                        provider::Transport& upstream = self->loop_.upstream();
                        upstream.post([self = std::move(self), then = std::move(then), broken = std::move(broken)] {
                          self->working_ = false;
                          if (broken) {
                            self->end_broken(*broken);
                          } else if (!self->at_.is_over()) {
                            self->contained(then);
                          }
                        });
                      });
}

// What `work` does later, from the loop itself: not from inside of what a provider's bytes have led to.
void DataCall::later(void (DataCall::*work)()) {
  loop_.upstream().post([self = shared_from_this(), work] {
    if (!self->at_.is_over()) {
      self->contained([&] { (self.get()->*work)(); });
    }
  });
}

// A worker may be at it when the call is over already.
struct DataCall::Work {
  explicit Work(std::uint64_t steps_max) : steps(steps_max, [this] { return !left.load(); }) {}
  std::atomic<bool> left{false};  // what is done for this call is not needed any more
  text::Steps steps;
};

// What is held to, found on a worker or here. It has what it reads of the head, which goes with its client.
struct DataCall::Choosing {
  std::shared_ptr<const Settings> settings;
  std::string contract;
  std::string mode;
  std::optional<wire::Failure> failure;
  GuardChoice choice;
};

void DataCall::on_read(Result<wire::ClientRequest> read) {
  if (!read) {
    refuse(wire::failure_of_request(read.error()));
    return;
  }
  request_ = std::move(read).value();
  request_.stream = request_.stream && route_.wish == wire::Wish::answer;
  answer_.set_stream(request_.stream);
  if (const std::optional<wire::Failure> failure = find_previous()) {
    refuse(*failure);
    return;
  }
  if (const Result<SpendCap> cap = read_spend_cap(head_.field("x-plumb-budget"))) {
    spend_cap_ = cap.value();
  } else {
    wire::Failure failure = wire::make_failure(wire::FailureClass::bad_request, cap.error().message);
    failure.code = "invalid_budget";
    refuse(failure);
    return;
  }
  const std::shared_ptr<const Settings> settings = services_.policy.settings();
  work_ = std::make_shared<Work>(settings->bounds.steps_max);
  steps_ = std::shared_ptr<text::Steps>(work_, &work_->steps);
  Choosing choosing{
      settings, std::string(head_.field("x-plumb-contract")), std::string(head_.field("x-plumb-mode")), {}, {}};
  if (!is_long_to_choose(ask_guard(choosing))) {
    choose(choosing);
    on_chosen(choosing);
    return;
  }
  const auto chosen = std::make_shared<Choosing>(std::move(choosing));
  on_worker([this, chosen] { choose(*chosen); }, [this, chosen] { on_chosen(*chosen); });
}

GuardAsk DataCall::ask_guard(const Choosing& chosen) const {
  return GuardAsk{request_, body_,           chosen.contract,     chosen.mode, *chosen.settings,
                  *caller_, services_.shelf, services_.hash_seed, random_,     steps_};
}

void DataCall::choose(Choosing& chosen) const {
  chosen.failure = choose_guard(ask_guard(chosen), chosen.choice);
  if (!chosen.failure) {
    chosen.failure = choose_held(chosen);
  }
}

// Whose conversation it is that the request goes on with. Without client keys there is one client, who may name any.
std::optional<wire::Failure> DataCall::find_previous() {
  const auto refused = [](std::string_view code, std::string_view message) {
    wire::Failure failure = wire::make_failure(wire::FailureClass::bad_request, message);
    failure.code = code;
    return failure;
  };
  if (request_.conversation && caller_->keyed) {
    return refused("unsupported_parameter",
                   "conversation: whose conversations are whose is not known here; send previous_response_id, or the "
                   "items as input (at /conversation)");
  }
  if (request_.previous_response.empty()) {
    return std::nullopt;
  }
  const std::optional<KeptResponse> kept =
      services_.policy.responses().find(caller_->id, request_.previous_response, now());
  if (kept) {
    pinned_ = kept->target;
  }
  if (kept || !caller_->keyed) {
    return std::nullopt;
  }
  return refused("previous_response_not_found", "there is no response '" + request_.previous_response.substr(0, 80) +
                                                    "' of this client key here (at /previous_response_id)");
}

// What is no answer yet cannot be held to anything.
std::optional<wire::Failure> DataCall::choose_held(Choosing& chosen) const {
  if (!chosen.choice.on || (route_.wish == wire::Wish::answer && !request_.background)) {
    return std::nullopt;
  }
  const bool named = !chosen.choice.hash.empty() || chosen.choice.own_schema;
  if (!named && chosen.choice.only_observes) {
    chosen.choice.on = false;
    return std::nullopt;
  }
  wire::Failure failure = wire::make_failure(
      wire::FailureClass::bad_request,
      request_.background ? "background: an answer that is made in the background is not judged; ask for it without a "
                            "contract, or not in the background"
                          : "there is no answer to judge by a contract in what this path gives");
  failure.code = "contract_without_answer";
  return failure;
}

void DataCall::start_kept(const CallerPtr& caller, std::string address, const std::string& fields, std::uint64_t random,
                          const KeptAsk& kept) {
  caller_ = caller;
  address_ = std::move(address);
  random_ = random;
  answer_.add_fields(fields);
  contained([&] {
    kept_ = kept;
    const std::optional<KeptResponse> known = services_.policy.responses().find(caller_->id, kept.id, now());
    if (!known || (known->held && kept.method == "GET")) {
      wire::Failure failure = wire::make_failure(
          wire::FailureClass::not_found,
          known ? "the response '" + std::string(kept.id) +
                      "' was held to a contract: what the provider keeps is not what was given, and is not given again"
                : "there is no response '" + std::string(kept.id) + "' of this client key here");
      failure.code = "response_not_found";
      refuse(failure);
      return;
    }
    request_.wire = wire_;
    request_.model = known->model;
    request_.stream = kept.stream();
    answer_.set_stream(request_.stream);
    pinned_ = known->target;
    usage_open_ = !known->booked;
    response_id_ = kept.id;
    if (begin_call(now(), false) == Beginning::begun) {
      ask_next();
    }
  });
}

void DataCall::put_response(std::string_view id, bool booked) {
  if (!response_id_.empty() || id.empty() || !route_.keeps_responses() || round_.wire != wire_ || !request_.stored ||
      at_.is_repairing() || at_.is_judging()) {
    return;
  }
  response_id_ = id;
  services_.policy.responses().put(
      caller_->id, id, {std::string(round_.target), request_.model, choice_ && !choice_->only_observes, booked}, now());
}

void DataCall::on_chosen(Choosing& chosen) {
  if (chosen.failure) {
    refuse(*chosen.failure);
    return;
  }
  // What a provider has not got to see it cannot repeat.
  if (caller_->keyed && may_have_key(body_)) {
    Secret key(presented_key(head_.field("authorization"), head_.field("x-api-key")));
    if (key.find(body_) != std::string_view::npos) {
      answer_.hide_client_key(std::move(key));
    }
  }
  if (chosen.choice.on) {
    choice_ = std::make_unique<GuardChoice>(std::move(chosen.choice));
    const std::string_view events = head_.field("x-plumb-events");
    events_ = !events.empty() && events != "off";
  }
  puts_off_ = choice_ && choice_->slow;
  begin_chosen();
}

void DataCall::begin_chosen() {
  const TimePoint at = now();
  patient_until_ms_ = patient_until_ms_ == 0 ? at.steady_ms() + patient_ms : patient_until_ms_;
  const Beginning begun = begin_call(at, at.steady_ms() < patient_until_ms_);
  if (begun == Beginning::pending) {
    loop_.upstream().after(share_look_ms, [self = shared_from_this()] {
      if (!self->at_.is_over()) {
        self->contained([&] { self->begin_chosen(); });
      }
    });
  }
  if (begun == Beginning::begun && !answered_before()) {
    begin_asking();
  }
}

void DataCall::begin_asking() {
  at_.enter(CallPhase::answer);
  if (choice_) {
    if (choice_->canary) {
      answer_.add_kept_fields("x-plumb-canary: " + std::string(choice_->mode) + "\r\n");
    }
    guard_.emplace(std::move(choice_->options));
  }
  ask_next();
}

DataCall::Beginning DataCall::begin_call(TimePoint at, bool patient) {
  Ask ask;
  ask.route = route_.path;
  ask.model = request_.model;
  if (choice_) {
    ask.contract = choice_->hash.empty() ? std::string_view() : std::string_view(choice_->contract);
    ask.own_schema = choice_->own_schema;
  }
  ask.client = address_;
  ask.stream = request_.stream;
  const bool writes = route_.wish == wire::Wish::answer && !kept_.there();
  ask.writes = writes;
  ask.input_tokens = writes || route_.wish == wire::Wish::embeddings ? request_.input_tokens_most : 0;
  ask.output_tokens_max = request_.output_tokens_max;
  ask.choices = request_.choices;
  ask.traceparent = head_.field("traceparent");
  ask.tracestate = head_.field("tracestate");
  ask.patient = patient;
  Begun begun = services_.policy.begin(caller_, ask, at, random_);
  if (begun.pending) {
    return Beginning::pending;
  }
  if (begun.refused) {
    at_.enter(CallPhase::over);  // counted by the policy
    answer_.add_request_id(id_of(random_));
    answer_.fail(*begun.refused);
    return Beginning::refused;
  }
  call_ = std::move(begun.call);
  call_->cap(spend_cap_);
  answer_.add_request_id(call_->id());
  const std::string limits = call_->limit_fields();
  answer_.add_fields(limits);
  own_limits_ = !limits.empty();
  answer_.sent_at(now().steady_ms());
  if (services_.policy.records()) {
    answer_.keep(call_->settings().bounds.answer_bytes_max);
  }
  return Beginning::begun;
}

// For an Idempotency-Key that was seen before. Also where other proxies are asked for it, and what is to be done comes
// later.
bool DataCall::answered_before() {
  const std::string_view key = head_.field("idempotency-key");
  if (key.empty()) {
    return false;
  }
  std::string wishes(route_.wish == wire::Wish::answer && !route_.prompt ? wire_name(wire_) : route_.path);
  for (const std::string_view name : wish_headers) {
    wishes.append("\n").append(head_.field(name));
  }
  Idempotency& known = services_.policy.idempotency();
  const IdempotentStart start = known.begin(caller_->id, key, body_, now(), wishes);
  if (answered(start)) {
    return true;
  }
  const std::uint64_t now_us = now().steady_us;
  const std::uint64_t for_ms = (call_->deadline_us() - std::min(call_->deadline_us(), now_us)) / 1'000;
  // Called as long as this is there, and so is its loop: all calls of a port that is stopped are finished first.
  others_ = known.ask_others(start, for_ms, [this] {
    loop_.upstream().post([weak = weak_from_this()] {
      const std::shared_ptr<DataCall> self = weak.lock();
      if (self != nullptr && !self->at_.is_over()) {
        self->contained([&] { self->hear_others(); });
      }
    });
  });
  if (others_ == nullptr) {
    return false;
  }
  at_.enter(CallPhase::claimed);
  return true;
}

void DataCall::hear_others() {
  const std::optional<IdempotentStart> start = services_.policy.idempotency().heard(*others_, now());
  others_.reset();
  if (start && !answered(*start)) {
    begin_asking();
  }
}

// False: the call is to be made.
bool DataCall::answered(const IdempotentStart& start) {
  if (start.kind == IdempotentKind::refused) {
    ticket_.reset();
    fail(start.failure, CallResult::refused);
    return true;
  }
  if (start.kind == IdempotentKind::replay) {
    ticket_.reset();
    call_->from_idempotency();
    answer_.add_fields("x-plumb-replayed: true\r\n");
    answer_.again(*start.reply);
    finish(CallResult::answered, "");
    return true;
  }
  ticket_ = start.ticket;
  answer_.keep(call_->settings().idempotency.entry_bytes_max);
  return false;
}

// ---------------------------------------------------------------- the end

// Before the policy knows of a call.
void DataCall::refuse(const wire::Failure& failure) {
  at_.enter(CallPhase::over);
  if (work_) {
    work_->left.store(true);
  }
  const std::string id = id_of(random_);
  services_.policy.refused({id, address_, caller_->id, route_.path, wire::status_of(failure), failure.code}, now());
  answer_.add_request_id(id);
  answer_.fail(failure);
}

void DataCall::fail(const wire::Failure& failure, CallResult result) {
  if (at_.is_over()) {
    return;
  }
  if (route_.keeps_responses()) {
    answer_.set_sequence(writer_ ? writer_->sequence() : round_.watch ? round_.watch->sequence() : 0);
  }
  tell_spent();
  answer_.fail(failure);
  finish(result, failure.code.empty() ? wire::failure_class_name(failure.failure_class) : failure.code);
}

// For the answer's head, as long as it is unsent.
void DataCall::tell_spent() {
  if (!call_) {
    return;
  }
  answer_.set_spent(call_->upstream_calls(), call_->tokens());
  if (call_->asked()) {
    answer_.set_final();
  }
}

void DataCall::finish(CallResult result, std::string_view error) {
  if (at_.is_over()) {
    return;
  }
  at_.enter(CallPhase::over);
  others_.reset();
  if (work_) {
    work_->left.store(true);
  }
  if (!call_) {
    return;
  }
  if (!round_.over && round_.exchange != 0) {
    const wire::Usage usage = usage_so_far();
    stop_round();
    call_->stopped(usage, now());
  }
  settle_stored(result);
  if (services_.policy.records()) {
    const std::shared_ptr<const StoredReply> kept = answer_.kept();
    services_.policy.record(*call_, *caller_, route_.path, body_, kept ? std::string_view(kept->body) : "", now());
  }
  CallEnd end;
  end.result = result;
  end.status = answer_.status() != 0 ? answer_.status() : 499;
  end.output_bytes = output_bytes_;
  end.error = error;
  if (guard_) {
    end.contract = choice_->contract;
    end.mode = choice_->mode;
    end.canary = choice_->canary;
    if (!working_ && step_.want == guard::Want::finished) {
      const guard::GuardOutcome& outcome = guard_->outcome();
      end.decision = contract::decision_name(outcome.decision);
      end.repairs = outcome.attempts;
      end.stopped_early = !outcome.stopped.empty();
      end.tokens_saved = outcome.tokens_saved;
      end.judge = {outcome.judge.calls, outcome.judge.failed, outcome.judge.holds, outcome.judge.broken,
                   outcome.judge.open};
      for (const guard::PartVerdict& part : outcome.parts) {
        end.findings += static_cast<std::uint32_t>(part.verdict.findings.size());
        add_rules(end.rules, part.verdict);
        add_found(end.found, part.verdict);
        end.edits += static_cast<std::uint32_t>(part.verdict.edits.size() + part.fixes.size());
      }
    }
  }
  call_->close(end, now());
  answer_.drop();
  loop_.after_writes(shared_from_this());
}

void DataCall::written() {
  contained([this] { call_->tell(now()); });
}

void DataCall::settle_stored(CallResult result) {
  const std::shared_ptr<const StoredReply> kept = result == CallResult::answered ? answer_.kept() : nullptr;
  if (!ticket_) {
    return;
  }
  if (kept) {
    services_.policy.idempotency().finish(*ticket_, kept, now());
  } else {
    services_.policy.idempotency().forget(*ticket_);
  }
  ticket_.reset();
}

// Nothing that the call was doing is asked again: neither its codecs nor its guard. What is left to do is done part by
// part, since what broke may be needed for it too.
void DataCall::end_broken(const std::string& why) {
  const std::shared_ptr<DataCall> self = shared_from_this();
  const bool was_over = at_.is_over();
  at_.enter(CallPhase::over);
  others_.reset();
  const TimePoint at = loop_.now();
  (void)host::contained(
      [&] { services_.policy.tell("error", "internal_error", call_ ? "call " + call_->id() + ": " + why : why); });
  if (!was_over && round_.exchange != 0 && !std::exchange(round_.over, true)) {
    loop_.upstream().cancel(round_.exchange);
  }
  wire::Failure failure = wire::make_failure(wire::FailureClass::server,
                                             "The proxy met an error of its own in this call; its log says where");
  failure.status = 500;
  failure.code = "internal_error";
  const std::optional<std::string> untold = host::contained([&] { answer_.fail(failure); });
  if (untold) {
    answer_.cut();
  }
  (void)host::contained([&] {
    if (ticket_) {
      services_.policy.idempotency().forget(*ticket_);
    }
    ticket_.reset();
  });
  if (!call_) {
    return;
  }
  CallEnd end;
  end.result = CallResult::failed;
  end.status = answer_.status() != 0 ? answer_.status() : 500;
  end.output_bytes = output_bytes_;
  end.error = failure.code;
  (void)host::contained([&] { call_->end_once(end, at); });
}

void DataCall::gone(Gone why) {
  contained([&] { on_gone(why); });
}

void DataCall::on_gone(Gone why) {
  if (at_.is_over()) {
    return;
  }
  if (why == Gone::stopping) {
    wire::Failure failure = wire::make_failure(wire::FailureClass::overloaded, "the proxy is being stopped");
    failure.status = 503;
    failure.code = "stopping";
    fail(failure, CallResult::failed);
    return;
  }
  answer_.drop();
  finish(CallResult::client_left, why == Gone::stalled ? "client_stalled" : "");
}

void DataCall::has_room() {
  if (!paused_) {
    return;
  }
  paused_ = false;
  loop_.upstream().resume(round_.exchange);
}

}  // namespace plumb::proxy
