#include "native/proxy/data_call.hpp"

#include <utility>

namespace plumb::proxy {

namespace {

// More than this is read or judged by a worker: about a millisecond.
constexpr std::size_t heavy_bytes = 256 << 10;

}  // namespace

DataCall::DataCall(PortServices& services, Loop& loop, HttpRequest& request, Client& client, wire::Wire wire)
    : services_(services),
      loop_(loop),
      head_(request),
      wire_(wire),
      body_(std::move(request.body)),
      answer_(client, wire, false) {
  request.body.clear();
}

void DataCall::start(const CallerPtr& caller, std::string fields, std::uint64_t random) {
  caller_ = caller;
  random_ = random;
  answer_.add_fields(fields);
  contained([this] { read_body(); });
}

void DataCall::read_body() {
  wire::ClientLimits limits;
  limits.body_bytes_max = std::max(limits.body_bytes_max, body_.size());
  limits.hash_seed = services_.hash_seed;
  if (body_.size() <= heavy_bytes) {
    on_read(wire::read_client_request(wire_, body_, limits));
    return;
  }
  auto read = std::make_shared<std::optional<Result<wire::ClientRequest>>>();
  heavy(
      body_.size(), [this, read, limits] { read->emplace(wire::read_client_request(wire_, body_, limits)); },
      [this, read] { on_read(std::move(read->value())); });
}

// `work` on a worker where there is much of it, else at once; then `then`, on the loop, unless the client has gone.
void DataCall::heavy(std::size_t bytes, std::function<void()> work, std::function<void()> then) {
  if (bytes <= heavy_bytes) {
    work();
    then();
    return;
  }
  working_ = true;
  services_.workers.give([self = shared_from_this(), work = std::move(work), then = std::move(then)]() mutable {
    std::optional<std::string> broken = host::contained(work);
    provider::Transport& upstream = self->loop_.upstream();
    upstream.post([self = std::move(self), then = std::move(then), broken = std::move(broken)] {
      self->working_ = false;
      if (broken)
        self->end_broken(*broken);
      else if (!self->over_)
        self->contained(then);
    });
  });
}

// What `work` does later, from the loop itself: not from inside of what a provider's bytes have led to.
void DataCall::later(void (DataCall::*work)()) {
  loop_.upstream().post([self = shared_from_this(), work] {
    if (!self->over_)
      self->contained([&] { (self.get()->*work)(); });
  });
}

void DataCall::on_read(Result<wire::ClientRequest> read) {
  if (!read) {
    refuse(wire::failure_of_request(read.error()));
    return;
  }
  request_ = std::move(read).value();
  answer_.set_stream(request_.stream);
  const std::shared_ptr<const Settings> settings = services_.policy.settings();
  GuardAsk guard_ask{request_,
                     body_,
                     head_.field("x-plumb-contract"),
                     head_.field("x-plumb-mode"),
                     *settings,
                     *caller_,
                     services_.shelf,
                     services_.hash_seed};
  auto choice = std::make_unique<GuardChoice>();
  if (const std::optional<wire::Failure> failure = choose_guard(guard_ask, *choice)) {
    refuse(*failure);
    return;
  }
  if (choice->on)
    choice_ = std::move(choice);
  if (!begin_call() || answered_before())
    return;
  if (choice_)
    guard_.emplace(std::move(choice_->options));
  ask_next();
}

// False where it has been refused.
bool DataCall::begin_call() {
  Ask ask;
  ask.route = wire_ == wire::Wire::openai ? "/v1/chat/completions" : "/v1/messages";
  ask.model = request_.model;
  if (choice_) {
    ask.contract = choice_->hash.empty() ? std::string_view() : std::string_view(choice_->contract);
    ask.own_schema = choice_->own_schema;
  }
  ask.stream = request_.stream;
  ask.input_tokens = request_.input_tokens_most;
  ask.output_tokens_max = request_.output_tokens_max;
  ask.choices = request_.choices;
  ask.traceparent = head_.field("traceparent");
  ask.tracestate = head_.field("tracestate");
  Begun begun = services_.policy.begin(caller_, ask, now(), random_);
  if (begun.refused) {
    over_ = true;  // counted by the policy
    answer_.fail(*begun.refused);
    return false;
  }
  call_ = std::move(begun.call);
  answer_.add_request_id(call_->id());
  const std::string limits = call_->limit_fields();
  answer_.add_fields(limits);
  own_limits_ = !limits.empty();
  answer_.sent_at(now().steady_ms());
  if (services_.policy.records())
    answer_.keep(call_->settings().bounds.answer_bytes_max);
  return true;
}

// From the cache, or for an Idempotency-Key that was seen before.
bool DataCall::answered_before() {
  const std::string_view key = head_.field("idempotency-key");
  if (!key.empty()) {
    std::string wishes(wire_name(wire_));
    for (const std::string_view name : {"x-plumb-contract", "x-plumb-mode"})
      wishes.append("\n").append(head_.field(name));
    IdempotentStart start = services_.policy.idempotency().begin(caller_->id, key, body_, now(), wishes);
    if (start.kind == IdempotentKind::refused) {
      fail(start.failure, CallResult::refused);
      return true;
    }
    if (start.kind == IdempotentKind::replay) {
      call_->from_idempotency();
      answer_.add_fields("x-plumb-replayed: true\r\n");
      answer_.again(*start.reply);
      finish(CallResult::answered, "");
      return true;
    }
    ticket_ = start.ticket;
    answer_.keep(call_->settings().idempotency.entry_bytes_max);
  }
  StoredReplies& cache = services_.policy.cache();
  if (!request_.temperature_zero || request_.choices > 1 || !cache.on())
    return false;
  const Route* route = call_->settings().route_of(request_.model);
  std::string targets = request_.model;
  if (route != nullptr) {
    for (const Target& one : route->targets)
      targets += " " + one.name;
  }
  ReplyKey cached;
  if (!cache_key({caller_->id, wire_name(wire_), targets, choice_ ? choice_->hash : std::string_view(),
                  choice_ ? choice_->as_text : std::string_view(), body_},
                 cached))
    return false;
  if (const std::shared_ptr<const StoredReply> reply = cache.find(cached, now())) {
    call_->from_cache();
    answer_.add_fields("x-plumb-cache: hit\r\n");
    answer_.again(*reply);
    finish(CallResult::answered, "");
    return true;
  }
  cache_key_ = cached;
  answer_.keep(std::max(call_->settings().cache.entry_bytes_max,
                        ticket_ ? call_->settings().idempotency.entry_bytes_max : std::uint64_t{0}));
  return false;
}

// ---------------------------------------------------------------- the end

// Before the policy knows of a call.
void DataCall::refuse(const wire::Failure& failure) {
  over_ = true;
  const std::string_view route = wire_ == wire::Wire::openai ? "/v1/chat/completions" : "/v1/messages";
  services_.policy.refused(route, wire::status_of(failure), failure.code, now());
  answer_.fail(failure);
}

void DataCall::fail(const wire::Failure& failure, CallResult result) {
  if (over_)
    return;
  answer_.fail(failure);
  finish(result, failure.code.empty() ? wire::failure_class_name(failure.failure_class) : failure.code);
}

void DataCall::finish(CallResult result, std::string_view error) {
  if (over_)
    return;
  over_ = true;
  if (!call_)
    return;
  if (!round_.over && round_.exchange != 0) {
    const wire::Usage usage = usage_so_far();
    stop_round();
    call_->stopped(usage, now());
  }
  settle_stored(result);
  if (services_.policy.records()) {
    const std::shared_ptr<const StoredReply> kept = answer_.kept();
    const std::string_view route = wire_ == wire::Wire::openai ? "/v1/chat/completions" : "/v1/messages";
    services_.policy.record(*call_, *caller_, route, body_, kept ? std::string_view(kept->body) : "", now());
  }
  CallEnd end;
  end.result = result;
  end.status = answer_.status() != 0 ? answer_.status() : 499;
  end.output_bytes = output_bytes_;
  end.error = error;
  if (guard_ && !working_) {
    end.contract = choice_->contract;
    end.mode = choice_->mode;
    if (step_.want == guard::Want::finished) {
      const guard::GuardOutcome& outcome = guard_->outcome();
      end.decision = contract::decision_name(outcome.decision);
      end.stopped_early = !outcome.stopped.empty();
      end.tokens_saved = outcome.tokens_saved;
      end.judge = {outcome.judge.calls, outcome.judge.failed, outcome.judge.holds, outcome.judge.broken,
                   outcome.judge.open};
      for (const guard::PartVerdict& part : outcome.parts) {
        end.findings += static_cast<std::uint32_t>(part.verdict.findings.size());
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
  if (cache_key_ && kept && kept->status == 200 && kept->body.size() <= call_->settings().cache.entry_bytes_max)
    services_.policy.cache().put(*cache_key_, kept, now());
  if (!ticket_)
    return;
  if (kept)
    services_.policy.idempotency().finish(*ticket_, kept, now());
  else
    services_.policy.idempotency().forget(*ticket_);
  ticket_.reset();
}

// Nothing that the call was doing is asked again: neither its codecs nor its guard. What is left to do is done part by
// part, since what broke may be needed for it too.
void DataCall::end_broken(const std::string& why) {
  const std::shared_ptr<DataCall> self = shared_from_this();
  const bool was_over = std::exchange(over_, true);
  const Moment at = loop_.now();
  (void)host::contained(
      [&] { services_.policy.tell("error", "internal_error", call_ ? "call " + call_->id() + ": " + why : why); });
  if (!was_over && round_.exchange != 0 && !std::exchange(round_.over, true))
    loop_.upstream().cancel(round_.exchange);
  wire::Failure failure = wire::make_failure(wire::FailureClass::server,
                                             "The proxy met an error of its own in this call; its log says where");
  failure.status = 500;
  failure.code = "internal_error";
  const std::optional<std::string> untold = host::contained([&] { answer_.fail(failure); });
  if (untold)
    answer_.cut();
  (void)host::contained([&] {
    if (ticket_)
      services_.policy.idempotency().forget(*ticket_);
    ticket_.reset();
  });
  if (!call_)
    return;
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
  if (over_)
    return;
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
  if (!paused_)
    return;
  paused_ = false;
  loop_.upstream().resume(round_.exchange);
}

void DataCall::tick(std::uint64_t now_ms) {
  if (!over_ && call_ && !working_)
    contained([&] { on_tick(now_ms); });
}

void DataCall::on_tick(std::uint64_t now_ms) {
  const std::shared_ptr<DataCall> self = shared_from_this();
  // First: an answer that only waits for its judge is given when the call's time is up.
  if (judging_ && now_ms >= judge_until_ms_) {
    judge_too_late();
    return;
  }
  if (now_ms * 1'000 >= call_->deadline_us()) {
    fail(wire::make_failure(wire::FailureClass::timed_out, "the call took longer than this proxy allows"),
         CallResult::failed);
    return;
  }
  if (wake_at_ms_ != 0 && now_ms >= wake_at_ms_) {
    wake_at_ms_ = 0;
    ask_next();
    return;
  }
  if (round_.close_at_ms != 0 && now_ms >= round_.close_at_ms) {
    loop_.upstream().cancel(round_.exchange);
    on_end({});
    return;
  }
  const bool between_events = !round_.filter || !round_.filter->passing();
  if (request_.stream && !paused_ && between_events && !round_.passing &&
      now_ms >= answer_.sent_at_ms() + call_->settings().bounds.keepalive_ms)
    answer_.keep_alive(now_ms);
}

void DataCall::judge_too_late() {
  wake_at_ms_ = 0;
  judging_ = false;
  if (!round_.over)
    stop_round();
  call_->stopped({}, now());
  step_.clear();
  guard_->fail(wire::make_failure(wire::FailureClass::timed_out, "it took longer than judge.deadline_ms allows"),
               step_);
  on_guard();
}

}  // namespace plumb::proxy
