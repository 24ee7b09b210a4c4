// The client side of the data port: HTTP/1.1 over plain TCP, thousands of connections on a few event loops.
//
//   Result<std::unique_ptr<HttpServer>> server = HttpServer::open(settings, [&](Loop& loop) {
//     return std::make_unique<MyHandler>(loop);       // one for each loop, called on that loop's thread only
//   });
//   server.value()->stop(10'000);                     // from any thread; returns when all loops have ended
//
// A handler gets each complete request with its client, and calls begin(), write() any number of times, and end(), at
// once or later. To answer later, it returns an Answering. The loop calls it when the client disconnects, when the
// client has room for more data, and ten times a second for timeouts, always on the loop's thread.
//
// Bounds: number of connections, bytes and time of a head and of a body, bytes that a slow client has not taken, and
// the time in which it takes nothing. A request that is not HTTP, or is ambiguous (two lengths, a length and chunks, a
// bare line feed, a folded header), is refused, and the connection is closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

struct HttpServerSettings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8788;  // 0: a free one
  std::size_t loops = 0;      // 0: one per core
  std::size_t connections_max = 10'000;
  std::size_t connections_each_max = 2'000;  // per address; 0: unlimited
  std::size_t head_bytes_max = std::size_t{32} << 10;
  std::uint64_t body_bytes_max = std::uint64_t{32} << 20;
  std::uint64_t head_ms = 15'000;           // from the first byte of a head to its last
  std::uint64_t body_ms = 30'000;           // for a body; more time is added for its size
  std::uint64_t idle_ms = 75'000;           // between the requests of a connection
  std::uint64_t untaken_ms = 30'000;        // for a client that takes nothing of its answer
  std::size_t untaken_bytes_max = 262'144;  // written but not taken: then write() returns false
  provider::TransportOptions upstream;
};

struct HttpField {
  std::string_view name, value;
};

struct HttpRequest {
  std::string_view method;
  std::string_view target;  // begins with a slash
  std::vector<HttpField> fields;
  std::string body;

  // The value of the first header with this name (in lower case). Empty if the header is absent.
  std::string_view field(std::string_view name) const;
};

enum class Gone : std::uint8_t {
  left,      // it has closed or broken its connection
  stalled,   // it took nothing for too long
  stopping,  // the grace time of stop() is over: data written now is still sent, then everything is closed
};

// Answers a request that was not answered at once.
class Answering {
 public:
  virtual ~Answering() = default;
  // Except for `stopping`, nothing written arrives any more. Only written() is called after it.
  virtual void gone(Gone why) = 0;
  virtual void has_room() {}  // after write() had returned false
  virtual void tick(std::uint64_t /*now_ms*/) {}
  virtual void written() {}
};

// The client of one request.
class Client {
 public:
  // Status and headers ("name: value\r\n" each, without length and connection). `length` is the body's; `unknown`
  // sends chunks. Nothing is sent before the current round of the loop ends.
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  virtual void begin(int status, std::string_view fields, std::uint64_t length) = 0;
  // False: enough for now; has_room() will be called.
  virtual bool write(std::string_view bytes) = 0;
  virtual void end() = 0;
  // The answer is incomplete and must not look complete: what was written is sent, then the connection is closed
  // without an end.
  virtual void cut() = 0;
  void answer(int status, std::string_view fields, std::string_view body);
  virtual bool begun() const = 0;
  virtual std::string address() const = 0;

 protected:
  ~Client() = default;
};

class Handler {
 public:
  virtual ~Handler() = default;
  // The request lives until it is answered or its client is gone. Returns nullptr if it has been answered already.
  virtual std::shared_ptr<Answering> handle(HttpRequest& request, Client& client) = 0;
  // The answer to data that could not be read as a request: header fields and JSON body.
  struct Problem {
    std::string fields, body;
  };
  virtual Problem problem(int status, std::string_view message, const std::string& address) = 0;
};

// One event loop. Its upstream side runs in the same thread.
class Loop {
 public:
  virtual provider::Transport& upstream() = 0;
  // The time; constant within one round.
  virtual TimePoint now() = 0;
  virtual std::size_t index() const = 0;
  // written() is called once the written data is on its way.
  virtual void after_writes(std::shared_ptr<Answering> who) = 0;

 protected:
  ~Loop() = default;
};

struct HttpServerCounts {
  std::uint64_t connections = 0;  // now
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0, requests = 0;  // connections over the limit; requests
  std::uint64_t refused_requests = 0;       // not HTTP, too long, or too slow
  std::uint64_t answering = 0;              // now
};

class HttpServer {
 public:
  using MakeHandler = std::function<std::unique_ptr<Handler>(Loop&)>;

  // Listens and serves. The error says what to do.
  static Result<std::unique_ptr<HttpServer>> open(const HttpServerSettings& settings, const MakeHandler& make_handler);
  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;
  // Accepts nothing more, closes idle connections, and lets the others finish until the grace time is over.
  virtual void stop(std::uint64_t grace_ms) = 0;
  virtual HttpServerCounts counts() const = 0;
};

std::string_view reason_of(int status);

}  // namespace plumb::proxy
