// Transport: HTTP/1.1 exchanges with providers, thousands at once, on one thread of its own.
//
//   Transport transport;
//   ExchangeId id = transport.start(request, limits, {
//       .head = [](const ExchangeHead& head) { ... },                    // once, when status and headers are there
//       .bytes = [](std::string_view piece) { return Flow::go_on; },     // of the body, as they come
//       .end = [](ExchangeOutcome outcome) { ... }});                    // once, last
//   transport.cancel(id);                                                // at any moment: the connection is closed
//
// All callbacks come from the transport's thread, never from inside start() or cancel(); they must not block. start(),
// cancel(), resume(), post() and after() may be called from any thread, from callbacks too. A transport that is made in
// somebody's event loop has no thread: it runs where that loop runs, and only post() may be called from elsewhere. An
// answer is given as it comes, whatever its status; redirects are not followed. Connections are kept for the next
// exchange with the same origin. TLS is verified against the system's certificates (SSL_CERT_FILE and SSL_CERT_DIR are
// heeded) and the host's name.
//
// Bounds: exchanges at once, bytes of head and body, time to connect, to the first byte, between bytes and in all.
// Times are looked at every 100 ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "native/provider/endpoint.hpp"
#include "native/provider/socket_poller.hpp"

namespace plumb::provider {

using ExchangeId = std::uint64_t;  // 0: none
using TimerId = std::uint64_t;     // 0: none

struct ExchangeRequest {
  Origin origin;
  std::string method = "POST";
  std::string target = "/";          // path and query
  std::vector<HeaderField> headers;  // besides host, content-length and connection, which are ours
  std::string lines;                 // more of them, ready to be sent: "name: value\r\n" each, without other line ends
  std::string body;
};

struct ExchangeLimits {
  std::uint64_t connect_ms = 10'000;      // name, connection and TLS together
  std::uint64_t first_byte_ms = 120'000;  // from the end of the request; time for its bytes is added
  std::uint64_t idle_ms = 120'000;        // between bytes of the answer, while it is not paused
  std::uint64_t deadline_ms = 600'000;    // all of it
  std::uint32_t head_bytes_max = 64 << 10;
  std::uint64_t body_bytes_max = std::uint64_t{1} << 30;
};

struct ExchangeHead {
  int status = 0;
  std::vector<HeaderField> headers;  // names in lower case
};

enum class Flow : std::uint8_t {
  go_on,
  pause,  // no more bytes until resume(): for whoever hands them on to somebody slower
  stop,   // nothing more is wanted: the exchange ends as cancelled
};

enum class ExchangeEnd : std::uint8_t {
  complete,     // the answer is whole, as its own framing says
  cut,          // the connection ended before that
  malformed,    // no HTTP
  limit,        // too many bytes, or too many exchanges
  timed_out,    // first byte or the next one
  deadline,     // all of the time is used up
  unreachable,  // no name, no connection, no TLS, or not in time
  cancelled,
};

struct ExchangeOutcome {
  ExchangeEnd end = ExchangeEnd::complete;
  std::string message;  // one sentence without a key in it, where not complete
};

struct ExchangeEvents {
  std::function<void(const ExchangeHead&)> head;
  std::function<Flow(std::string_view)> bytes;
  std::function<void(ExchangeOutcome)> end;
};

// The same as one object, for whoever makes thousands of exchanges a second.
class ExchangeReader {
 public:
  virtual ~ExchangeReader() = default;
  // Whether a connection may be made to this address, which the origin's host stands for.
  virtual bool may_connect(std::string_view /*address*/) { return true; }
  virtual void on_head(const ExchangeHead& head) = 0;
  virtual Flow on_bytes(std::string_view bytes) = 0;
  virtual void on_end(ExchangeOutcome outcome) = 0;
};

struct TransportOptions {
  std::size_t exchanges_max = 10'000;
  std::size_t idle_connections_max = 256;  // in all
  std::uint64_t idle_connection_ms = 30'000;
  // Of the loop that it runs in; none: its own. Whoever gives one calls write_begun() at the end of its rounds.
  SocketPoller* poller = nullptr;
};

// What has happened so far, for tests and metrics.
struct TransportCounts {
  std::uint64_t exchanges = 0;
  std::uint64_t connections = 0;
  std::uint64_t active = 0;
};

struct TransportState;

class Transport {
 public:
  explicit Transport(const TransportOptions& options = {});
  explicit Transport(boost::asio::io_context& loop, const TransportOptions& options = {});
  // Cancels what is under way; its `end` is called before this returns.
  ~Transport();  // NOLINT(bugprone-exception-escape): see there
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  ExchangeId start(ExchangeRequest request, const ExchangeLimits& limits, ExchangeEvents events);
  ExchangeId start_read(ExchangeRequest request, const ExchangeLimits& limits, std::shared_ptr<ExchangeReader> reader);
  void cancel(ExchangeId id);
  void resume(ExchangeId id);

  // Calls `work` on the transport's thread; after() not before `delay_ms` have passed. Not called any more once the
  // transport is being destroyed.
  void post(std::function<void()> work);
  TimerId after(std::uint64_t delay_ms, std::function<void()> work);
  void forget(TimerId timer);
  // Writes the requests that were begun in this round. On the loop's thread.
  void write_begun();
  // Ends everything now, as the destructor does. For a loop that is about to stop.
  void end_all();

  TransportCounts counts() const;

 private:
  std::shared_ptr<TransportState> state_;
};

}  // namespace plumb::provider
