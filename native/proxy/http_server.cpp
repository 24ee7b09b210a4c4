// The first loop accepts, and hands connections round.
#include "native/proxy/http_server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "native/proxy/http_head.hpp"
#include "native/proxy/http_loop.hpp"
#include "native/proxy/peer_addresses.hpp"

namespace plumb::proxy {

using asio::ip::tcp;

namespace {

constexpr int accepted_at_once = 32;

struct HttpServerState final : HttpServer {
  explicit HttpServerState(const HttpServerSettings& with) : settings(with) {}
  // Without memory for its last message the program ends here: the loops cannot be left behind.
  ~HttpServerState() override { stop(0); }  // NOLINT(bugprone-exception-escape)

  std::optional<Error> listen();
  void accept_more();
  void on_accepted(tcp::socket socket);
  void turn_away(tcp::socket& socket, std::string_view why, const std::string& from);
  void serve(const MakeHandler& make_handler);

  std::uint16_t port() const override { return port_; }
  void stop(std::uint64_t grace_ms) override;
  HttpServerCounts counts() const override;

  HttpServerSettings settings;
  PeerAddresses addresses;
  std::vector<std::unique_ptr<LoopState>> loops;
  std::optional<tcp::acceptor> acceptor;
  std::optional<asio::steady_timer> retry;
  std::size_t next = 0;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};
};

std::optional<Error> HttpServerState::listen() {
  const std::string where = settings.host + ":" + std::to_string(settings.port);
  Failed failed;
  const std::string host = settings.host == "localhost" ? "127.0.0.1" : settings.host;
  const asio::ip::address address = asio::ip::make_address(host, failed);
  if (failed) {
    return Error{ErrorCode::invalid_argument,
                 "is not an address of this machine: give an IP address, such as 127.0.0.1", settings.host, 0, 0};
  }
  acceptor.emplace(loops.front()->io);
  const tcp::endpoint endpoint(address, settings.port);
  acceptor->open(endpoint.protocol(), failed);
  if (!failed) {
    acceptor->set_option(tcp::acceptor::reuse_address(true), failed);
  }
  if (!failed) {
    acceptor->bind(endpoint, failed);
  }
  if (!failed) {
    acceptor->listen(4'096, failed);
  }
  if (!failed) {
    acceptor->non_blocking(true, failed);
  }
  if (failed) {
    const bool taken = failed == asio::error::address_in_use;
    return Error{ErrorCode::unavailable,
                 taken ? "is in use by another program; choose another port with --proxy or `listen` in plumb.yaml"
                       : "cannot be listened on: " + failed.message(),
                 where, 0, 0};
  }
  port_ = acceptor->local_endpoint(failed).port();
  return std::nullopt;
}

void HttpServerState::accept_more() {
  acceptor->async_accept([this](const Failed& failed, tcp::socket socket) {
    if (stopped || failed == asio::error::operation_aborted) {
      return;
    }
    if (failed) {
      // No more files, most likely: a little later there may be some again.
      retry->expires_after(sweep_every);
      retry->async_wait([this](const Failed& ended) {
        if (!ended && !stopped) {
          accept_more();
        }
      });
      return;
    }
    on_accepted(std::move(socket));
    // One a turn of the loop would let those that come at the same moment wait for the calls of those before.
    Failed none;
    for (int i = 1; i < accepted_at_once && !none; ++i) {
      tcp::socket another(loops.front()->io);
      acceptor->accept(another, none);
      if (!none) {
        on_accepted(std::move(another));
      }
    }
    accept_more();
  });
}

void HttpServerState::on_accepted(tcp::socket socket) {
  ++accepted;
  std::uint64_t open = 0;
  for (const auto& loop : loops) {
    open += loop->connections;
  }
  Failed ignored;
  const tcp::endpoint peer = socket.remote_endpoint(ignored);
  if (ignored) {
    return;
  }
  std::string from = peer.address().to_string();
  const bool too_many = open >= settings.connections_max;
  if (too_many || !addresses.add(from, settings.connections_each_max)) {
    ++refused;
    turn_away(socket,
              too_many ? "there are too many connections; try again later"
                       : "this address has too many connections open; close some",
              from);
    return;
  }
  LoopState* loop = loops[next++ % loops.size()].get();
  const int handle = socket.release(ignored);
  if (ignored) {
    addresses.remove(from);
  } else if (loop == loops.front().get()) {
    loop->adopt(handle, std::move(from));
  } else {
    asio::post(loop->io, [loop, handle, from = std::move(from)]() mutable { loop->adopt(handle, std::move(from)); });
  }
}

void HttpServerState::turn_away(tcp::socket& socket, std::string_view why, const std::string& from) {
  std::string answer;
  const Handler::Problem problem = loops.front()->handler->problem(503, why, from);
  append_head(answer, 503, problem.fields + "retry-after: 1\r\n", Framing::length, problem.body.size(), false, false);
  answer += problem.body;
  (void)::send(socket.native_handle(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  Failed ignored;
  socket.close(ignored);
}

void HttpServerState::serve(const MakeHandler& make_handler) {
  for (const auto& loop : loops) {
    loop->handler = make_handler(*loop);
    loop->now_ms = ms_now();
    loop->code_rest_at = loop->now_ms + rest_ms;
    loop->work.emplace(asio::make_work_guard(loop->io));
    loop->sweep_later();
  }
  retry.emplace(loops.front()->io);
  accept_more();
  for (const auto& loop : loops) {
    loop->thread = std::thread([state = loop.get()] {
      while (!state->io.stopped()) {
        state->io.run();
      }
    });
  }
}

void HttpServerState::stop(std::uint64_t grace_ms) {
  if (stopped.exchange(true) || !loops.front()->thread.joinable()) {
    return;
  }
  asio::post(loops.front()->io, [this] {
    Failed ignored;
    acceptor->close(ignored);
    retry->cancel();
  });
  for (const auto& loop : loops) {
    asio::post(loop->io, [state = loop.get(), grace_ms] { state->stop(grace_ms); });
  }
  for (const auto& loop : loops) {
    loop->thread.join();
  }
}

HttpServerCounts HttpServerState::counts() const {
  HttpServerCounts all;
  all.accepted = accepted;
  all.refused = refused;
  for (const auto& loop : loops) {
    all.connections += loop->connections;
    all.requests += loop->requests;
    all.refused_requests += loop->refused_requests;
    all.answering += loop->answering;
  }
  return all;
}

}  // namespace

void Client::answer(int status, std::string_view fields, std::string_view body) {
  begin(status, fields, body.size());
  write(body);
  end();
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpServerSettings& settings,
                                                     const MakeHandler& make_handler) {
  auto server = std::make_unique<HttpServerState>(settings);
  const std::size_t count =
      settings.loops != 0 ? settings.loops : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < count; ++i) {
    server->loops.push_back(std::make_unique<LoopState>(server->settings, server->addresses, i));
  }
  if (std::optional<Error> failed = server->listen()) {
    return *failed;
  }
  server->serve(make_handler);
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace plumb::proxy
