// What both ports of http_port.hpp share: who may ask, the workers that judge beside the loop, and their end. Private
// to native/mcp.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "native/control/access.hpp"
#include "native/host/workers.hpp"
#include "native/mcp/front.hpp"
#include "native/provider/endpoint.hpp"
#include "native/proxy/http_server.hpp"

namespace plumb::mcp {

inline constexpr std::string_view json_type = "content-type: application/json\r\n";

// Answers itself, with 403, who may not ask.
inline bool may_ask(const control::Access& access, const proxy::HttpRequest& request, proxy::Client& client) {
  const std::string_view host = request.field("host");
  if (access.is_our_host(host) && control::Access::is_our_origin(request.field("origin"), host)) {
    return true;
  }
  client.answer(403, json_type,
                error_message({}, invalid_request, "this is for another Host, or from a page of another origin"));
  return false;
}

// Requests to a server and their answers, with a Front between; whoever hands them in has seen to who may.
// front_port.cpp
std::unique_ptr<proxy::Handler> make_relay(proxy::Loop& loop, host::Workers& workers, const provider::BaseUrl& url,
                                           const FrontSettings& settings, const Tell& tell, std::uint64_t seed);

// A server with workers, in the order in which they have to end.
class ServingPort final : public proxy::HttpServer {
 public:
  using MakeHandler = std::function<std::unique_ptr<proxy::Handler>(proxy::Loop&, host::Workers&)>;

  static Result<std::unique_ptr<proxy::HttpServer>> open(std::uint16_t port, const MakeHandler& make) {
    proxy::HttpServerSettings settings;
    settings.host = "127.0.0.1";
    settings.port = port;
    settings.loops = 1;
    settings.connections_max = 1'000;
    settings.connections_each_max = 0;
    settings.body_bytes_max = message_bytes_max;
    auto serving = std::make_unique<ServingPort>();
    Result<std::unique_ptr<proxy::HttpServer>> server =
        proxy::HttpServer::open(settings, [&](proxy::Loop& loop) { return make(loop, serving->workers_); });
    if (!server) {
      return server.error();
    }
    serving->server_ = std::move(server).value();
    return std::unique_ptr<proxy::HttpServer>(std::move(serving));
  }
  ~ServingPort() override {
    if (server_) {
      server_->stop(0);
    }
    workers_.stop();
    server_.reset();
  }

  std::uint16_t port() const override { return server_->port(); }
  void stop(std::uint64_t grace_ms) override { server_->stop(grace_ms); }
  proxy::HttpServerCounts counts() const override { return server_->counts(); }

 private:
  host::Workers workers_{2};
  std::unique_ptr<proxy::HttpServer> server_;
};

}  // namespace plumb::mcp
