// All but reading standard input happens on the transport's thread.
#include "native/mcp/stdio_bridge.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <deque>
#include <list>
#include <utility>

#include "core/json/writer.hpp"
#include "native/mcp/http_serving.hpp"
#include "native/mcp/line_input.hpp"
#include "native/mcp/own_server.hpp"
#include "native/mcp/sse_events.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::mcp {

namespace {

constexpr std::uint64_t tick_ms = 100;
constexpr std::uint64_t reopen_ms = 1'000;
constexpr std::uint64_t end_ms_max = 5'000;  // for what is under way when the client has closed
constexpr std::size_t open_max = 1'000;

class BridgeLoop final : public proxy::Loop {
 public:
  provider::Transport& upstream() override { return transport_; }
  proxy::TimePoint now() override { return proxy::moment_now(); }
  std::size_t index() const override { return 0; }
  void after_writes(std::shared_ptr<proxy::Answering>) override {}

 private:
  provider::Transport transport_;
};

class Bridge;

// One request over HTTP, and what its answer says to the client.
class Asked final : public proxy::Client {
 public:
  enum class Kind : std::uint8_t { request, notification, stream, end };

  Asked(Bridge& bridge, Kind kind, std::string text) : bridge_(bridge), kind_(kind), text_(std::move(text)) {}

  void send(proxy::Handler& handler, std::string_view path, const std::vector<provider::HeaderField>& fields);

  void begin(int status, std::string_view fields, std::uint64_t length) override;
  bool write(std::string_view bytes) override;
  void end() override;
  void cut() override { end(); }
  bool begun() const override { return begun_; }
  std::string address() const override { return "standard input"; }

  Kind kind() const { return kind_; }
  bool done() const { return done_; }
  int status() const { return status_; }
  const std::string& last_id() const { return last_id_; }
  const std::shared_ptr<proxy::Answering>& answering() const { return answering_; }

 private:
  void message(std::string_view text);
  void fail(const std::string& why);

