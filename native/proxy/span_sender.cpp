#include "native/proxy/span_sender.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "native/base/version.hpp"

namespace plumb::proxy {

namespace {

constexpr unsigned tries_max = 5;
constexpr std::uint64_t first_wait_ms = 1'000;
constexpr std::chrono::milliseconds finish_max{2'000};
constexpr provider::ExchangeLimits limits{5'000, 10'000, 10'000, 15'000, 64 << 10, 1 << 20};

bool may_be_tried_again(int status) { return status == 0 || status == 429 || status >= 500; }

}  // namespace

// What is under way is told by the transport's thread, so it lives in a block that both share.
struct Sending {
  std::mutex mutex;
  std::condition_variable over;
  bool busy = false;
  bool answered = false;
  int status = 0;
};

struct SpanSender::State {
  std::shared_ptr<Sending> sending = std::make_shared<Sending>();
  std::vector<RecordPtr> batch;
  unsigned tries = 0;
  std::uint64_t next_try_ms = 0;                   // steady
  std::unique_ptr<provider::Transport> transport;  // made when first needed; goes first

  void take_answer(SpanQueue& queue, TimePoint now);
  void send(const Settings& settings);
};

SpanSender::SpanSender() : state_(std::make_unique<State>()) {}
SpanSender::~SpanSender() = default;

// What became of the request that has ended, if one has.
void SpanSender::State::take_answer(SpanQueue& queue, TimePoint now) {
  const std::lock_guard lock(sending->mutex);
  if (!sending->answered) {
    return;
  }
  sending->answered = false;
  if (sending->status >= 200 && sending->status < 300) {
    queue.sent(batch.size());
    batch.clear();
  } else if (may_be_tried_again(sending->status) && tries < tries_max) {
    next_try_ms = now.steady_ms() + (first_wait_ms << (tries - 1));
  } else {
    queue.failed(batch.size());
    batch.clear();
  }
}

void SpanSender::State::send(const Settings& settings) {
  if (transport == nullptr) {
    transport = std::make_unique<provider::Transport>();
  }
  provider::ExchangeRequest request;
  request.origin = settings.telemetry.otlp.origin;
  request.target = settings.telemetry.otlp.path + "/v1/traces";
  request.headers = settings.telemetry.headers;
  request.headers.push_back({"content-type", "application/json"});
  request.body = otlp_json(batch, settings.telemetry, plumb::version);
  ++tries;
  {
    const std::lock_guard lock(sending->mutex);
    sending->busy = true;
    sending->status = 0;
  }
  transport->start(std::move(request), limits,
                   {[shared = sending](const provider::ExchangeHead& head) {
                      const std::lock_guard lock(shared->mutex);
                      shared->status = head.status;
                    },
                    [](std::string_view) { return provider::Flow::go_on; },
                    [shared = sending](const provider::ExchangeOutcome& outcome) {
                      const std::lock_guard lock(shared->mutex);
                      if (outcome.end != provider::ExchangeEnd::complete) {
                        shared->status = 0;
                      }
                      shared->busy = false;
                      shared->answered = true;
                      shared->over.notify_all();
                    }});
}

void SpanSender::work(SpanQueue& queue, const Settings& settings, TimePoint now) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.sending->mutex);
    if (state.sending->busy) {
      return;
    }
  }
  state.take_answer(queue, now);
  if (!settings.telemetry.on || (!state.batch.empty() && now.steady_ms() < state.next_try_ms)) {
    return;
  }
  if (state.batch.empty()) {
    state.batch = queue.take();
    state.tries = 0;
    state.next_try_ms = 0;
  }
  if (!state.batch.empty()) {
    state.send(settings);
  }
}

void SpanSender::finish(SpanQueue& queue, const Settings& settings) {
  const auto until = std::chrono::steady_clock::now() + finish_max;
  while (std::chrono::steady_clock::now() < until) {
    work(queue, settings, moment_now());
    std::unique_lock lock(state_->sending->mutex);
    // An answer that came since work() has looked is still to be taken.
    if (!state_->sending->busy && !state_->sending->answered) {
      break;
    }
    state_->sending->over.wait_until(lock, until, [this] { return !state_->sending->busy; });
  }
  if (!state_->batch.empty()) {
    queue.failed(state_->batch.size());
  }
}

}  // namespace plumb::proxy
