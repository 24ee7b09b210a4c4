#include "native/proxy/data_port.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "native/base/random_seed.hpp"
#include "native/proxy/router.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t workers_count = 2;

// Each call is a connection to its client and one to its provider; most systems begin with a bound of 1,024.
void raise_file_limit(std::size_t connections_max) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return;
  }
  const rlim_t wanted = 2 * static_cast<rlim_t>(connections_max) + 256;
  if (limit.rlim_cur >= wanted) {
    return;
  }
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min<rlim_t>(wanted, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Calls are many blocks of some kilobytes, made and freed by one thread each. Without this the C library joins its
// small free blocks again at each larger one, and gives every one of the control port's threads a heap of its own.
// Large blocks (bodies, whole answers) are mapped one by one, always: left to itself the library takes the size of the
// largest one that was freed as a reason to keep such blocks within its heaps, where they stay the process's.
void set_memory() {
#ifdef __GLIBC__
  constexpr int mapped_from_bytes = 256 << 10;
  constexpr int kept_free_bytes = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, mapped_from_bytes);
  ::mallopt(M_TRIM_THRESHOLD, kept_free_bytes);
  ::mallopt(M_MXFAST, 0);
  ::mallopt(M_ARENA_MAX, 8);
#endif
}

HttpServerSettings server_settings(const Settings& settings) {
  HttpServerSettings server;
  server.host = settings.host;
  server.port = settings.port;
  server.loops = settings.threads;
  const Bounds& bounds = settings.bounds;
  server.connections_max = bounds.connections_max;
  server.connections_each_max = bounds.connections_each_max;
  server.body_bytes_max = bounds.body_bytes_max;
  server.head_ms = bounds.head_ms;
  server.body_ms = bounds.body_ms;
  server.idle_ms = bounds.client_idle_ms;
  server.untaken_ms = bounds.client_idle_ms;
  server.upstream.exchanges_max = bounds.connections_max;
  server.upstream.idle_connections_max = 2'048;
  return server;
}

class DataPortOf final : public DataPort {
 public:
  explicit DataPortOf(Policy& policy)
      : policy_(policy), workers_(workers_count), services_{policy, work_, shelf_, random_seed()} {}
  ~DataPortOf() override {
    if (server_) {
      server_->stop(0);
    }
    workers_.stop();
    server_.reset();
  }

  std::optional<Error> listen() {
    const std::shared_ptr<const Settings> settings = policy_.settings();
    // The access of the control port has a token on foreign addresses; here client keys take its place.
    const Result<control::Access> access = control::Access::make("127.0.0.1", "");
    if (!access) {
      return access.error();
    }
    set_memory();
    raise_file_limit(settings->bounds.connections_max);
    Result<std::unique_ptr<HttpServer>> server =
        HttpServer::open(server_settings(*settings), [&](Loop& loop) -> std::unique_ptr<Handler> {
          return std::make_unique<Router>(services_, loop, access.value(), random_seed());
        });
    if (!server) {
      return server.error();
    }
    server_ = std::move(server).value();
    return std::nullopt;
  }

  std::uint16_t port() const override { return server_->port(); }
  void stop() override { stop(policy_.settings()->bounds.grace_ms); }
  void stop(std::uint64_t grace_ms) override { server_->stop(grace_ms); }
  HttpServerCounts counts() const override { return server_->counts(); }

 private:
  Policy& policy_;
  host::Workers workers_;
  FairWork work_{workers_};
  provider::ContractShelf shelf_;
  PortServices services_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

Result<std::unique_ptr<DataPort>> DataPort::open(Policy& policy) {
  auto port = std::make_unique<DataPortOf>(policy);
  if (std::optional<Error> failed = port->listen()) {
    return *failed;
  }
  return std::unique_ptr<DataPort>(std::move(port));
}

}  // namespace plumb::proxy
