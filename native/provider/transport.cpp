#include "native/provider/transport.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "native/provider/transport_exchange.hpp"
#include "native/provider/transport_state.hpp"

namespace plumb::provider {

namespace {

struct EventsReader final : ExchangeReader {
  explicit EventsReader(ExchangeEvents with) : events(std::move(with)) {}
  void on_head(const ExchangeHead& head) override {
    if (events.head) {
      events.head(head);
    }
  }
  Flow on_bytes(std::string_view bytes) override { return events.bytes ? events.bytes(bytes) : Flow::go_on; }
  void on_end(ExchangeOutcome outcome) override {
    if (events.end) {
      events.end(std::move(outcome));
    }
  }
  ExchangeEvents events;
};

}  // namespace

Transport::Transport(boost::asio::io_context& loop, const TransportOptions& options)
    : state_(std::make_shared<TransportState>(&loop, options)) {}

Transport::Transport(const TransportOptions& options) : state_(std::make_shared<TransportState>(nullptr, options)) {
  state_->work.emplace(asio::make_work_guard(state_->io));
  state_->thread = std::thread([state = state_.get()] { state->io.run(); });
}

void Transport::write_begun() { state_->write_begun(); }

void Transport::end_all() {
  asio::post(state_->io, [state = state_] { state->end_all(); });
}

// Without memory for the last message the program ends here: the thread cannot be left behind.
Transport::~Transport() {  // NOLINT(bugprone-exception-escape)
  if (!state_->own) {
    state_->end_all();
    return;
  }
  // Work that was posted before is still done; what is posted after this is not.
  asio::post(state_->io, [state = state_.get()] { state->end_all(); });
  state_->thread.join();
}

ExchangeId Transport::start(ExchangeRequest request, const ExchangeLimits& limits, ExchangeEvents events) {
  return start_read(std::move(request), limits, std::make_shared<EventsReader>(std::move(events)));
}

ExchangeId Transport::start_read(ExchangeRequest request, const ExchangeLimits& limits,
                                 std::shared_ptr<ExchangeReader> reader) {
  const ExchangeId id = ++state_->last_id;
  auto exchange = std::make_shared<Exchange>(*state_, id, std::move(request), limits, std::move(reader));
  if (!state_->own) {
    state_->starting = true;
    state_->begin(exchange);
    state_->starting = false;
    return id;
  }
  asio::post(state_->io, [state = state_.get(), exchange = std::move(exchange)] { state->begin(exchange); });
  return id;
}

void Transport::cancel(ExchangeId id) {
  asio::post(state_->io, [state = state_.get(), id] {
    const auto found = state->active.find(id);
    if (found != state->active.end()) {
      const std::shared_ptr<Exchange> one = found->second;
      one->finish(ExchangeEnd::cancelled, "cancelled");
    }
  });
}

void Transport::resume(ExchangeId id) {
  asio::post(state_->io, [state = state_.get(), id] {
    const auto found = state->active.find(id);
    if (found != state->active.end()) {
      const std::shared_ptr<Exchange> one = found->second;
      one->resume();
    }
  });
}

void Transport::post(std::function<void()> work) {
  asio::post(state_->io, [state = state_.get(), work = std::move(work)] {
    if (!state->ending) {
      work();
    }
  });
}

TimerId Transport::after(std::uint64_t delay_ms, std::function<void()> work) {
  const TimerId id = ++state_->last_id;
  asio::post(state_->io,
             [state = state_.get(), id, at = in_ms(Clock::now(), delay_ms), work = std::move(work)]() mutable {
               if (state->ending) {
                 return;
               }
               state->timer_of.emplace(id, state->timers.emplace(at, TransportTimer{id, std::move(work)}));
               state->sweep_later();
             });
  return id;
}

void Transport::forget(TimerId timer) {
  asio::post(state_->io, [state = state_.get(), timer] {
    const auto found = state->timer_of.find(timer);
    if (found != state->timer_of.end()) {
      state->timers.erase(found->second);
      state->timer_of.erase(found);
    }
  });
}

TransportCounts Transport::counts() const {
  return {state_->exchanges.load(), state_->connections.load(), state_->active_count.load()};
}

}  // namespace plumb::provider
