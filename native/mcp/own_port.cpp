// Our own tools over HTTP: one answer to each request, made by a worker.
#include <utility>

#include "native/mcp/http_port.hpp"
#include "native/mcp/http_serving.hpp"

namespace plumb::mcp {

namespace {

class OwnExchange final : public proxy::Answering, public std::enable_shared_from_this<OwnExchange> {
 public:
  OwnExchange(proxy::Loop& loop, proxy::Client& client, const OwnServer& server)
      : loop_(loop), client_(client), server_(server) {}

  void gone(proxy::Gone) override { gone_ = true; }

  void begin(host::Workers& workers, proxy::HttpRequest& request) {
    revision_ = request.field("mcp-protocol-version");
    method_ = request.field("mcp-method");
    name_ = request.field("mcp-name");
    body_ = std::move(request.body);
    workers.give([self = shared_from_this()] {
      const HttpSaid said{self->revision_, self->method_, self->name_};
      self->reply_ = self->server_.handle(self->body_, &said);
      self->loop_.upstream().post([self] { self->finish(); });
    });
  }

 private:
  void finish() {
    if (!gone_) {
      client_.answer(reply_.status, reply_.body.empty() ? std::string_view() : json_type, reply_.body);
    }
    gone_ = true;
  }

  proxy::Loop& loop_;
  proxy::Client& client_;
  const OwnServer& server_;
  std::string revision_, method_, name_, body_;
  Reply reply_;
  bool gone_ = false;
};

class OwnPort final : public proxy::Handler {
 public:
  OwnPort(proxy::Loop& loop, host::Workers& workers, control::Access access, const ToolSetting& setting)
      : loop_(loop), workers_(workers), access_(std::move(access)), server_(setting) {}

  std::shared_ptr<proxy::Answering> handle(proxy::HttpRequest& request, proxy::Client& client) override {
    if (!may_ask(access_, request, client)) {
      return nullptr;
    }
    if (request.target.substr(0, request.target.find('?')) != "/mcp") {
      client.answer(404, json_type, error_message({}, invalid_request, "there is only /mcp here"));
      return nullptr;
    }
    if (request.method != "POST") {  // no session, and no stream that begins with the server
      client.answer(405, "allow: POST\r\ncontent-type: application/json\r\n",
                    error_message({}, invalid_request, "only POST is taken"));
      return nullptr;
    }
    auto exchange = std::make_shared<OwnExchange>(loop_, client, server_);
    exchange->begin(workers_, request);
    return exchange;
  }

  Problem problem(int, std::string_view message, const std::string&) override {
    return {std::string(json_type), error_message({}, invalid_request, message)};
  }

 private:
  proxy::Loop& loop_;
  host::Workers& workers_;
  control::Access access_;
  OwnServer server_;
};

}  // namespace

Result<std::unique_ptr<proxy::HttpServer>> open_own_port(std::uint16_t port, const ToolSetting& setting) {
  const Result<control::Access> access = control::Access::make("127.0.0.1", "");
  if (!access) {
    return access.error();
  }
  return ServingPort::open(port, [&](proxy::Loop& loop, host::Workers& workers) -> std::unique_ptr<proxy::Handler> {
    return std::make_unique<OwnPort>(loop, workers, access.value(), setting);
  });
}

}  // namespace plumb::mcp
