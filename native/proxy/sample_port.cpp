#include "native/proxy/sample_port.hpp"

#include <array>
#include <optional>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/stranger/manner.hpp"
#include "core/wire/reply_writer.hpp"
#include "native/control/access.hpp"
#include "native/provider/sample_exchanges.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view json_type = "content-type: application/json\r\n";
constexpr std::array<std::string_view, 8> example_models = {
    "obedient", "obedient-smallest", "obedient-largest", "sloppy", "lazy", "slow", "refusing", "down"};

// An answer on its way to its client, in its own time.
class Playing final : public Answering {
 public:
  Playing(Loop& loop, Client& client, stranger::Answered answered)
      : loop_(loop), client_(client), answered_(std::move(answered)), since_ms_(loop.now().steady_ms()) {}

  void gone(Gone) override { over_ = true; }
  void has_room() override { go_on(); }
  void tick(std::uint64_t) override { go_on(); }
  bool over() const { return over_; }

  void go_on() {
    const std::uint64_t now_ms = loop_.now().steady_ms();
    while (!over_ && next_ < answered_.pieces.size()) {
      const stranger::Piece& piece = answered_.pieces[next_];
      if (now_ms < since_ms_ + piece.after_ms) {
        return;
      }
      since_ms_ = piece.after_ms == 0 ? since_ms_ : now_ms;
      if (!client_.begun()) {
        begin();
      }
      ++next_;
      if (!client_.write(piece.bytes) && next_ < answered_.pieces.size()) {
        return;
      }
    }
    if (over_ || (next_ < answered_.pieces.size())) {
      return;
    }
    over_ = true;
    answered_.whole ? client_.end() : client_.cut();
  }

 private:
  void begin() {
    std::string fields = "content-type: " + answered_.content_type + "\r\naccess-control-allow-origin: *\r\n";
    for (const auto& [name, value] : answered_.fields) {
      fields.append(name).append(": ").append(value).append("\r\n");
    }
    if (answered_.refusal != nullptr) {
      fields += "x-sample-refusal: " + std::string(answered_.refusal->id) + "\r\n";
    }
    client_.begin(answered_.status, fields, Client::unknown);
  }

  Loop& loop_;
  Client& client_;
  stranger::Answered answered_;
  std::uint64_t since_ms_;
  std::size_t next_ = 0;
  bool over_ = false;
};

class SamplePort final : public Handler {
 public:
  SamplePort(provider::SampleParty& party, Loop& loop, control::Access access)
      : party_(party), loop_(loop), access_(std::move(access)) {}

  std::shared_ptr<Answering> handle(HttpRequest& request, Client& client) override {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    if (!access_.is_our_host(request.field("host"))) {
      refuse(client, 403, "the request is for another Host than this machine; call http://127.0.0.1");
      return nullptr;
    }
    if (request.method == "OPTIONS") {
      client.answer(204,
                    "access-control-allow-origin: *\r\naccess-control-allow-methods: GET, POST\r\n"
                    "access-control-allow-headers: " +
                        std::string(allowed_fields(request)) + "\r\naccess-control-max-age: 600\r\n",
                    "");
      return nullptr;
    }
    const std::optional<wire::Wire> wire = provider::sample_wire(path);
    if (wire && request.method == "POST") {
      return answer(*wire, request, client);
    }
    if (request.method == "GET" || request.method == "HEAD") {
      if (const std::string body = listed(path, !request.field("anthropic-version").empty()); !body.empty()) {
        client.answer(200, std::string(json_type) + "access-control-allow-origin: *\r\n", body);
        return nullptr;
      }
    }
    refuse(client, wire ? 405 : 404,
           "there is nothing at this path; there are POST /v1/chat/completions, POST /v1/messages, POST /api/chat, GET "
           "/v1/models, GET /api/tags and GET /healthz");
    return nullptr;
  }

  Problem problem(int status, std::string_view message, const std::string& /*address*/) override {
    return {"content-type: application/json\r\n", failure_text(status, message)};
  }

 private:
  // Names of fields only: what is said back must not break a line.
  static std::string_view allowed_fields(const HttpRequest& request) {
    const std::string_view wanted = request.field("access-control-request-headers");
    for (const char c : wanted) {
      const bool plain = ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == ',' || c == ' ';
      if (!plain) {
        return "authorization, content-type";
      }
    }
    return wanted.empty() ? std::string_view("authorization, content-type") : wanted;
  }

  static std::string failure_text(int status, std::string_view message) {
    std::string text;
    wire::Failure failure = wire::make_failure(wire::FailureClass::bad_request, message);
    failure.status = status;
    wire::append_failure(text, wire::Wire::openai, failure);
    return text;
  }

  static void refuse(Client& client, int status, std::string_view message) {
    client.answer(status, json_type, failure_text(status, message));
  }

  std::shared_ptr<Answering> answer(wire::Wire wire, const HttpRequest& request, Client& client) {
    stranger::Answered answered = party_.answer(wire, request.body);
    if (answered.status == 0) {
      client.cut();
      return nullptr;
    }
    const auto playing = std::make_shared<Playing>(loop_, client, std::move(answered));
    playing->go_on();
    return playing->over() ? nullptr : playing;
  }

  static std::string listed(std::string_view path, bool anthropic) {
    if (path == "/healthz") {
      return R"({"status":"ok"})";
    }
    if (path == "/api/version") {
      return R"({"version":"0.12.0"})";
    }
    std::string body;
    json::Writer json(body);
    if (path != "/v1/models" && path != "/api/tags") {
      return body;
    }
    const bool tags = path == "/api/tags";
    json.begin_object();
    if (!tags && !anthropic) {
      json.member("object", "list");
    }
    json.key(tags ? "models" : "data").begin_array();
    for (const std::string_view name : example_models) {
      json.begin_object();
      if (tags) {
        json.member("name", name).member("model", name);
      } else if (anthropic) {
        json.member("type", "model").member("id", name).member("display_name", name);
      } else {
        json.member("id", name).member("object", "model").member_uint("created", 0).member("owned_by", "sample");
      }
      json.end_object();
    }
    json.end_array();
    if (!tags && anthropic) {
      json.member_boolean("has_more", false);
    }
    json.end_object();
    return body;
  }

  provider::SampleParty& party_;
  Loop& loop_;
  control::Access access_;
};

// The server and the party that its loops share.
class SampleServer final : public HttpServer {
 public:
  explicit SampleServer(control::Access access) : access_(std::move(access)) {}
  ~SampleServer() override {
    if (server_) {
      server_->stop(0);
    }
  }

  std::optional<Error> listen(const HttpServerSettings& settings) {
    Result<std::unique_ptr<HttpServer>> server = HttpServer::open(settings, [this](Loop& loop) {
      return std::unique_ptr<Handler>(std::make_unique<SamplePort>(party_, loop, access_));
    });
    if (!server) {
      return server.error();
    }
    server_ = std::move(server).value();
    return std::nullopt;
  }

  std::uint16_t port() const override { return server_->port(); }
  void stop(std::uint64_t grace_ms) override { server_->stop(grace_ms); }
  HttpServerCounts counts() const override { return server_->counts(); }

 private:
  control::Access access_;
  provider::SampleParty party_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> open_sample_port(const HttpServerSettings& settings) {
  Result<control::Access> access = control::Access::make("127.0.0.1", "");
  if (!access) {
    return access.error();
  }
  auto server = std::make_unique<SampleServer>(std::move(access).value());
  if (std::optional<Error> failed = server->listen(settings)) {
    return *failed;
  }
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace plumb::proxy
