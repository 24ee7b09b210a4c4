#include "native/control/server.hpp"

#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "native/control/check_request.hpp"
#include "native/control/web_files.hpp"
#include "native/host/isolated_call.hpp"

namespace plumb::control {

namespace {

constexpr std::size_t pool_threads = 64;
constexpr std::size_t waiting_max = 256;  // accepted connections that no thread has taken yet
constexpr int listen_backlog = 128;
constexpr time_t read_timeout_s = 10;
constexpr time_t write_timeout_s = 10;

// cpp-httplib's own pool takes any number of connections into its list; here the accepting thread waits instead, and
// the kernel's backlog after it.
class BoundedPool : public httplib::TaskQueue {
 public:
  BoundedPool() {
    threads_.reserve(pool_threads);
    for (std::size_t i = 0; i < pool_threads; ++i)
      threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> task) override {
    std::unique_lock<std::mutex> lock(mutex_);
    room_.wait(lock, [this] { return tasks_.size() < waiting_max || ending_; });
    tasks_.push_back(std::move(task));
    some_.notify_one();
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    some_.notify_all();
    room_.notify_all();
    for (std::thread& thread : threads_)
      thread.join();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        some_.wait(lock, [this] { return !tasks_.empty() || ending_; });
        if (tasks_.empty())
          return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
        room_.notify_one();
      }
      task();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable some_;
  std::condition_variable room_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
};

// httplib makes its listening socket with a backlog of 5; the descriptor is ours to correct.
class ListeningServer : public httplib::Server {
 public:
  void widen_backlog() { ::listen(svr_sock_, listen_backlog); }
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// "localhost:8787" -> "localhost"; "[::1]:8787" -> "::1".
std::string host_name(const std::string& host) {
  if (!host.empty() && host.front() == '[') {
    const std::size_t end = host.find(']');
    return end == std::string::npos ? "" : lower(host.substr(1, end - 1));
  }
  return lower(host.substr(0, host.find(':')));
}

bool is_loopback_name(const std::string& name) { return name == "127.0.0.1" || name == "localhost" || name == "::1"; }
bool is_any_address(const std::string& name) { return name == "0.0.0.0" || name == "::"; }

class HttpServer final : public plumb::control::Server {
 public:
  explicit HttpServer(const ServerSettings& settings) : settings_(settings) {
    if (!settings.web.empty())
      files_ = WebFiles::open(settings.web);
    std::uint64_t seed = 0;
    if (::getrandom(&seed, sizeof seed, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof seed))
      hash_seed_ = seed;
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
    if (stopped_.exchange(true))
      return;
    // Between bind and run httplib would not hear it.
    for (int i = 0; i < 1000 && !server_.is_running(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    server_.stop();
  }

 private:
  void configure() {
    server_.new_task_queue = [] { return new BoundedPool; };
    server_.set_keep_alive_max_count(1);
    server_.set_tcp_nodelay(true);
    server_.set_read_timeout(read_timeout_s);
    server_.set_write_timeout(write_timeout_s);
    server_.set_payload_max_length(settings_.body_bytes_max);
    // Two servers must not share a port, as httplib's default (SO_REUSEPORT) lets them.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return route(request, response) ? httplib::Server::HandlerResponse::Handled
                                      : httplib::Server::HandlerResponse::Unhandled;
    });
    server_.Post("/v1/check", [this](const httplib::Request& request, httplib::Response& response,
                                     const httplib::ContentReader& reader) { check(request, response, reader); });
    // What httplib refuses by itself (a bad request line, a body announced as too large).
    server_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) {
        error(response, response.status, "refused", "The request was refused as it was sent.");
      }
    });
    server_.set_exception_handler(
        [](const httplib::Request& request, httplib::Response& response, std::exception_ptr thrown) {
          std::string why = "unknown";
          try {
            std::rethrow_exception(thrown);
          } catch (const std::exception& caught) {
            why = caught.what();
          } catch (...) {
          }
          spdlog::error("{} {}: {}", request.method, request.path, why);
          error(response, 500, "internal", "The server met an error of its own.");
        });
    server_.set_logger([](const httplib::Request& request, const httplib::Response& response) {
      // As a JSON object where the log is JSON lines; see serve_command.cpp.
      spdlog::info("{} {} {} {}", request.method, request.path, response.status, response.body.size());
    });
  }

  static void secure(httplib::Response& response) {
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cross-Origin-Opener-Policy", "same-origin");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("X-Frame-Options", "DENY");
    // Styles: the editor in the page writes its own style elements.
    response.set_header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  }

  static void json(httplib::Response& response, int status, const std::string& body) {
    secure(response);
    response.status = status;
    response.set_header("Cache-Control", "no-store");
    response.set_content(body, "application/json");
  }

  static void error(httplib::Response& response, int status, std::string_view code, std::string_view message) {
    json(response, status, error_json(code, message));
  }

  static void not_allowed(httplib::Response& response, const char* allowed) {
    error(response, 405, "method_not_allowed", std::string("This address takes ") + allowed + ".");
    response.set_header("Allow", allowed);
  }

  bool is_our_host(const std::string& host) const {
    const std::string name = host_name(host);
    if (is_any_address(settings_.host))
      return true;
    return is_loopback_name(name) || name == lower(settings_.host);
  }

