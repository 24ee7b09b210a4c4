#include "native/control/server.hpp"

#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/ascii.hpp"
#include "native/base/log.hpp"
#include "native/control/arrivals.hpp"
#include "native/control/dispatch.hpp"
#include "native/control/request_pool.hpp"
#include "native/control/socket_stream.hpp"
#include "native/control/web_files.hpp"
#include "native/host/contained.hpp"

namespace plumb::control {

namespace {

// Threads for as many event streams as there may be, and 56 for requests.
constexpr std::size_t pool_threads = streams_max + 56;
constexpr int listen_backlog = 128;
constexpr time_t read_timeout_s = 10;
constexpr std::chrono::seconds body_time_max{120};
constexpr std::chrono::seconds stopping_body_time_max{5};
// A body that is not wanted is read up to here and thrown away, so that a client which sends all of it before it
// listens gets its answer; a larger one is cut off.
constexpr std::uint64_t refused_body_max = std::uint64_t{1} << 20;
constexpr std::uint64_t large_body_max = std::uint64_t{256} << 20;
// Of all bodies that are held at once.
constexpr std::uint64_t bodies_bytes_max = std::uint64_t{512} << 20;

// The connection that this thread answers.
thread_local int socket_now = -1;

// cpp-httplib accepts connections and answers requests; in between they are ours (arrivals.hpp): its own reader takes a
// thread for each connection, however slowly a client sends.
class ListeningServer : public httplib::Server {
 public:
  // Before it listens.
  void prepare(const ArrivalSettings& settings) {
    new_task_queue = [this, settings] { return new Places(*this, settings); };
  }
  // httplib makes its listening socket with a backlog of 5; the descriptor is ours to correct.
  void widen_backlog() {
    ::listen(svr_sock_, listen_backlog);
    // A connection that says nothing is not accepted yet.
    const int seconds = static_cast<int>(read_timeout_s);
    ::setsockopt(svr_sock_, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
  }

 private:
  // httplib's accepting thread gives its work here, which does nothing but take the socket.
  class Places final : public httplib::TaskQueue {
   public:
    Places(ListeningServer& server, const ArrivalSettings& settings)
        : server_(server), pool_(pool_threads), arrivals_(settings, [this](Arrival& one) { return serve(one); }) {
      server_.arrivals_ = &arrivals_;
    }
    void enqueue(std::function<void()> task) override { task(); }
    void shutdown() override {
      arrivals_.stop();
      pool_.stop();
    }

   private:
    bool serve(Arrival& one) {
      using Kind = RequestPool::Kind;
      const auto shared = std::make_shared<Arrival>(std::move(one));
      const Kind kind = !shared->complete ? Kind::reads_on : shared->kept ? Kind::kept : Kind::usual;
      if (pool_.give(kind, [&server = server_, shared] { server.answer(*shared); })) {
        return true;
      }
      one = std::move(*shared);
      return false;
    }

    ListeningServer& server_;
    RequestPool pool_;
    Arrivals arrivals_;
  };

  bool process_and_close_socket(socket_t socket) override {
    arrivals_->take(socket);
    return true;
  }

  void answer(Arrival& one) {
    socket_now = one.socket;
    {
      SocketStream stream(one.socket, std::move(one.bytes));
      bool closed = false;
      process_request(stream, true, closed, nullptr);
    }
    socket_now = -1;
    ::shutdown(one.socket, SHUT_RDWR);
    ::close(one.socket);
  }

  Arrivals* arrivals_ = nullptr;
};

class HttpSink final : public Sink {
 public:
  explicit HttpSink(httplib::DataSink& sink) : sink_(sink) {}
  bool write(std::string_view bytes) override { return sink_.write(bytes.data(), bytes.size()); }
  bool listening() override { return sink_.is_writable(); }