  Bridge& bridge_;
  Kind kind_;
  std::string text_;
  std::string id_;  // as written in the request; empty: none
  std::string method_;
  std::vector<std::string> values_;  // that the fields of the request are views of
  std::shared_ptr<proxy::Answering> answering_;
  bool begun_ = false, streams_ = false, answered_ = false, done_ = false;
  int status_ = 0;
  std::string whole_, last_id_;
  SseEvents events_;
};

class Bridge {
 public:
  Bridge(const provider::BaseUrl& url, std::vector<provider::HeaderField> fields, const FrontSettings& settings,
         const Tell& tell, std::uint64_t seed, int stop)
      : fields_(std::move(fields)), path_(url.path.empty() ? "/" : url.path), stop_(stop) {
    handler_ = make_relay(loop_, workers_, url, settings, tell, seed);
    loop_.upstream().post([this] { tick(); });
  }
  ~Bridge() {
    loop_.upstream().end_all();
    workers_.stop();
  }
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  std::optional<Error> run() {
    LineInput input(STDIN_FILENO);
    for (bool open = true; open;) {
      pollfd watched[2] = {{count_ < open_max ? STDIN_FILENO : -1, POLLIN, 0}, {stop_, POLLIN, 0}};
      if (::poll(watched, 2, static_cast<int>(tick_ms)) < 0 && errno != EINTR) {
        return Error{ErrorCode::unavailable, "the client cannot be waited for", "", 0, 0};
      }
      if (watched[1].revents != 0 || client_gone_) {
        break;
      }
      if (watched[0].revents == 0) {
        continue;
      }
      const LineInput::Got got = input.read();
      if (got == LineInput::Got::too_long) {
        return Error{ErrorCode::limit, "a message of the client has more than 64 MB", "standard input", 0, 0};
      }
      for (std::string line; input.take(line);) {
        ++count_;
        loop_.upstream().post([this, line] {
          waiting_.push_back(line);
          go_on();
        });
      }
      open = got != LineInput::Got::end;
    }
    loop_.upstream().post([this] { closing_ = true; });
    for (std::uint64_t waited = 0; waited < end_ms_max && !over_; waited += tick_ms) {
      ::usleep(tick_ms * 1'000);
    }
    return std::nullopt;
  }

  // Of Asked, on the transport's thread.
  void to_client(std::string_view text) {
    std::string line(text);  // line breaks are between tokens only
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    client_gone_ = client_gone_ || !write_line(STDOUT_FILENO, line, stop_);
  }
  void take_session(std::string_view id) { session_ = id; }
  void take_revision(std::string_view revision) { revision_ = revision; }
  const std::string& session() const { return session_; }
  const std::string& revision() const { return revision_; }

 private:
  void start(Asked::Kind kind, std::string text, const std::string& last_id = {}) {
    std::vector<provider::HeaderField> fields = fields_;
    if (!last_id.empty()) {
      fields.push_back({"last-event-id", last_id});
    }
    open_.emplace_back(*this, kind, std::move(text));
    open_.back().send(*handler_, path_, fields);
  }

  // A message goes when the notifications before it have been taken: their order counts.
  void go_on() {
    while (!waiting_.empty() && std::none_of(open_.begin(), open_.end(), [](const Asked& one) {
      return one.kind() == Asked::Kind::notification && !one.done();
    })) {
      std::string text = std::move(waiting_.front());
      waiting_.pop_front();
      json::Arena arena;
      const Result<Message> read = read_message(text, arena);
      const bool request = read && read.value().kind == MessageKind::request;
      if (read && read.value().method == "notifications/initialized") {
        reopen_at_ms_ = loop_.now().steady_ms() + 1;
      }
      start(request ? Asked::Kind::request : Asked::Kind::notification, std::move(text));
    }
  }

  void tick() {
    const std::uint64_t now = loop_.now().steady_ms();
    for (Asked& one : open_) {
      if (!one.done() && one.answering()) {
        one.answering()->tick(now);
      }
    }
    for (auto one = open_.begin(); one != open_.end();) {
      if (!one->done()) {
        ++one;
        continue;
      }
      if (one->kind() == Asked::Kind::stream) {
        last_id_ = one->last_id().empty() ? last_id_ : one->last_id();
        reopen_at_ms_ = one->status() == 200 ? now + reopen_ms : 0;
      } else if (one->kind() != Asked::Kind::end) {
        --count_;
      }
      one = open_.erase(one);
    }
    go_on();
    const bool stream =
        std::any_of(open_.begin(), open_.end(), [](const Asked& one) { return one.kind() == Asked::Kind::stream; });
    const std::size_t under_way = open_.size() - (stream ? 1 : 0);
    if (closing_ && under_way == 0 && waiting_.empty()) {
      // The session is given back; whether the server wants that is its own matter.
      if (session_.empty() || std::exchange(ending_, true)) {
        over_ = true;
      } else {
        start(Asked::Kind::end, {});
      }
    } else if (!closing_ && !stream && !session_.empty() && reopen_at_ms_ != 0 && now >= reopen_at_ms_) {
      reopen_at_ms_ = 0;
      start(Asked::Kind::stream, {}, last_id_);
    }
    loop_.upstream().after(tick_ms, [this] { tick(); });
  }

  const std::vector<provider::HeaderField> fields_;
  const std::string path_;
  const int stop_;
  host::Workers workers_{2};
  std::deque<std::string> waiting_;
  std::list<Asked> open_;
  std::string session_, revision_, last_id_;
  std::uint64_t reopen_at_ms_ = 0;  // of the server's own stream; 0: it is not wanted
  bool closing_ = false, ending_ = false;
  std::atomic<bool> over_{false}, client_gone_{false};
  std::atomic<std::size_t> count_{0};
  std::unique_ptr<proxy::Handler> handler_;
  BridgeLoop loop_;  // goes first: nothing of the others is used once its thread has ended
};

void Asked::send(proxy::Handler& handler, std::string_view path, const std::vector<provider::HeaderField>& fields) {
  proxy::HttpRequest request;
  constexpr std::string_view methods[] = {"POST", "POST", "GET", "DELETE"};
  request.method = methods[static_cast<std::size_t>(kind_)];
  request.target = path;
  std::vector<std::pair<std::string, std::string>> said;
  said.reserve(fields.size() + 4);
  for (const provider::HeaderField& one : fields) {
    said.emplace_back(one.name, one.value);
  }
  said.emplace_back("accept", kind_ == Kind::stream ? "text/event-stream" : "application/json, text/event-stream");
  if (!bridge_.session().empty()) {
    said.emplace_back("mcp-session-id", bridge_.session());
  }
  json::Arena arena;
  const Result<Message> read = read_message(text_, arena);
  std::string revision = bridge_.revision();
  if (kind_ == Kind::request || kind_ == Kind::notification) {
    said.emplace_back("content-type", "application/json");
  }
  if (read) {
    const Message& message = read.value();
    method_ = message.method;
    if (message.id != nullptr && kind_ == Kind::request) {
      id_ = message.slice(*message.id);
    }
    if (is_stateless(message.revision())) {
      revision = message.revision();
      said.emplace_back("mcp-method", method_);
      const json::Value* name = message.param(method_ == "resources/read" ? "uri" : "name");
      if (name != nullptr && name->is(json::Kind::string)) {
        said.emplace_back("mcp-name", header_value(name->str()));
      }
    }
  }
  if (!revision.empty()) {
    said.emplace_back("mcp-protocol-version", revision);
  }
  for (auto& [name, value] : said) {
    values_.push_back(std::move(name));
    values_.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < values_.size(); i += 2) {
    request.fields.push_back({values_[i], values_[i + 1]});
  }
  request.body = text_;
  answering_ = handler.handle(request, *this);
}

void Asked::begin(int status, std::string_view fields, std::uint64_t) {
  begun_ = true;
  status_ = status;
  for (std::size_t from = 0; from < fields.size();) {
    const std::size_t to = std::min(fields.find("\r\n", from), fields.size());
    const std::string_view line = fields.substr(from, to - from);
    const std::size_t colon = std::min(line.find(": "), line.size());
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = line.substr(std::min(colon + 2, line.size()));
    if (name == "content-type") {
      streams_ = value.starts_with("text/event-stream");
    } else if (name == "mcp-session-id" && method_ == "initialize") {
      bridge_.take_session(value);
    }
    from = to + 2;
  }
}

bool Asked::write(std::string_view bytes) {
  if (!streams_ || status_ >= 300) {
    if (whole_.size() < message_bytes_max) {
      whole_ += bytes;
    }
    return true;
  }
  events_.push(bytes);
  for (std::string raw; events_.take(raw);) {
    const SseParts parts = parts_of(raw);
    if (!parts.id.empty()) {
      last_id_ = parts.id;
    }
    if (parts.there) {
      message(parts.data);
    }
  }
  return true;
}

void Asked::message(std::string_view text) {
  json::Arena arena;
  const Result<Message> read = read_message(text, arena);
  if (read && read.value().kind == MessageKind::response && read.value().id != nullptr && !id_.empty()) {
    json::Arena own;
    const Result<json::Value> id = json::parse(id_, own);
    answered_ = answered_ || (id && id_key(id.value()) == id_key(*read.value().id));
    const json::Value* revision = method_ == "initialize" ? read.value().in_result("protocolVersion") : nullptr;
    if (revision != nullptr) {
      bridge_.take_revision(revision->str());
    }
  }
  bridge_.to_client(text);
}

void Asked::fail(const std::string& why) {
  json::Arena arena;
  const Result<Message> read = read_message(whole_, arena);
  const Result<json::Value> body = json::parse(whole_, arena);
  const json::Value* error = body ? body.value().find("error") : nullptr;
  if (read && read.value().id != nullptr && !read.value().id->is(json::Kind::null)) {
    message(whole_);
  } else if (error != nullptr && error->is(json::Kind::object)) {
    bridge_.to_client(R"({"jsonrpc":"2.0","id":)" + id_ + R"(,"error":)" + json::value_text(*error) + "}");
  } else {
    bridge_.to_client(error_message(id_, -32603, why));
  }
}

void Asked::end() {
  done_ = true;
  if (kind_ != Kind::request) {
    json::Arena arena;
    if (kind_ == Kind::notification && status_ >= 400 && read_message(whole_, arena)) {
      bridge_.to_client(whole_);
    } else if (kind_ == Kind::notification && status_ >= 400) {
      bridge_.to_client(error_message({}, -32603, "the server answers " + std::to_string(status_)));
    }
    return;
  }
  if (status_ >= 400) {
    fail("the server answers " + std::to_string(status_));
  } else if (!streams_ && !whole_.empty()) {
    message(whole_);
  } else if (!answered_) {
    bridge_.to_client(error_message(id_, -32603, "the server ended its stream without an answer"));
  }
}

}  // namespace

Result<bool> front_address(const provider::BaseUrl& url, const std::vector<provider::HeaderField>& fields,
                           const FrontSettings& settings, const Tell& tell, std::uint64_t seed) {
  ::signal(SIGPIPE, SIG_IGN);  // NOLINT: whoever takes nothing any more is an error of write()
  sigset_t ending;
  sigemptyset(&ending);
  for (const int one : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&ending, one);
  }
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  const int stop = ::signalfd(-1, &ending, SFD_CLOEXEC);
  if (stop < 0) {
    return Error{ErrorCode::unavailable, "signals cannot be waited for", "", 0, 0};
  }
  std::optional<Error> error = Bridge(url, fields, settings, tell, seed, stop).run();
  ::close(stop);
  if (error) {
    return *error;
  }
  return true;
}

}  // namespace plumb::mcp
