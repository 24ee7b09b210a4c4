#include "native/proxy/through_call.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/ascii.hpp"
#include "native/host/contained.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/exchange_failure.hpp"
#include "native/proxy/forwarded_headers.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t refusal_bytes_max = 64 << 10;
constexpr std::size_t list_bytes_max = 4 << 20;

// Below these, everything is passed on.
constexpr std::array<std::string_view, 6> routes = {"/v1/files", "/v1/uploads", "/v1/batches",
                                                    "/v1/audio", "/v1/images",  "/v1/messages/batches"};

// A path that cannot lead anywhere else: no empty segment, no dots alone, nothing encoded.
bool is_plain(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // its slash
    const std::string_view segment = path.substr(0, path.find('/'));
    const bool word =
        std::all_of(segment.begin(), segment.end(), [](char c) { return ascii::is_word(c) || c == '-' || c == '.'; });
    if (!word || segment.empty() || segment == "." || segment == "..") {
      return false;
    }
    path.remove_prefix(segment.size());
  }
  return true;
}

// The lines of every request to the provider, without what they say about a body of JSON.
std::string lines_without_types(std::string_view usual) {
  std::string out;
  while (!usual.empty()) {
    const std::size_t end = std::min(usual.find("\r\n"), usual.size() - 2) + 2;
    const std::string_view line = usual.substr(0, end);
    if (!line.starts_with("content-type: ") && !line.starts_with("accept: ")) {
      out += line;
    }
    usual.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string_view through_route(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (const std::string_view route : routes) {
    const bool below = path.starts_with(route) && (path.size() == route.size() || path[route.size()] == '/');
    if (below && is_plain(path)) {
      return route;
    }
  }
  return {};
}

struct ThroughCall::Reader final : provider::ExchangeReader {
  Reader(std::shared_ptr<ThroughCall> of, std::uint64_t round, const Upstream& asked)
      : call(std::move(of)), number(round), upstream(asked) {}
  bool is_current() const { return call->round_ == number && call->exchange_ != 0 && !call->over_; }
  bool may_connect(std::string_view address) override {
    return call->call_ && proxy::may_connect(address, upstream, call->call_->settings());
  }
  void on_head(const provider::ExchangeHead& head) override {
    if (is_current()) {
      call->contained([&] { call->on_head(head); });
    }
  }
  provider::Flow on_bytes(std::string_view bytes) override {
    provider::Flow flow = provider::Flow::stop;
    if (is_current()) {
      call->contained([&] { flow = call->on_bytes(bytes); });
    }
    return flow;
  }
  void on_end(provider::ExchangeOutcome outcome) override {
    if (is_current()) {
      call->contained([&] { call->on_end(outcome); });
    }
  }

  std::shared_ptr<ThroughCall> call;
  std::uint64_t number;
  const Upstream& upstream;  // of the settings that the call keeps
};

ThroughCall::ThroughCall(PortServices& services, Loop& loop, HttpRequest& request, Client& client, ThroughAsk ask)
    : services_(services),
      loop_(loop),
      head_(request),
      ask_(std::move(ask)),
      body_(std::move(request.body)),
      answer_(client, ask_.wire, false) {
  request.body.clear();
}

// A bug ends this call alone.
void ThroughCall::contained(const std::function<void()>& work) {
  const std::optional<std::string> broken = host::contained(work);
  if (!broken) {
    return;
  }
  services_.policy.tell("error", "internal_error", call_ ? "call " + call_->id() + ": " + *broken : *broken);
  wire::Failure failure = wire::make_failure(wire::FailureClass::server,
                                             "The proxy met an error of its own in this call; its log says where");
  failure.status = 500;
  failure.code = "internal_error";
  (void)host::contained([&] { fail(failure, CallResult::failed); });
}

void ThroughCall::start(const CallerPtr& caller, std::string address, const std::string& fields, std::uint64_t random) {
  const std::shared_ptr<ThroughCall> self = shared_from_this();
  contained([&] {
    caller_ = caller;
    answer_.add_fields(fields);
    Ask ask;
    ask.route = ask_.route;
    ask.model = lists() ? std::string_view("*") : std::string_view("passthrough");
    ask.kind = lists() ? AskKind::list : AskKind::through;
    ask.writes = false;
    ask.client = address;
    ask.traceparent = head_.field("traceparent");
    ask.tracestate = head_.field("tracestate");
    Begun begun = services_.policy.begin(caller_, ask, loop_.now(), random);
    if (!begun.call) {
      over_ = true;
      answer_.add_request_id(id_of(random));
      answer_.fail(*begun.refused);
      return;
    }
    call_ = std::move(begun.call);
    answer_.add_request_id(call_->id());
    const std::string limits = call_->limit_fields();
    answer_.add_fields(limits);
    own_limits_ = !limits.empty();
    ask_next();
  });
}

void ThroughCall::ask_next() {
  const Step step = call_->next(loop_.now());
  if (step.kind == StepKind::wait) {
    wake_at_ms_ = loop_.now().steady_ms() + std::max<std::uint64_t>(step.wait_ms, 1);
    return;
  }
  if (step.kind == StepKind::ask) {
    send(step);
    return;
  }
  if (lists()) {
    tell_list({});  // the names of plumb.yaml are known anyway
    return;
  }
  fail(step.failure, call_->asked() ? CallResult::failed : CallResult::refused);
}

void ThroughCall::send(const Step& step) {
  const provider::Endpoint& endpoint = step.upstream->endpoint;
  provider::ExchangeRequest request;
  request.origin = endpoint.base.origin;
  request.method = lists() ? std::string_view("GET") : head_.method;
  request.target = lists() ? endpoint.list_target() : endpoint.target_of(ask_.behind);
  request.lines = lines_without_types(step.headers->whole);
  request.lines += "accept: */*\r\n";
  if (const std::string_view type = head_.field("content-type"); !type.empty() && !lists()) {
    request.lines.append("content-type: ").append(type).append("\r\n");
  }
  pass_to_upstream(head_, endpoint.wire, request.lines);
  if (!step.traceparent.empty()) {
    request.lines.append("traceparent: ").append(step.traceparent).append("\r\n");
  }
  request.body = std::move(body_);  // only what has no body is asked again
  key_ = endpoint.key;
  answer_.hide(&step.headers->key);
  status_ = 0;
  whole_.clear();
  provider::ExchangeLimits limits = step.upstream->exchange;
  const std::uint64_t now_us = loop_.now().steady_us;
  const std::uint64_t left_ms = call_->deadline_us() > now_us ? (call_->deadline_us() - now_us) / 1'000 : 0;
  limits.deadline_ms = std::min(limits.deadline_ms, left_ms);
  limits.body_bytes_max = std::min(limits.body_bytes_max, call_->settings().bounds.answer_bytes_max);
  ++round_;
  exchange_ = loop_.upstream().start_read(std::move(request), limits,
                                          std::make_shared<Reader>(shared_from_this(), round_, *step.upstream));
  answer_.set_spent(call_->upstream_calls(), 0);
}

void ThroughCall::on_head(const provider::ExchangeHead& head) {
  status_ = head.status;
  std::string fields;
  for (const provider::HeaderField& field : head.headers) {
    if (field.name == "content-type") {
      content_type_ = field.value;
    } else if (field.name == "content-disposition") {
      fields.append("content-disposition: ").append(field.value).append("\r\n");
    } else if (field.name == "x-request-id" || field.name == "request-id") {
      call_->told_request_id(field.value);
      answer_.set_provider_id(field.value);
    }
  }
  if (!good()) {
    refusal_ = head;
    return;
  }
  call_->first_byte(loop_.now());
  if (!lists()) {
    answer_.set_forwarded_headers(fields + passed_to_client(head, own_limits_));
  }
}

provider::Flow ThroughCall::on_bytes(std::string_view bytes) {
  if (!good() || lists()) {
    const std::size_t most = good() ? list_bytes_max : refusal_bytes_max;
    whole_.append(bytes.substr(0, most - std::min(most, whole_.size())));
    return provider::Flow::go_on;
  }
  return answer_.body(content_type_.empty() ? "application/octet-stream" : content_type_, bytes)
             ? provider::Flow::go_on
             : provider::Flow::pause;
}

void ThroughCall::on_end(const provider::ExchangeOutcome& outcome) {
  exchange_ = 0;
  if (outcome.end != provider::ExchangeEnd::complete) {
    try_failed(failure_of_end(outcome));
    return;
  }
  if (!good()) {
    std::vector<wire::Header> headers;
    for (const provider::HeaderField& field : refusal_.headers) {
      headers.push_back({field.name, field.value});
    }
    const std::array<std::string_view, 1> secrets = {key_};
    const std::optional<wire::Failure> failure =
        wire::failure_of(status_, headers, whole_, loop_.now().wall_ms, secrets);
    try_failed(
        as_ours(failure ? *failure : wire::make_failure(wire::FailureClass::malformed, "the provider did not answer")));
    return;
  }
  wire::Usage usage;
  usage.known = true;  // it is not read: nothing is counted
  call_->answered(usage, loop_.now());
  if (lists()) {
    tell_list(whole_);
    return;
  }
  if (!answer_.begun()) {
    answer_.whole(status_, content_type_.empty() ? "application/octet-stream" : content_type_, {});
  }
  answer_.end();
  finish(CallResult::answered, "");
}

void ThroughCall::try_failed(const wire::Failure& failure) {
  call_->failed(failure, loop_.now());
  if (answer_.released()) {
    fail(failure, CallResult::cut);
    return;
  }
  loop_.upstream().post([self = shared_from_this()] {
    if (!self->over_) {
      self->contained([&] { self->ask_next(); });
    }
  });
}

void ThroughCall::tell_list(std::string_view body) {
  std::string answer;
  if (const std::optional<wire::Failure> none = ask_.list(body, answer)) {
    fail(*none, CallResult::answered);
    return;
  }
  answer_.whole(200, "application/json", answer);
  finish(CallResult::answered, "");
}

void ThroughCall::fail(const wire::Failure& failure, CallResult result) {
  if (over_) {
    return;
  }
  if (call_ && call_->asked()) {
    answer_.set_final();
  }
  answer_.fail(failure);
  finish(result, failure.code.empty() ? wire::failure_class_name(failure.failure_class) : failure.code);
}

void ThroughCall::finish(CallResult result, std::string_view error) {
  if (std::exchange(over_, true) || !call_) {
    return;
  }
  if (exchange_ != 0) {
    loop_.upstream().cancel(std::exchange(exchange_, 0));
    call_->stopped({}, loop_.now());
  }
  CallEnd end;
  end.result = result;
  end.status = answer_.status() != 0 ? answer_.status() : 499;
  end.error = error;
  call_->close(end, loop_.now());
  answer_.drop();
  loop_.after_writes(shared_from_this());
}

void ThroughCall::written() {
  contained([this] { call_->tell(loop_.now()); });
}

void ThroughCall::gone(Gone why) {
  if (over_) {
    return;
  }
  contained([&] {
    if (why == Gone::stopping) {
      wire::Failure failure = wire::make_failure(wire::FailureClass::overloaded, "the proxy is being stopped");
      failure.status = 503;
      failure.code = "stopping";
      fail(failure, CallResult::failed);
      return;
    }
    answer_.drop();
    finish(CallResult::client_left, why == Gone::stalled ? "client_stalled" : "");
  });
}

void ThroughCall::has_room() {
  if (exchange_ != 0) {
    loop_.upstream().resume(exchange_);
  }
}

void ThroughCall::tick(std::uint64_t now_ms) {
  if (over_ || !call_) {
    return;
  }
  contained([&] {
    if (now_ms * 1'000 >= call_->deadline_us()) {
      fail(wire::make_failure(wire::FailureClass::timed_out, "the call took longer than this proxy allows"),
           CallResult::failed);
    } else if (wake_at_ms_ != 0 && now_ms >= wake_at_ms_) {
      wake_at_ms_ = 0;
      ask_next();
    }
  });
}

}  // namespace plumb::proxy
