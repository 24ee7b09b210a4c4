// One event loop of the HTTP server: a thread with its connections and the exchanges made for them. Nothing on the
// path of a byte is locked. Internal to the sources of the HTTP server.
//
// Everything written in one round of the loop is sent at its end, so that a head, a piece and the end of an answer
// that arrived together also leave together, and a provider's connection is woken once per round. One sweep every 100
// ms checks all deadlines.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "native/provider/socket_poller.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/http_server.hpp"
#include "native/proxy/peer_addresses.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

namespace asio = boost::asio;
using Failed = boost::system::error_code;
using Millis = std::chrono::milliseconds;

inline constexpr std::size_t read_bytes = 64 << 10;
inline constexpr std::uint64_t rest_ms = 1'000;  // time without a request until memory is given back
inline constexpr auto sweep_every = Millis(100);

inline std::uint64_t ms_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<Millis>(since).count());
}

struct Session;

struct LoopState final : Loop {
  LoopState(const HttpServerSettings& with, PeerAddresses& of, std::size_t number)
      : settings(with),
        addresses(of),
        number_(number),
        io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
        poller(io),
        transport(io, polling(with.upstream)),
        sweeper(io),
        scratch(read_bytes) {}

  provider::TransportOptions polling(provider::TransportOptions options) {
    options.poller = &poller;
    poller.at_round_end([this] { end_round(); });
    return options;
  }

  provider::Transport& upstream() override { return transport; }
  TimePoint now() override {
    if (!poller.in_round()) {
      return moment_now();
    }
    if (moment_of != poller.calls()) {
      moment = moment_now();
      moment_of = poller.calls();
    }
    return moment;
  }
  std::size_t index() const override { return number_; }
  void after_writes(std::shared_ptr<Answering> who) override {
    if (!poller.in_round()) {
      who->written();
    } else {
      done.push_back(std::move(who));
    }
  }

  // Takes over the connection with this handle, from this address.
  void adopt(int handle, std::string from);
  // Sends everything written in this round.
  void end_round();
  void sweep_later();
  void sweep();
  // Gives back memory after a second without a request. Code pages are given back a second after the start, which uses
  // much code that calls do not, and after half a minute without a request; the next request maps some hundred pages
  // again.
  void rest();
  void stop(std::uint64_t grace_ms);

  const HttpServerSettings& settings;
  PeerAddresses& addresses;
  std::size_t number_;
  asio::io_context io;
  provider::SocketPoller poller;
  provider::Transport transport;
  asio::steady_timer sweeper;
  std::vector<char> scratch;  // read data is parsed before more is read
  std::unique_ptr<Handler> handler;
  std::unordered_set<std::shared_ptr<Session>> sessions;
  std::vector<std::shared_ptr<Session>> written;  // in this round
  std::vector<std::shared_ptr<Answering>> done;   // in this round: to notify when everything is written
  TimePoint moment;                               // of the current read
  std::uint64_t moment_of = ~std::uint64_t{0};    // the number of the poller's call for `moment`
  std::uint64_t now_ms = 0;
  std::uint64_t stop_at = 0;  // 0: not stopping
  std::uint64_t requests_seen = 0;
  std::uint64_t rest_at = 0;       // when to give back memory; 0: done
  std::uint64_t code_rest_at = 0;  // when to give back code
  bool fresh = true;               // code has not been given back since the start
  bool told_to_stop = false;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::thread thread;
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused_requests{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> answering{0};
};

}  // namespace plumb::proxy
