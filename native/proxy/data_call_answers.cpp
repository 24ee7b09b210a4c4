// What the client is given of an answer: its bytes as they came, or written anew from its deltas.
#include <algorithm>
#include <utility>

#include "core/guard/guard_answer.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/facet.hpp"
#include "core/wire/told_failure.hpp"
#include "native/proxy/data_call.hpp"

namespace plumb::proxy {

namespace {

// A whole answer of up to this size is kept until it is whole, so that one that is cut can be asked for again.
constexpr std::size_t kept_bytes_max = 1 << 20;

// Of a piece of an answer that is judged on the loop, under a contract of a client's own and under one of the proxy's.
constexpr std::size_t strange_bytes_max = 4 << 10;
constexpr std::size_t known_bytes_max = 64 << 10;
constexpr std::size_t slice_bytes = 32;
constexpr std::uint64_t inline_steps_max = 100'000;  // of a call: a millisecond in all

}  // namespace

wire::ReplyHead DataCall::reply_head() const {
  return answer_head_ ? *answer_head_ : head_of(round_.reply ? &round_.reply->reply() : nullptr);
}

wire::ReplyHead DataCall::head_of(const wire::ModelReply* reply) const {
  wire::ReplyHead head;
  const std::string& id = call_->id();
  const bool same = reply != nullptr && round_.wire == wire_;
  head.id = same && !reply->id.empty() ? reply->id : std::string(facet_of(wire_).id_before) + id;
  if (route_.keeps_responses()) {
    head.members = same && !reply->members.empty() ? reply->members : wire::response_members(body_);
  }
  head.model = reply != nullptr && !reply->model.empty() ? reply->model : request_.model;
  head.created_s = now().wall_ms / 1'000;
  head.input_tokens = reply != nullptr && reply->usage.known ? reply->usage.input_tokens : request_.input_tokens_most;
  head.usage = request_.include_usage;
  head.plumb_events = events_;
  head.prompt = route_.prompt;
  return head;
}

// ---------------------------------------------------------------- bytes as they came

// False as long as the beginning does not tell what the bytes are; they wait in `whole`.
bool DataCall::knows_form(std::string_view bytes) {
  if (round_.form != wire::AnswerForm::unknown) {
    return true;
  }
  const bool lines = facet_of(round_.wire).lines && round_.asked_stream;
  round_.whole += bytes;
  const wire::AnswerForm form = lines ? wire::AnswerForm::stream : wire::answer_form(round_.whole, round_.says_events);
  if (form != wire::AnswerForm::unknown) {
    take_form(form);
  }
  return form != wire::AnswerForm::unknown;
}

void DataCall::take_form(wire::AnswerForm form) {
  round_.form = form;
  const bool stream = form == wire::AnswerForm::stream;
  const bool plain = route_.wish == wire::Wish::answer && !kept_.there();
  round_.collected = stream && plain && !request_.stream;
  round_.streamed = stream && !round_.collected;
  round_.watch.emplace(round_.wire, round_.streamed);
  if (round_.streamed) {
    round_.filter = std::make_unique<EventFilter>(round_.kept_back);
  }
}

// The answer came whole, and the client waits for a stream.
bool DataCall::becomes_stream() const {
  return request_.stream && !round_.streamed && route_.wish == wire::Wish::answer && !kept_.there();
}

bool DataCall::pass_on(std::string_view bytes) {
  std::string begun;
  if (!round_.any_passed) {
    round_.any_passed = true;
    begun = std::exchange(round_.whole, {});
    bytes = begun.empty() ? bytes : std::string_view(begun);
  }
  return round_.streamed ? relay(bytes) : relay_whole(bytes);
}

bool DataCall::relay(std::string_view bytes) {
  round_.watch->push(bytes);
  put_response(round_.watch->id(), !request_.background);
  const std::optional<wire::Failure>& failed = round_.watch->failure();
  if (failed && failed->code != wire::no_finish_reason && !kept_.there()) {
    relay_failed(*failed, bytes);
    return true;
  }
  if (guard_) {
    observe(bytes);
  }
  const std::string_view passed = round_.filter->pass(bytes);
  if (passed.empty()) {
    return true;
  }
  answer_.sent_at(now().steady_ms());
  return answer_.stream(passed);
}

// The stream tells an error. If nobody has seen anything of it, another provider may be asked; else the client gets
// what came before, and the error in its own protocol.
void DataCall::relay_failed(const wire::Failure& failure, std::string_view bytes) {
  const wire::Failure told = failure;
  if (answer_.released()) {
    answer_.stream(round_.filter->pass_before_error(bytes));
  }
  if (!guard_ || !answer_.released()) {
    try_failed(told);
    return;
  }
  observe(bytes);
  stop_round();
  call_->failed(told, now());
  finish_observed();
}

bool DataCall::relay_whole(std::string_view bytes) {
  if (round_.collected) {
    round_.whole += bytes;
    return true;
  }
  round_.watch->push(bytes);
  if (round_.passing) {
    return answer_.body(round_.content_type, bytes);
  }
  round_.whole += bytes;
  if (round_.whole.size() <= kept_bytes_max || guard_ || answer_.begun() || becomes_stream()) {
    return true;
  }
  round_.passing = true;
  const bool room = answer_.body(round_.content_type, round_.whole);
  std::string().swap(round_.whole);
  return room;
}

// The guard reads along, and changes nothing.
void DataCall::observe(std::string_view bytes) {
  round_.reply->push(bytes);
  for (wire::ModelDelta delta; round_.reply->next(delta);) {
    judge(delta);
  }
}

// Gives the guard a piece of the answer, in slices that it is done with soon; where they have taken a millisecond in
// all, or would, the rest waits for a worker.
void DataCall::judge(const wire::ModelDelta& delta) {
  step_.clear();
  const bool long_piece = delta.text.size() > (choice_->strange ? strange_bytes_max : known_bytes_max);
  puts_off_ = puts_off_ || long_piece || steps_->used() > inline_steps_max;
  if (puts_off_) {
    behind_.push_back(
        {delta.kind, delta.index, std::string(delta.text), std::string(delta.id), std::string(delta.name)});
    return;
  }
  if (!choice_->strange || delta.text.size() <= slice_bytes) {
    guard_->take(delta, step_);
    return;
  }
  for (std::string_view rest = delta.text; !rest.empty() && step_.want == guard::Want::more && !step_.stop;) {
    if (steps_->used() > inline_steps_max) {
      puts_off_ = true;
      behind_.push_back({delta.kind, delta.index, std::string(rest), std::string(delta.id), std::string(delta.name)});
      return;
    }
    wire::ModelDelta slice = delta;
    slice.text = rest.substr(0, slice_bytes);
    rest.remove_prefix(slice.text.size());
    guard_->take(slice, step_);
  }
}

// What was put off, and the answer's end.
void DataCall::judge_rest(std::function<void()> then) {
  const auto judge_all = [this] {
    step_.clear();
    for (const guard::ReleasedDelta& one : behind_) {
      if (step_.want == guard::Want::more && !step_.stop) {
        guard_->take(one.view(), step_);
      }
    }
    behind_.clear();
    if (step_.want != guard::Want::more || step_.stop) {
      return;
    }
    // An answer that is only observed is told as it came, and judged as it would have been.
    if (round_.reply->failure()) {
      guard_->fail(*round_.reply->failure(), step_);
    } else {
      guard_->end(round_.reply->reply(), step_);
    }
  };
  if (!behind_.empty() || round_.reply->reply().text.size() > known_bytes_max) {
    on_worker(judge_all, std::move(then));
    return;
  }
  judge_all();
  then();
}

// A count of tokens costs nothing, nor does a response that is given again: but for what one that was made in the
// background has cost, which is known then only, and booked once.
wire::Usage DataCall::relayed_usage() {
  wire::Usage usage = round_.watch->usage();
  if (kept_.there()) {
    ResponseBook& book = services_.policy.responses();
    if (kept_.method == "DELETE") {
      book.erase(caller_->id, kept_.id);
    } else if (usage.known && usage_open_) {
      book.put(caller_->id, kept_.id, {pinned_, request_.model, false, true}, now());
    }
  }
  if (route_.wish == wire::Wish::input_tokens || (kept_.there() && !(usage.known && usage_open_)) ||
      (request_.background && !usage.known)) {
    usage = {};
    usage.known = true;
  }
  return usage;
}

// A stream where a whole answer was asked for, into `whole` as one.
std::optional<wire::Failure> DataCall::collect() {
  if (!round_.collected) {
    return std::nullopt;
  }
  wire::ReplyOptions options;
  options.answer_bytes_max = call_->settings().bounds.answer_bytes_max;
  options.done_required = false;
  wire::ReplyStream stream(round_.wire, options);
  stream.push(round_.whole);
  for (wire::ModelDelta delta; stream.next(delta);) {
  }
  stream.end();
  for (wire::ModelDelta delta; stream.next(delta);) {
  }
  if (stream.failure()) {
    return stream.failure();
  }
  round_.whole.clear();
  const Result<bool> written = wire::append_reply(round_.whole, wire_, stream.reply(), head_of(&stream.reply()));
  if (!written) {
    return wire::make_failure(wire::FailureClass::malformed, written.error().message);
  }
  round_.content_type = "application/json";
  round_.watch->push(round_.whole);
  return std::nullopt;
}

// The error that a whole answer under a success is.
std::optional<wire::Failure> DataCall::told_whole() const {
  if (round_.streamed || round_.passing || kept_.there()) {
    return std::nullopt;
  }
  if (becomes_stream()) {
    return wire::read_reply(round_.wire, round_.whole).failure;
  }
  return round_.watch->finish() == wire::Finish::none ? wire::told_failure(round_.whole) : std::nullopt;
}

void DataCall::relay_ended() {
  if (const std::optional<wire::Failure> failure = collect()) {
    try_failed(*failure);
    return;
  }
  round_.watch->end();
  const bool told_end = round_.watch->ended();
  put_response(round_.watch->id(), round_.watch->usage().known || !request_.background);
  if (const std::optional<wire::Failure> failure = told_whole()) {
    try_failed(*failure);
    return;
  }
  if (round_.watch->failure() && !kept_.there()) {
    // An answer without a finish reason, whose end the client has; an error that was told is not passed on.
    const wire::Failure failure = *round_.watch->failure();
    if (!answer_.released()) {
      try_failed(failure);
      return;
    }
    call_->failed(failure, now());
    round_.over = true;
    if (guard_) {
      finish_observed();
      return;
    }
    answer_.end();
    finish(CallResult::failed, wire::failure_class_name(failure.failure_class));
    return;
  }
  if (!told_end && (!round_.streamed || round_.watch->finish() == wire::Finish::none)) {
    try_failed(wire::make_failure(
        round_.streamed ? wire::FailureClass::cut : wire::FailureClass::malformed,
        round_.streamed ? "the provider ended its answer in the middle" : "the provider's answer is not JSON"));
    return;
  }
  call_->answered(relayed_usage(), now());
  tell_spent();
  round_.over = true;
  output_bytes_ += round_.watch->answer_bytes();
  if (guard_) {
    finish_observed();
    return;
  }
  if (becomes_stream()) {
    tell_as_stream({});
  } else if (round_.streamed) {
    if (!told_end) {
      answer_.stream(facet_of(wire_).done);
    }
    answer_.end();
  } else if (round_.passing) {
    answer_.end();
  } else {
    answer_.whole(round_.status, round_.content_type.empty() ? "application/json" : round_.content_type, round_.whole);
  }
  finish(CallResult::answered, "");
}

// ---------------------------------------------------------------- written anew

// A stream was asked for, and the provider has answered whole.
void DataCall::tell_as_stream(std::string_view plumb) {
  round_.reply = std::make_unique<wire::ReplyStream>(round_.wire);
  round_.reply->push(round_.whole);
  round_.reply->end();
  wire::ModelDelta delta;
  bool more = round_.reply->next(delta);  // from here on it knows the answer's id and model
  wire::StreamWriter writer(wire_, reply_head());
  std::string events;
  writer.begin(events);
  for (; more; more = round_.reply->next(delta)) {
    writer.delta(events, delta);
  }
  writer.end(events, round_.reply->reply(), plumb);
  answer_.stream(events);
  answer_.end();
}

bool DataCall::rewrite(std::string_view bytes) {
  round_.reply->push(bytes);
  const std::shared_ptr<DataCall> self = shared_from_this();
  bool room = true;
  for (wire::ModelDelta delta; !round_.over && !at_.is_over() && round_.reply->next(delta);) {
    output_bytes_ += delta.text.size();
    if (guard_) {
      judge(delta);
      on_guard();
    } else if (request_.stream) {
      if (!writer_) {
        writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
        writer_->begin(out_);
      }
      writer_->delta(out_, delta);
    }
  }
  put_response(round_.reply->reply().id, true);
  if (!out_.empty()) {
    answer_.sent_at(now().steady_ms());
    room = answer_.stream(out_);
    out_.clear();
  }
  if (!round_.over && !at_.is_over() && round_.reply->failure()) {
    try_failed(*round_.reply->failure());
  }
  return room;
}

void DataCall::rewritten_ended() {
  round_.reply->end();
  rewrite({});
  if (at_.is_over() || round_.over) {
    return;
  }
  const wire::ModelReply& reply = round_.reply->reply();
  call_->answered(reply.usage, now());
  tell_spent();
  round_.over = true;
  if (!guard_) {
    finish_unguarded(reply);
    return;
  }
  judge_rest([this] { on_guard(); });
}

void DataCall::finish_unguarded(const wire::ModelReply& reply) {
  if (request_.stream) {
    if (!writer_) {
      writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
      writer_->begin(out_);
    }
    if (const Result<bool> can = wire::can_be_written(wire_, reply); !can) {
      answer_.stream(std::exchange(out_, {}));
      fail(wire::make_failure(wire::FailureClass::malformed, can.error().message), CallResult::failed);
      return;
    }
    writer_->end(out_, reply);
    answer_.stream(std::exchange(out_, {}));
    answer_.end();
  } else {
    std::string body;
    if (const Result<bool> written = wire::append_reply(body, wire_, reply, reply_head()); !written) {
      fail(wire::make_failure(wire::FailureClass::malformed, written.error().message), CallResult::failed);
      return;
    }
    answer_.whole(200, "application/json", body);
  }
  finish(CallResult::answered, "");
}

// What the guard wants after a delta or an end.
void DataCall::on_guard() {
  if (at_.is_over()) {
    return;
  }
  if (request_.stream && !step_.released.empty()) {
    if (!writer_) {
      writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
      writer_->begin(out_);
    }
    for (const guard::ReleasedDelta& one : step_.released) {
      writer_->delta(out_, one.view());
    }
    step_.released.clear();
  }
  if (step_.stop && !round_.over) {
    const wire::Usage usage = usage_so_far();
    stop_round();
    call_->stopped(usage, now());
  }
  if (step_.want == guard::Want::repair) {
    want_repair();
  } else if (step_.want == guard::Want::judge) {
    want_judge();
  } else if (step_.want == guard::Want::finished) {
    finish_guarded();
  }
}

void DataCall::want_repair() {
  at_.enter(CallPhase::repair);
  if (!out_.empty()) {
    answer_.stream(std::exchange(out_, {}));
  }
  // What a repair asks is the conversation again, the artifact and its findings.
  const std::uint64_t input = request_.input_tokens_most + output_bytes_ / 2 + 1'000;
  if (const std::optional<wire::Failure> refused = call_->repair(input, request_.output_tokens_max, now())) {
    step_.clear();
    guard_->no_repair(refused->message, step_);
    on_guard();
    return;
  }
  later(&DataCall::ask_next);
}

// The judge is asked beside the answer: nothing of what it writes is the client's.
void DataCall::want_judge() {
  if (!answer_head_) {
    answer_head_ = std::make_unique<wire::ReplyHead>(reply_head());
  }
  at_.enter(CallPhase::judge);
  if (!out_.empty()) {
    answer_.stream(std::exchange(out_, {}));
  }
  const TimePoint at = now();
  if (judge_until_ms_ == 0) {
    judge_until_ms_ = std::min(at.steady_ms() + call_->settings().judge.deadline_ms, call_->deadline_us() / 1'000);
  }
  std::optional<wire::Failure> refused;
  if (at.steady_ms() >= judge_until_ms_) {
    refused = wire::make_failure(wire::FailureClass::timed_out, "The time for the judge is used up");
  } else {
    refused = call_->judge(request_.input_tokens_most + output_bytes_ / 2 + 1'000, judge_until_ms_ * 1'000, at);
  }
  if (refused) {
    step_.clear();
    guard_->no_repair("the judge was not asked: " + refused->message, step_);
    on_guard();
    return;
  }
  later(&DataCall::ask_next);
}

void DataCall::finish_observed() {
  if (!round_.streamed) {
    observe(round_.whole);
  }
  round_.reply->end();
  observe({});
  judge_rest([this] { tell_observed(); });
}

void DataCall::tell_observed() {
  const std::string plumb = guard::plumb_json(guard_->outcome());
  const std::optional<wire::Failure>& failed = guard_->outcome().failure;
  if (round_.streamed) {
    std::string note;
    wire::append_plumb_note(note, wire_, reply_head(), plumb);
    const std::string& end = round_.filter->end_event();
    // No end is added to an answer that has none.
    note += end.empty() && !failed ? facet_of(wire_).done : std::string_view(end);
    answer_.stream(note);
    if (failed && failed->code != wire::no_finish_reason) {
      const wire::Failure told = *failed;
      fail(told, CallResult::cut);
      return;
    }
    answer_.end();
  } else if (becomes_stream()) {
    tell_as_stream(plumb);
  } else {
    const std::size_t brace = round_.whole.rfind('}');
    if (brace != std::string::npos) {
      round_.whole.insert(brace, ",\"plumb\":" + plumb);
    }
    for (const auto& [name, value] : guard::plumb_headers(guard_->outcome())) {
      answer_.add_kept_fields(name + ": " + value + "\r\n");
    }
    answer_.whole(round_.status, "application/json", round_.whole);
  }
  finish(failed ? CallResult::failed : CallResult::answered,
         failed ? wire::failure_class_name(failed->failure_class) : "");
}

void DataCall::finish_guarded() {
  tell_spent();
  const guard::GuardOutcome& outcome = guard_->outcome();
  const std::string error = outcome.failure ? (outcome.failure->code.empty() ? "contract" : outcome.failure->code) : "";
  // Of a stream of which nothing was released, not even a comment, the failure is a status: clients know by it that
  // another try is of no use, and by an error event they do not.
  if (request_.stream && (answer_.begun() || !out_.empty() || !outcome.failure)) {
    if (!writer_) {
      writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
      writer_->begin(out_);
    }
    guard::append_stream_end(out_, *writer_, outcome);
    answer_.stream(std::exchange(out_, {}));
    answer_.end();
  } else {
    std::string body;
    wire::ReplyHead head = reply_head();
    // The id that the provider goes on from is the answer's, not that of a repair, which it does not keep.
    if (!response_id_.empty()) {
      head.id = response_id_;
    }
    const int status = guard::append_whole_answer(body, wire_, outcome, head);
    for (const auto& [name, value] : guard::plumb_headers(outcome)) {
      answer_.add_kept_fields(name + ": " + value + "\r\n");
    }
    answer_.whole(status, "application/json", body);
  }
  finish(outcome.ok ? CallResult::answered : CallResult::failed, error);
}

}  // namespace plumb::proxy
