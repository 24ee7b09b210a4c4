// One connection to a provider, with TLS or without, that may serve many exchanges one after another. Internal to the
// sources of the transport.
//
// Asio connects, and reads and writes what goes through TLS. A connection without TLS is taken from it once it is
// there, and polled: `user` is the exchange that is told when it can be read or written.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/provider/endpoint.hpp"
#include "native/provider/socket_poller.hpp"

namespace plumb::provider {

namespace asio = boost::asio;
using asio::ip::tcp;
using Failed = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

inline constexpr std::size_t read_bytes = 64 << 10;  // at once; through TLS a quarter of it

struct Exchange;

struct Connection final : PolledSocket {
  explicit Connection(asio::io_context& io) : socket(io) {}
  ~Connection() override { close(); }

  bool poll_plain(SocketPoller& poller) {
    Failed failed;
    plain = socket.release(failed);
    return !failed && watch(poller, plain);
  }
  void close() {
    forget();
    if (plain >= 0) {
      ::close(std::exchange(plain, -1));
    }
    Failed ignored;
    socket.close(ignored);
  }
  // The other side has neither closed it nor sent anything that nobody asked for.
  bool is_quiet() {
    if (is_watched()) {
      return !has_ended() && !disturbed;
    }
    char byte = 0;
    const ssize_t got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  void on_readable() override;
  void on_writable() override;

  tcp::socket socket;
  int plain = -1;            // where it is polled
  Exchange* user = nullptr;  // of a polled one
  bool disturbed = false;    // something came that nobody asked for
  std::optional<asio::ssl::stream<tcp::socket&>> tls;
  std::vector<char> decrypted;  // where TLS reads to
  std::string rest;             // what has come and the parser could not use yet
  Origin origin;
  Clock::time_point idle_since;
};

}  // namespace plumb::provider