 private:
  httplib::DataSink& sink_;
};

// The number of bytes that a request says its body has; nothing where it says none, or sends it in chunks.
std::optional<std::uint64_t> announced_bytes(const httplib::Request& request) {
  const std::string length = request.get_header_value("Content-Length");
  if (length.empty()) {
    return std::nullopt;
  }
  std::uint64_t bytes = 0;
  const auto [end, failed] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  return failed != std::errc() || end != length.data() + length.size() ? UINT64_MAX : bytes;
}

class HttpServer final : public plumb::control::Server {
 public:
  HttpServer(const ServerSettings& settings, const Access& access, Control& control)
      : settings_(settings), access_(access), control_(control) {
    if (!settings.web.empty()) {
      files_ = WebFiles::open(settings.web);
    }
    configure();
  }

  std::optional<Error> bind() {
    errno = 0;
    if (settings_.port == 0) {
      port_ = server_.bind_to_any_port(settings_.host);
    } else {
      port_ = server_.bind_to_port(settings_.host, settings_.port) ? settings_.port : -1;
    }
    if (port_ < 0) {
      const int number = errno;
      const std::string place = settings_.host + ":" + std::to_string(settings_.port);
      std::string why =
          number == EADDRINUSE ? "the port is in use; stop the other program, or choose another with --port"
          : number == EACCES   ? "permission denied; choose a port above 1023 with --port"
          : number == EADDRNOTAVAIL || number == 0 ? "this machine has no such address; choose another with --host"
                                                   : std::generic_category().message(number);
      return Error{ErrorCode::unavailable, "cannot listen: " + why, place, 0, 0};
    }
    server_.widen_backlog();
    return std::nullopt;
  }

  int port() const override { return port_; }
  bool has_page() const override { return files_.has_value(); }
  void run() override { server_.listen_after_bind(); }
  void stop() override {
    if (stopped_.exchange(true)) {
      return;
    }
    // Event streams see this, tell their clients and end.
    control_.serving->stopping = true;
    // Between bind and run httplib would not hear it.
    for (int i = 0; i < 1000 && !server_.is_running(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    server_.stop();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void configure() {
    ArrivalSettings arrivals;
    arrivals.body_bytes_max = settings_.body_bytes_max;
    arrivals.held_bytes_max = bodies_bytes_max;
    arrivals.keeps = [this](std::string_view path, std::string_view authorization) {
      return path == "/healthz" || path == "/readyz" || path == "/metrics" ||
             (access_.wants_token() && access_.allows(authorization));
    };
    arrivals.refused = [this](std::string_view why, const std::string& address) {
      control_.metrics.refused(why);
      log_event(LogLevel::warn, "refused", {{"code", why}, {"client", address}},
                concat("refused ", why, " from ", address));
    };
    server_.prepare(arrivals);
    server_.set_keep_alive_max_count(1);
    server_.set_tcp_nodelay(true);
    server_.set_read_timeout(read_timeout_s);
    // Bodies are counted where they are read: httplib bounds neither chunked nor compressed ones.
    server_.set_payload_max_length(large_body_max);
    // Two servers must not share a port, as httplib's default (SO_REUSEPORT) lets them.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return route(request, response) ? httplib::Server::HandlerResponse::Handled
                                      : httplib::Server::HandlerResponse::Unhandled;
    });
    // httplib matches by std::regex, which must not see what clients send: route() lets nothing through to here but
    // short paths that fit the table.
    server_.Post(".*", [this](const httplib::Request& request, httplib::Response& response,
                              const httplib::ContentReader& reader) { with_body(request, response, reader); });
    // What httplib refuses by itself (a bad request line, a line that is too long).
    server_.set_error_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (!response.body.empty() || response.status < 400) {
        return;
      }
      const int status = response.status;
      Answer answer = refuse(Wrong::bad_request, "The request was refused as it was sent.");
      send(request, response, std::move(answer), "none", Clock::now());
      response.status = status;
    });
    server_.set_exception_handler([this](const httplib::Request& request, httplib::Response& response,
                                         std::exception_ptr thrown) {
      std::string why = "unknown";
      try {
        std::rethrow_exception(std::move(thrown));
      } catch (const std::exception& caught) {
        why = caught.what();
      } catch (...) {
      }
      log_error(request.method, " ", request.path, ": ", why);
      send(request, response, refuse(Wrong::internal, "Internal error; see the server's log."), "none", Clock::now());
    });
    server_.set_logger([](const httplib::Request& request, const httplib::Response& response) {
      // The path only: what follows it, and headers, may hold what is nobody's business.
      const std::string status = std::to_string(response.status);
      const std::string bytes = std::to_string(response.body.size());
      log_event(LogLevel::info, "request",
                {{"method", request.method}, {"path", request.path}, {"status", status}, {"bytes", bytes}},
                concat(request.method, " ", request.path, " ", status, " ", bytes));
    });
  }

