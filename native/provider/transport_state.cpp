#include "native/provider/transport_state.hpp"

#include <string>

#include "native/provider/transport_exchange.hpp"

namespace plumb::provider {

namespace {

constexpr auto sweep_every = Millis(100);

bool has_line_end(std::string_view text) {
  return text.find('\r') != std::string_view::npos || text.find('\n') != std::string_view::npos;
}

}  // namespace

TransportState::TransportState(asio::io_context* loop, const TransportOptions& wanted)
    : options(wanted),
      own(loop != nullptr ? nullptr : std::make_unique<asio::io_context>(1)),
      io(loop != nullptr ? *loop : *own),
      own_poller(options.poller != nullptr ? nullptr : std::make_unique<SocketPoller>(io)),
      poller(options.poller != nullptr ? *options.poller : *own_poller),
      tls(asio::ssl::context::tls_client),
      sweeper(io),
      scratch(read_bytes) {
  if (own_poller) {
    own_poller->at_round_end([this] { write_begun(); });
  }
  Failed ignored;
  tls.set_default_verify_paths(ignored);
  tls.set_verify_mode(asio::ssl::verify_peer);
  ::SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
}

void TransportState::begin(const std::shared_ptr<Exchange>& exchange) {
  if (ending) {
    exchange->finish(ExchangeEnd::cancelled, "the program is ending");
    return;
  }
  if (active.size() >= options.exchanges_max) {
    exchange->finish(ExchangeEnd::limit, "there are " + std::to_string(active.size()) +
                                             " exchanges with providers under way, the most there may be");
    return;
  }
  active.emplace(exchange->id, exchange);
  active_count = active.size();
  ++exchanges;
  sweep_later();
  for (const HeaderField& field : exchange->request.headers) {
    if (has_line_end(field.name) || has_line_end(field.value)) {
      exchange->finish(ExchangeEnd::malformed, "a header of the request has a line end in it");
      return;
    }
  }
  exchange->begin();
}

void TransportState::write_begun() {
  for (const std::shared_ptr<Exchange>& exchange : begun) {
    if (!exchange->over) {
      exchange->write_more();
    }
  }
  begun.clear();
}

void TransportState::sweep_later() {
  if (ending) {
    return;
  }
  if (sweeping && (timers.empty() || timers.begin()->first >= sweeper.expiry())) {
    return;
  }
  const Clock::time_point now = Clock::now();
  swept = swept + sweep_every <= now ? now : swept;  // after a rest
  const Clock::time_point sweep_at = swept + sweep_every;
  const Clock::time_point at = timers.empty() ? sweep_at : std::min(sweep_at, timers.begin()->first);
  sweeping = true;
  sweeper.expires_at(at);  // a wait before it is given up
  sweeper.async_wait([this](const Failed& failed) {
    if (!failed) {
      sweeping = false;
      on_time();
    }
  });
}

void TransportState::on_time() {
  const Clock::time_point now = Clock::now();
  if (now >= swept + sweep_every) {
    swept = now;
    sweep(now);
  }
  while (!timers.empty() && timers.begin()->first <= now) {
    const std::function<void()> due = std::move(timers.begin()->second.work);
    timer_of.erase(timers.begin()->second.id);
    timers.erase(timers.begin());
    due();
  }
  if (!active.empty() || !idle.empty() || !timers.empty()) {
    sweep_later();
  }
}

void TransportState::sweep(Clock::time_point now) {
  std::vector<std::shared_ptr<Exchange>> late;
  for (const auto& [id, exchange] : active) {
    if (now >= exchange->due || now >= exchange->deadline) {
      late.push_back(exchange);
    }
  }
  for (const std::shared_ptr<Exchange>& exchange : late) {
    exchange->time_is_up(now);
  }
  idle.remove_if([&](const std::shared_ptr<Connection>& one) {
    return now - one->idle_since >= Millis(options.idle_connection_ms) || !one->is_quiet();
  });
}

std::shared_ptr<Connection> TransportState::idle_connection(const Origin& origin) {
  for (auto one = idle.begin(); one != idle.end();) {
    if ((*one)->origin != origin) {
      ++one;
      continue;
    }
    std::shared_ptr<Connection> connection = std::move(*one);
    one = idle.erase(one);
    if (connection->is_quiet()) {
      return connection;
    }
  }
  return nullptr;
}

void TransportState::keep(std::shared_ptr<Connection> connection) {
  if (ending || options.idle_connections_max == 0) {
    return;
  }
  connection->idle_since = now();
  connection->want_read();
  idle.push_front(std::move(connection));
  if (idle.size() > options.idle_connections_max) {
    idle.pop_back();
  }
}

void TransportState::end_all() {
  ending = true;
  timers.clear();
  timer_of.clear();
  while (!active.empty()) {
    const std::shared_ptr<Exchange> one = active.begin()->second;
    one->finish(ExchangeEnd::cancelled, "the program is ending");
  }
  idle.clear();
  begun.clear();
  sweeper.cancel();
  if (own_poller) {
    own_poller->stop();
  }
  work.reset();
}

}  // namespace plumb::provider