  // A page of another site must not talk to this machine, even where it cannot read the answer.
  bool is_our_origin(const httplib::Request& request) const {
    if (!request.has_header("Origin"))
      return true;
    const std::string origin = lower(request.get_header_value("Origin"));
    const std::size_t scheme = origin.find("://");
    return scheme != std::string::npos && origin.substr(scheme + 3) == lower(request.get_header_value("Host"));
  }

  // httplib would read all of a body that is announced as too large, to throw it away.
  bool announces_too_much(const httplib::Request& request) const {
    const std::string length = request.get_header_value("Content-Length");
    std::uint64_t bytes = 0;
    if (length.empty())
      return false;
    const auto [end, failed] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    return failed != std::errc() || end != length.data() + length.size() || bytes > settings_.body_bytes_max;
  }

  void too_large_body(httplib::Response& response) const {
    error(response, 413, "limit",
          "The body has more than " + std::to_string(settings_.body_bytes_max) + " bytes; see plumb serve --max-body.");
  }

  // True when the request is answered. Only POST /v1/check goes on to where bodies are read.
  bool route(const httplib::Request& request, httplib::Response& response) {
    if (request.get_header_value_count("Host") != 1 || !is_our_host(request.get_header_value("Host"))) {
      error(response, 421, "wrong_host", "This server answers for this machine only; see plumb serve --host.");
      return true;
    }
    if (!is_our_origin(request)) {
      error(response, 403, "foreign_origin", "Requests from pages of other origins are refused.");
      return true;
    }
    // Many ranges of one file would multiply it in memory; one range is httplib's business.
    if (request.ranges.size() > 1) {
      error(response, 416, "ranges", "At most one range.");
      return true;
    }
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (request.path == "/v1/check") {
      if (request.method == "POST" && announces_too_much(request)) {
        too_large_body(response);
        return true;
      }
      if (request.method == "POST")
        return false;
      not_allowed(response, "POST");
      return true;
    }
    if (!reads) {
      not_allowed(response, "GET, HEAD");
      return true;
    }
    if (request.path == "/healthz") {
      json(response, 200, R"({"status":"ok"})");
      return true;
    }
    if (request.path == "/version") {
      json(response, 200, nlohmann::json{{"version", settings_.version}}.dump());
      return true;
    }
    page(request, response);
    return true;
  }

  void page(const httplib::Request& request, httplib::Response& response) const {
    std::optional<WebFile> file = files_ ? files_->find(request.path) : std::nullopt;
    if (!file) {
      if (!files_ && request.path == "/") {
        secure(response);
        response.status = 404;
        response.set_content(
            "The page is not built here: ./dev build makes it, or give its folder with --web.\n"
            "POST /v1/check works without it.\n",
            "text/plain; charset=utf-8");
        return;
      }
      error(response, 404, "not_found", "There is nothing at this address.");
      return;
    }
    secure(response);
    response.set_header("Cache-Control", file->immutable ? "public, max-age=31536000, immutable" : "no-cache");
    response.set_header("ETag", file->etag);
    if (request.get_header_value("If-None-Match") == file->etag) {
      response.status = 304;
      return;
    }
    if (request.ranges.empty())
      response.status = 200;
    response.set_content(file->bytes, std::string(file->type));
  }

  void check(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& reader) const {
    // A page of another site can send a form or text/plain without asking; it cannot send JSON.
    const std::string type = lower(request.get_header_value("Content-Type"));
    if (type.substr(0, type.find(';')) != "application/json") {
      error(response, 415, "wrong_type", "The body must be sent as application/json.");
      return;
    }
    // Counted here: httplib bounds neither chunked nor compressed bodies.
    const auto body = std::make_shared<std::string>();
    bool too_large = false;
    const bool read = reader([&](const char* data, std::size_t size) {
      if (body->size() + size > settings_.body_bytes_max) {
        too_large = true;
        return false;
      }
      body->append(data, size);
      return true;
    });
    if (too_large) {
      too_large_body(response);
      return;
    }
    if (!read) {
      error(response, response.status >= 400 ? response.status : 400, "invalid_argument",
            "The body could not be read to its end.");
      return;
    }
    const auto answer = std::make_shared<Answer>();
    const std::uint64_t seed = hash_seed_;
    const host::CallOutcome outcome =
        host::isolated_call([body, answer, seed] { *answer = check_request(*body, seed); });
    if (!outcome.finished) {
      spdlog::error("POST /v1/check: {}", outcome.problem);
      error(response, outcome.out_of_memory ? 503 : 500, "internal",
            outcome.out_of_memory ? "Out of memory; try again later, or with less."
                                  : "The check met an error of its own; the server's log says more.");
      return;
    }
    json(response, answer->status, answer->json);
  }

  ServerSettings settings_;
  std::optional<WebFiles> files_;
  std::uint64_t hash_seed_ = 0;
  ListeningServer server_;
  int port_ = -1;
  std::atomic<bool> stopped_{false};
};

}  // namespace

Result<std::unique_ptr<Server>> Server::bind(const ServerSettings& settings) {
  auto server = std::make_unique<HttpServer>(settings);
  if (std::optional<Error> error = server->bind())
    return *error;
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace plumb::control
