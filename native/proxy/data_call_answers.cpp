// What the client is given of an answer: its bytes as they came, or written anew from its deltas.
#include <algorithm>
#include <utility>

#include "core/guard/guard_answer.hpp"
#include "native/proxy/data_call.hpp"

namespace plumb::proxy {

namespace {

// A whole answer of up to this size is kept until it is whole, so that one that is cut can be asked for again.
constexpr std::size_t kept_bytes_max = 1 << 20;

}  // namespace

wire::ReplyHead DataCall::reply_head() const {
  if (answer_head_)
    return *answer_head_;
  wire::ReplyHead head;
  const std::string& id = call_->id();
  const wire::ModelReply* reply = round_.reply ? &round_.reply->reply() : nullptr;
  head.id = reply != nullptr && !reply->id.empty() && round_.wire == wire_
                ? reply->id
                : (wire_ == wire::Wire::openai ? "chatcmpl-" : "msg_") + id;
  head.model = reply != nullptr && !reply->model.empty() ? reply->model : request_.model;
  head.created_s = now().wall_ms / 1'000;
  head.input_tokens = reply != nullptr && reply->usage.known ? reply->usage.input_tokens : request_.input_tokens_most;
  head.usage = request_.include_usage;
  return head;
}

// ---------------------------------------------------------------- bytes as they came

bool DataCall::relay(std::string_view bytes) {
  round_.watch->push(bytes);
  if (guard_)
    observe(bytes);
  const std::string_view passed = round_.filter->pass(bytes);
  if (passed.empty())
    return true;
  answer_.sent_at(now().steady_ms());
  return answer_.stream(passed);
}

void DataCall::relay_whole(std::string_view bytes) {
  round_.watch->push(bytes);
  if (round_.passing) {
    answer_.body(round_.content_type, bytes);
    return;
  }
  round_.whole += bytes;
  if (round_.whole.size() > kept_bytes_max && !guard_ && !answer_.begun()) {
    round_.passing = true;
    answer_.body(round_.content_type, round_.whole);
    std::string().swap(round_.whole);
  }
}

// The guard reads along, and changes nothing.
void DataCall::observe(std::string_view bytes) {
  round_.reply->push(bytes);
  for (wire::ModelDelta delta; round_.reply->next(delta);) {
    step_.clear();
    guard_->take(delta, step_);
  }
}

void DataCall::relay_ended() {
  round_.watch->end();
  const bool told_end = round_.watch->ended();
  if (round_.watch->failure()) {
    // The provider's own error event, which the client has.
    const wire::Failure failure = *round_.watch->failure();
    if (!answer_.released()) {
      try_failed(failure);
      return;
    }
    call_->failed(failure, now());
    answer_.end();
    finish(CallResult::failed, wire::failure_class_name(failure.failure_class));
    return;
  }
  if (!told_end && (!round_.streamed || round_.watch->finish() == wire::Finish::none)) {
    try_failed(wire::make_failure(
        round_.streamed ? wire::FailureClass::cut : wire::FailureClass::malformed,
        round_.streamed ? "the provider ended its answer in the middle" : "the provider's answer is no JSON"));
    return;
  }
  call_->answered(round_.watch->usage(), now());
  round_.over = true;
  output_bytes_ += round_.watch->answer_bytes();
  if (guard_) {
    finish_observed();
    return;
  }
  if (!round_.streamed && answer_.begun() && !round_.passing) {
    // A stream was asked for and a comment of it has been sent; the provider has answered whole.
    round_.reply = std::make_unique<wire::ReplyStream>(round_.wire);
    rewrite(round_.whole);
    round_.reply->end();
    rewrite({});
    if (!over_)
      finish_unguarded(round_.reply->reply());
    return;
  }
  if (round_.streamed) {
    if (!told_end && wire_ == wire::Wire::openai)
      answer_.stream("data: [DONE]\n\n");
    answer_.end();
  } else if (round_.passing) {
    answer_.end();
  } else {
    answer_.whole(round_.status, round_.content_type.empty() ? "application/json" : round_.content_type, round_.whole);
  }
  finish(CallResult::answered, "");
}

// ---------------------------------------------------------------- written anew

bool DataCall::rewrite(std::string_view bytes) {
  round_.reply->push(bytes);
  const std::shared_ptr<DataCall> self = shared_from_this();
  bool room = true;
  for (wire::ModelDelta delta; !round_.over && !over_ && round_.reply->next(delta);) {
    output_bytes_ += delta.text.size();
    if (guard_) {
      step_.clear();
      guard_->take(delta, step_);
      on_guard();
    } else if (request_.stream) {
      if (!writer_) {
        writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
        writer_->begin(out_);
      }
      writer_->delta(out_, delta);
    }
  }
  if (!out_.empty()) {
    answer_.sent_at(now().steady_ms());
    room = answer_.stream(out_);
    out_.clear();
  }
  if (!round_.over && !over_ && round_.reply->failure())
    try_failed(*round_.reply->failure());
  return room;
}

void DataCall::rewritten_ended() {
  round_.reply->end();
  rewrite({});
  if (over_ || round_.over)
    return;
  const wire::ModelReply& reply = round_.reply->reply();
  call_->answered(reply.usage, now());
  round_.over = true;
  if (!guard_) {
    finish_unguarded(reply);
    return;
  }
  heavy(
      reply.text.size(),
      [this] {
        step_.clear();
        guard_->end(round_.reply->reply(), step_);
      },
      [this] { on_guard(); });
}

void DataCall::finish_unguarded(const wire::ModelReply& reply) {
  if (request_.stream) {
    if (!writer_) {
      writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
      writer_->begin(out_);
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
  if (over_)
    return;
  if (request_.stream && !step_.released.empty()) {
    if (!writer_) {
      writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
      writer_->begin(out_);
    }
    for (const guard::ReleasedDelta& one : step_.released)
      writer_->delta(out_, one.view());
    step_.released.clear();
  }
  if (step_.stop && !round_.over) {
    const wire::Usage usage = usage_so_far();
    stop_round();
    call_->stopped(usage, now());
  }
  if (step_.want == guard::Want::repair)
    want_repair();
  else if (step_.want == guard::Want::judge)
    want_judge();
  else if (step_.want == guard::Want::finished)
    finish_guarded();
}

void DataCall::want_repair() {
  repairing_ = true;
  judging_ = false;
  if (!out_.empty())
    answer_.stream(std::exchange(out_, {}));
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
  if (!answer_head_)
    answer_head_ = std::make_unique<wire::ReplyHead>(reply_head());
  judging_ = true;
  repairing_ = false;
  if (!out_.empty())
    answer_.stream(std::exchange(out_, {}));
  const Moment at = now();
  if (judge_until_ms_ == 0)
    judge_until_ms_ = std::min(at.steady_ms() + call_->settings().judge.deadline_ms, call_->deadline_us() / 1'000);
  std::optional<wire::Failure> refused;
  if (at.steady_ms() >= judge_until_ms_)
    refused = wire::make_failure(wire::FailureClass::timed_out, "The time for the judge is used up");
  else
    refused = call_->judge(request_.input_tokens_most + output_bytes_ / 2 + 1'000, judge_until_ms_ * 1'000, at);
  if (refused) {
    step_.clear();
    guard_->no_repair("the judge was not asked: " + refused->message, step_);
    on_guard();
    return;
  }
  later(&DataCall::ask_next);
}

void DataCall::finish_observed() {
  if (!round_.streamed)
    observe(round_.whole);
  round_.reply->end();
  observe({});
  step_.clear();
  guard_->end(round_.reply->reply(), step_);
  const std::string plumb = guard::plumb_json(guard_->outcome());
  if (round_.streamed) {
    const bool openai = wire_ == wire::Wire::openai;
    answer_.stream(openai ? "data: {\"id\":\"" + call_->id() +
                                "\",\"object\":\"chat.completion.chunk\",\"choices\":[],\"plumb\":" + plumb + "}\n\n"
                          : "event: plumb\ndata: {\"type\":\"plumb\",\"plumb\":" + plumb + "}\n\n");
    const std::string& end = round_.filter->end_event();
    answer_.stream(end.empty() && openai ? "data: [DONE]\n\n" : end);
    answer_.end();
  } else {
    const std::size_t brace = round_.whole.rfind('}');
    if (brace != std::string::npos)
      round_.whole.insert(brace, ",\"plumb\":" + plumb);
    for (const auto& [name, value] : guard::plumb_headers(guard_->outcome()))
      answer_.add_kept_fields(name + ": " + value + "\r\n");
    answer_.whole(round_.status, "application/json", round_.whole);
  }
  finish(CallResult::answered, "");
}

void DataCall::finish_guarded() {
  const guard::GuardOutcome& outcome = guard_->outcome();
  if (outcome.judge.failed != 0)
    cache_key_.reset();  // what could not be judged now may be judged next time
  const std::string error = outcome.failure ? (outcome.failure->code.empty() ? "contract" : outcome.failure->code) : "";
  if (request_.stream) {
    if (!writer_) {
      writer_ = std::make_unique<wire::StreamWriter>(wire_, reply_head());
      writer_->begin(out_);
    }
    guard::append_stream_end(out_, wire_, *writer_, outcome);
    answer_.stream(std::exchange(out_, {}));
    answer_.end();
  } else {
    std::string body;
    const int status = guard::append_whole_answer(body, wire_, outcome, reply_head());
    for (const auto& [name, value] : guard::plumb_headers(outcome))
      answer_.add_kept_fields(name + ": " + value + "\r\n");
    answer_.whole(status, "application/json", body);
  }
  finish(outcome.ok ? CallResult::answered : CallResult::failed, error);
}

}  // namespace plumb::proxy