  // What the page may call: this server, and the proxy of this process, which has another port of the same host.
  std::string reachable(const httplib::Request& request) const {
    std::string host = request.get_header_value("Host");
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.rfind(':');
    if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
      host.erase(colon);
    }
    const bool named = !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
      return ascii::is_alphanumeric(c) || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
    });
    return control_.proxy.port == 0 || !named ? std::string("'self'")
                                              : "'self' http://" + host + ":" + std::to_string(control_.proxy.port);
  }

  void secure(const httplib::Request& request, httplib::Response& response) const {
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cross-Origin-Opener-Policy", "same-origin");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("X-Frame-Options", "DENY");
    // Styles: the editor in the page writes its own style elements.
    response.set_header("Content-Security-Policy",
                        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
                        "img-src 'self' data: blob:; font-src 'self' data:; connect-src " +
                            reachable(request) +
                            "; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
                            "frame-ancestors 'none'");
  }

  // For pages of --allow-origin.
  void allow_origin(const httplib::Request& request, httplib::Response& response) const {
    const std::string origin = request.get_header_value("Origin");
    if (access_.allows_origin(origin)) {
      response.set_header("Access-Control-Allow-Origin", origin);
      response.set_header("Access-Control-Expose-Headers", "Location, Retry-After, Allow");
      response.set_header("Vary", "Origin");
    }
  }

  // What a browser asks before a page's request. It sends no token.
  bool preflight(const httplib::Request& request, httplib::Response& response, std::string_view allowed) const {
    if (request.method != "OPTIONS" || !request.has_header("Access-Control-Request-Method") ||
        !access_.allows_origin(request.get_header_value("Origin"))) {
      return false;
    }
    allow_origin(request, response);
    response.set_header("Access-Control-Allow-Methods", std::string(allowed));
    response.set_header("Access-Control-Allow-Headers", "authorization, content-type, idempotency-key, last-event-id");
    response.set_header("Access-Control-Max-Age", "600");
    response.status = 204;
    return true;
  }

  // Who is turned away is counted and logged: an operator sees tries at a door.
  void tell_refusal(const httplib::Request& request, const Answer& answer) {
    if (!answer.problem) {
      return;
    }
    const WrongKind& kind = wrong_kinds()[static_cast<std::size_t>(answer.problem->wrong)];
    if (kind.status != 401 && kind.status != 403 && kind.status != 421) {
      return;
    }
    control_.metrics.refused(kind.name);
    const std::string address = concat(request.remote_addr, ":", request.remote_port);
    log_event(LogLevel::warn, "refused",
              {{"code", kind.name}, {"client", address}, {"method", request.method}, {"path", request.path}},
              concat("refused ", kind.name, " from ", address, ": ", request.method, " ", request.path));
  }

  // Writes an answer into httplib's, and counts it under `route`.
  void send(const httplib::Request& request, httplib::Response& response, Answer answer, std::string_view route,
            Clock::time_point began) {
    // Ranges are for files of the page: httplib would cut any body by them.
    const_cast<httplib::Request&>(request).ranges.clear();
    tell_refusal(request, answer);
    write_problem(answer, request.path);
    secure(request, response);
    response.status = answer.status;
    response.set_header("Cache-Control", "no-store");
    allow_origin(request, response);
    for (const auto& [name, value] : answer.headers) {
      response.set_header(name, value);
    }
    if (answer.stream) {
      control_.metrics.stream(route, request.method);
      response.set_chunked_content_provider(
          answer.type, [stream = std::move(answer.stream)](std::size_t /*offset*/, httplib::DataSink& sink) {
            HttpSink out(sink);
            // httplib catches nothing here.
            bool over = false;
            if (const std::optional<std::string> broken = host::contained([&] { over = stream(out); })) {
              log_error("a stream has ended: ", *broken);
              return false;
            }
            if (over) {
              sink.done();
            }
            return over;
          });
      return;
    }
    const std::chrono::duration<double> took = Clock::now() - began;
    control_.metrics.request(route, request.method, answer.status, took.count());
    if (answer.status != 204) {
      response.set_content(answer.body, answer.type);
    }
  }

  Request request_of(const httplib::Request& request, RouteMatch& match,
                     std::shared_ptr<const std::string> body) const {
    Request out;
    out.method = request.method == "HEAD" ? "GET" : request.method;
    out.path = request.path;
    out.values = std::move(match.values);
    out.query.assign(request.params.begin(), request.params.end());
    out.header = [&request](const char* name) { return request.get_header_value(name); };
    out.body = std::move(body);
    out.listening = [socket = socket_now] { return socket < 0 || is_there(socket); };
    return out;
  }

  // True when the request is answered. What goes on has a body that is to be read.
  bool route(const httplib::Request& request, httplib::Response& response) {
    const Clock::time_point began = Clock::now();
    RouteMatch match = find_route(request.method, request.path);
    Request asked = request_of(request, match, std::make_shared<std::string>());
    const std::string_view pattern = match.pattern.empty() ? "page" : match.pattern;
    if (request.get_header_value_count("Host") != 1) {
      send(request, response, refuse(Wrong::wrong_host, "A request has one Host."), pattern, began);
      return true;
    }
    if (std::optional<Answer> refused = refuse_stranger(access_, asked)) {
      send(request, response, std::move(*refused), pattern, began);
      return true;
    }
    // Many ranges of one file would multiply it in memory; one range is httplib's business.
    if (request.ranges.size() > 1) {
      send(request, response, refuse(Wrong::bad_range, "At most one range."), pattern, began);
      return true;
    }
    if (match.pattern.empty()) {
      if (request.method == "GET" || request.method == "HEAD") {
        page(request, response, began);
      } else {
        not_allowed(request, response, "GET, HEAD", pattern, began);
      }
      return true;
    }
    if (match.route == nullptr && preflight(request, response, match.allowed)) {
      return true;
    }
    if (match.route == nullptr) {
      not_allowed(request, response, match.allowed, pattern, began);
      return true;
    }
    const Route& one = *match.route;
    const std::optional<std::uint64_t> announced = announced_bytes(request);
    if (announced.value_or(0) > large_body_max) {
      send(request, response, too_large(), pattern, began);
      return true;
    }
    // A request that announces no body has none; httplib would wait for it.
    if (one.takes != Takes::nothing && (announced.value_or(0) > 0 || request.has_header("Transfer-Encoding"))) {
      return false;
    }
    std::optional<Answer> refused = refuse_early(access_, one, asked);
    send(request, response, refused ? std::move(*refused) : dispatch(control_, one, asked), pattern, began);
    return true;
  }

  void with_body(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& reader) {
    const Clock::time_point began = Clock::now();
    RouteMatch match = find_route(request.method, request.path);
    const auto body = std::make_shared<std::string>();
    Request asked = request_of(request, match, body);
    std::optional<Answer> refused = refuse_early(access_, *match.route, asked);
    const std::uint64_t read_max = refused ? refused_body_max : large_body_max;
    std::uint64_t got = 0;
    bool too_slow = false;
    const bool read = reader([&](const char* data, std::size_t size) {
      got += size;
      const Clock::duration took = Clock::now() - began;
      too_slow = took > body_time_max;
      const bool leaves = control_.serving->stopping && took > stopping_body_time_max;
      if (leaves && !refused) {
        refused = refuse(Wrong::stopping, "The server is being stopped; send it again later.");
      }
      if (got > read_max || too_slow || leaves) {
        return false;
      }
      if (refused || got > settings_.body_bytes_max) {
        return true;
      }
      if (bodies_bytes_.fetch_add(size) + size > bodies_bytes_max) {
        bodies_bytes_ -= size;
        refused = refuse(Wrong::limit, "Too many large requests at once; send it again later.");
        return true;
      }
      body->append(data, size);
      return true;
    });
    if (!refused && got > settings_.body_bytes_max) {
      refused = too_large();
    }
    if (!refused && !read) {
      refused = refuse(Wrong::bad_request,
                       too_slow ? "The body took longer than two minutes." : "The body could not be read to its end.");
    }
    // What httplib thinks of the body is said already.
    response.status = -1;
    const std::uint64_t held = body->size();
    send(request, response, refused ? std::move(*refused) : dispatch(control_, *match.route, asked), match.pattern,
         began);
    bodies_bytes_ -= held;
  }

  Answer too_large() const {
    return refuse(Wrong::too_large, "The body has more than " + std::to_string(settings_.body_bytes_max) +
                                        " bytes. Send less (a chapter instead of the book), or start plumb serve with "
                                        "a larger --max-body.");
  }

  void not_allowed(const httplib::Request& request, httplib::Response& response, const std::string& allowed,
                   std::string_view pattern, Clock::time_point began) {
    Answer answer = refuse(Wrong::method_not_allowed, "This address takes " + allowed + ".");
    answer.headers.emplace_back("Allow", allowed);
    send(request, response, std::move(answer), pattern, began);
  }

  void page(const httplib::Request& request, httplib::Response& response, Clock::time_point began) {
    httplib::Request& asked = const_cast<httplib::Request&>(request);
    std::string accepted;
    for (auto [one, end] = request.headers.equal_range("Accept-Encoding"); one != end; ++one) {
      accepted += (accepted.empty() ? "" : ",") + one->second;
    }
    // httplib would code what it likes, with no weights and one tag for all.
    asked.headers.erase("Accept-Encoding");
    const std::optional<WebFile> file = files_ ? files_->find(request.path, accepted) : std::nullopt;
    if (!file) {
      Answer answer = refuse(Wrong::not_found, "There is nothing at this address.");
      if (!files_ && request.path == "/") {
        answer = {};
        answer.status = 404;
        answer.type = "text/plain; charset=utf-8";
        answer.body =
            "The page is not built here: ./dev build makes it, or give its folder with --web.\n"
            "The routes of /openapi.json work without it.\n";
      }
      send(request, response, std::move(answer), "page", began);
      return;
    }
    secure(request, response);
    response.set_header("Cache-Control", file->immutable ? "public, max-age=31536000, immutable" : "no-cache");
    response.set_header("Vary", "Accept-Encoding");
    response.set_header("ETag", file->etag);
    const bool known = names_tag(request.get_header_value("If-None-Match"), file->etag);
    const std::chrono::duration<double> took = Clock::now() - began;
    control_.metrics.request("page", request.method, known ? 304 : 200, took.count());
    if (known) {
      response.status = 304;
      return;
    }
    if (file->coding != Coding::identity) {
      response.set_header("Content-Encoding", std::string(coding_name(file->coding)));
    }
    // A range is of the bytes as they are sent, and of the very file that the client has a part of.
    const std::string part_of = request.get_header_value("If-Range");
    if (request.method == "HEAD" || (!part_of.empty() && part_of != file->etag)) {
      asked.ranges.clear();
    }
    if (request.ranges.empty()) {
      response.status = 200;
    }
    response.set_header("Accept-Ranges", "bytes");
    response.set_content(file->bytes, std::string(file->type));
  }

  ServerSettings settings_;
  const Access& access_;
  Control& control_;
  std::optional<WebFiles> files_;
  ListeningServer server_;
  int port_ = -1;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> bodies_bytes_{0};
};

}  // namespace

Result<std::unique_ptr<Server>> Server::bind(const ServerSettings& settings, const Access& access, Control& control) {
  auto server = std::make_unique<HttpServer>(settings, access, control);
  if (std::optional<Error> error = server->bind()) {
    return *error;
  }
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace plumb::control
