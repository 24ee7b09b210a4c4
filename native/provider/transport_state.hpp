// What all exchanges of a transport share: its loop, the exchanges that are under way, connections that wait for the
// next one, timers, and the sweep that looks at what is late. Internal to the sources of the transport.
//
// One thread runs everything, so nothing here is locked but the counters. Timers of single operations would cost as
// much as the operations, so every exchange has one moment at which its time is up, and a sweep looks at all of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "native/provider/socket_poller.hpp"
#include "native/provider/transport.hpp"
#include "native/provider/transport_connection.hpp"

namespace plumb::provider {

// Times are added to a clock: more than ten years is as good as never, and does not overflow.
inline constexpr std::uint64_t ms_max = std::uint64_t{10} * 366 * 86'400'000;

inline Clock::time_point in_ms(Clock::time_point now, std::uint64_t ms) { return now + Millis(std::min(ms, ms_max)); }

struct TransportTimer {
  TimerId id = 0;
  std::function<void()> work;
};

struct TransportState {
  using Timers = std::multimap<Clock::time_point, TransportTimer>;

  // Without a loop, one of its own.
  TransportState(asio::io_context* loop, const TransportOptions& wanted);

  void begin(const std::shared_ptr<Exchange>& exchange);
  void sweep(Clock::time_point now);
  void on_time();
  // At the next sweep, or at the first timer where that is sooner.
  void sweep_later();
  void write_begun();
  void end_all();
  // The same for all that one socket's bytes lead to. On the loop's thread.
  Clock::time_point now() {
    if (!poller.in_round()) {
      return Clock::now();
    }
    if (std::exchange(now_of, poller.calls()) != poller.calls()) {
      now_is = Clock::now();
    }
    return now_is;
  }
  // nullptr: there is none to this origin.
  std::shared_ptr<Connection> idle_connection(const Origin& origin);
  void keep(std::shared_ptr<Connection> connection);

  TransportOptions options;
  std::unique_ptr<asio::io_context> own;  // none where it runs in somebody's loop
  asio::io_context& io;
  std::unique_ptr<SocketPoller> own_poller;
  SocketPoller& poller;
  asio::ssl::context tls;
  asio::steady_timer sweeper;
  std::vector<char> scratch;  // what is read is parsed before anything else is read
  bool sweeping = false;
  Clock::time_point swept{};
  Clock::time_point now_is{};
  std::uint64_t now_of = ~std::uint64_t{0};  // which call of the poller's that was
  bool ending = false;
  bool starting = false;
  std::unordered_map<ExchangeId, std::shared_ptr<Exchange>> active;
  std::vector<std::shared_ptr<Exchange>> begun;  // in this round, and not written yet
  std::list<std::shared_ptr<Connection>> idle;   // the one used last in front
  Timers timers;
  std::unordered_map<TimerId, Timers::iterator> timer_of;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::thread thread;
  std::atomic<std::uint64_t> last_id{0};
  std::atomic<std::uint64_t> exchanges{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> active_count{0};
};

}  // namespace plumb::provider
