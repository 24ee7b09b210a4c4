// Before a server over HTTP. One exchange is one request of the client and what becomes of it:
//
//   judging -> (listing -> judging) -> asking -> relaying -> over
//
// What is judged is judged by a worker, one piece at a time; meanwhile what comes from the server waits, up to a bound.
// A session (Mcp-Session-Id) has a Front of its own, since an answer may come on another stream of it; a request
// without one has its Front for itself, and shares the tools with those of the same credentials.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "core/wire/sse.hpp"
#include "native/mcp/http_port.hpp"
#include "native/mcp/http_serving.hpp"
#include "native/mcp/sse_events.hpp"
#include "native/proxy/http_head.hpp"

namespace plumb::mcp {

namespace {

using provider::ExchangeEnd;
using provider::ExchangeHead;
using provider::ExchangeOutcome;
using provider::Flow;

constexpr std::size_t fronts_max = 1'000;
constexpr std::size_t waiting_bytes_max = std::size_t{1} << 20;
// Calls of tools may take their time, and a stream of a session says nothing for hours.
constexpr provider::ExchangeLimits limits = {10'000, 600'000, 3'600'000, 86'400'000, 64U << 10, std::uint64_t{1} << 40};

struct Session {
  Session(const FrontSettings& settings, std::shared_ptr<KnownTools> known, const Tell& tell, std::uint64_t seed)
      : tools(std::move(known)), front(settings, tools, tell, seed) {}
  std::shared_ptr<KnownTools> tools;
  std::mutex mutex;
  Front front;
};

struct Serving {
  proxy::Loop& loop;
  host::Workers& workers;
  provider::BaseUrl url;
  const FrontSettings& settings;
  Tell tell;
  std::uint64_t seed;
  // Both by credentials, the first by session too; on the loop alone.
  std::map<std::string, std::shared_ptr<Session>> sessions;
  std::map<std::string, std::shared_ptr<KnownTools>> tools;

  std::shared_ptr<Session> session_of(const proxy::HttpRequest& request) {
    std::string key;
    for (const std::string_view name : {"authorization", "x-api-key", "cookie"}) {
      key.append(request.field(name)).append("\n");
    }
    const std::string_view id = request.field("mcp-session-id");
    if (!id.empty()) {
      if (sessions.size() >= fronts_max) {
        sessions.clear();
      }
      std::shared_ptr<Session>& session = sessions[key.append(id)];
      if (session == nullptr) {
        session = made(std::make_shared<KnownTools>(settings.steps_max));
      }
      return session;
    }
    if (tools.size() >= fronts_max) {
      tools.clear();
    }
    std::shared_ptr<KnownTools>& known = tools[key];
    if (known == nullptr) {
      known = std::make_shared<KnownTools>(settings.steps_max);
    }
    return made(known);
  }
  std::shared_ptr<Session> made(std::shared_ptr<KnownTools> known) {
    return std::make_shared<Session>(settings, std::move(known), tell, seed++);
  }
};

// Fields about a connection, and those that say what is written anew.
bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 12> names = {
      "host",    "connection", "content-length",      "transfer-encoding", "keep-alive",      "te",
      "trailer", "upgrade",    "proxy-authorization", "proxy-connection",  "accept-encoding", "expect"};
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view one) { return proxy::equal_names(one, name); });
}

std::string_view field_of(const ExchangeHead& head, std::string_view name) {
  for (const provider::HeaderField& one : head.headers) {
    if (one.name == name) {
      return one.value;
    }
  }
  return {};
}

class Relay final : public proxy::Answering,
                    public provider::ExchangeReader,
                    public std::enable_shared_from_this<Relay> {
 public:
  Relay(Serving& serving, proxy::Client& client) : serving_(serving), client_(client) {}

  void begin(proxy::HttpRequest& request) {
    session_ = serving_.session_of(request);
    method_ = std::string(request.method);
    for (const proxy::HttpField& field : request.fields) {
      if (!is_ours(field.name)) {
        fields_.push_back({std::string(field.name), std::string(field.value)});
      }
    }
    body_ = std::move(request.body);
    if (method_ == "POST") {
      judge_request();
    } else {
      ask();
    }
  }

  void gone(proxy::Gone) override {
    gone_ = true;
    if (exchange_ != 0 && phase_ != Phase::listing) {
      serving_.loop.upstream().cancel(exchange_);
    }
  }
  void has_room() override {
    client_full_ = false;
    go_on();
  }
  void tick(std::uint64_t) override {
    if (phase_ == Phase::waiting) {
      judge_request();
    }
    if (phase_ == Phase::listing && now_ms() >= list_since_ms_ + Front::list_ms_max && exchange_ != 0) {
      serving_.loop.upstream().cancel(exchange_);
    }
  }

  // Of the server.
  void on_head(const ExchangeHead& head) override {
    constexpr std::string_view events = "text/event-stream";
    streams_ = proxy::equal_names(field_of(head, "content-type").substr(0, events.size()), events);
    well_ = head.status >= 200 && head.status < 300;
    if (phase_ == Phase::listing) {
      return;
    }
    status_ = head.status;
    answer_fields_.clear();
    for (const provider::HeaderField& one : head.headers) {
      if (!is_ours(one.name)) {
        answer_fields_.append(one.name).append(": ").append(one.value).append("\r\n");
      }
    }
    // A refusal is no result, whatever is in it: clients read none there.
    passes_ = !well_ || (method_ != "POST" && !streams_);
    // Nobody has asked for a compressed answer, and a client would unpack what could not be judged.
    coded_ = !passes_ && !field_of(head, "content-encoding").empty();
    if (coded_ && !serving_.settings.binds()) {
      passes_ = true;
    } else if (coded_) {
      return;
    }
    if (streams_ || passes_) {
      begin_answer(proxy::Client::unknown);
    }
  }

  Flow on_bytes(std::string_view bytes) override {
    if (gone_ && phase_ != Phase::listing) {
      return Flow::stop;
    }
    if (coded_ && !passes_) {
      return Flow::stop;
    }
    if (passes_ && phase_ == Phase::relaying) {
      client_full_ = !client_.write(bytes);
      return client_full_ ? paused() : Flow::go_on;
    }
    if (streams_) {
      events_.push(bytes);
      judge_events();
      return events_.held() > message_bytes_max               ? Flow::stop
             : judging_ && events_.held() > waiting_bytes_max ? paused()
                                                              : Flow::go_on;
    }
    whole_ += bytes;
    return whole_.size() > message_bytes_max ? Flow::stop : Flow::go_on;
  }

  void on_end(ExchangeOutcome outcome) override {
    exchange_ = 0;
    ended_ = true;
    outcome_ = std::move(outcome);
    const bool is_whole = !streams_ && !whole_.empty();
    const bool relayed = phase_ == Phase::relaying && !passes_ && !gone_ && outcome_.end == ExchangeEnd::complete;
    const bool listed = phase_ == Phase::listing && well_ && !judging_;
    if (is_whole && (relayed || listed)) {
      judge_answer();
    } else {
      go_on();
    }
  }

 private:
  enum class Phase : std::uint8_t { judging, waiting, listing, relaying, over };

  std::uint64_t now_ms() { return serving_.loop.now().steady_ms(); }

  Flow paused() {
    paused_ = true;
    return Flow::pause;
  }

  // On a worker, and then on the loop.
  void beside(std::function<void()> work, std::function<void()> then) {
    judging_ = true;
    serving_.workers.give([self = shared_from_this(), work = std::move(work), then = std::move(then)] {
      work();
      self->serving_.loop.upstream().post([self, then] {
        self->judging_ = false;
        then();
      });
    });
  }

  void judge_request() {
    phase_ = Phase::judging;
    const std::uint64_t now = now_ms();
    beside(
        [this, now] {
          const std::lock_guard<std::mutex> lock(session_->mutex);
          step_ = session_->front.from_client(body_, now);
        },
        [this] { take_step(); });
  }

  void take_step() {
    switch (step_.what) {
      case Step::What::pass:
        ask();
        break;
      case Step::What::answer:
        if (!gone_) {
          // What is no message has no id; else it is the result of a call.
          const bool result = step_.text.find("\"result\"") != std::string::npos;
          client_.answer(result ? 200 : 400, json_type, step_.text);
        }
        phase_ = Phase::over;
        break;
      case Step::What::list:
        if (step_.text.empty()) {
          phase_ = gone_ ? Phase::over : Phase::waiting;  // another request of the session has asked for it
        } else {
          list(std::move(step_.text));
        }
        break;
      case Step::What::listed:
      case Step::What::drop:
        break;
    }
  }

  provider::ExchangeRequest request(std::string method, std::string body) const {
    provider::ExchangeRequest out;
    out.origin = serving_.url.origin;
    out.method = std::move(method);
    out.target = serving_.url.path.empty() ? "/" : serving_.url.path;
    out.body = std::move(body);
    return out;
  }

  void start(provider::ExchangeRequest asked) {
    ended_ = streams_ = passes_ = well_ = coded_ = false;
    whole_.clear();
    events_ = SseEvents();
    exchange_ = serving_.loop.upstream().start_read(std::move(asked), limits, shared_from_this());
  }

  // The tools, for the first call of whoever has not asked for them. It goes on when the client leaves: others wait.
  void list(std::string text) {
    phase_ = Phase::listing;
    list_since_ms_ = now_ms();
    provider::ExchangeRequest asked = request("POST", std::move(text));
    for (const provider::HeaderField& one : fields_) {
      const bool of_call = proxy::equal_names(one.name, "mcp-name") || proxy::equal_names(one.name, "last-event-id") ||
                           proxy::equal_names(one.name.substr(0, 10), "mcp-param-");
      if (proxy::equal_names(one.name, "mcp-method")) {
        asked.headers.push_back({one.name, "tools/list"});
      } else if (!of_call) {
        asked.headers.push_back(one);
      }
    }
    start(std::move(asked));
  }

  void ask() {
    if (gone_) {
      phase_ = Phase::over;
      return;
    }
    phase_ = Phase::relaying;
    provider::ExchangeRequest asked = request(method_, body_);
    asked.headers = fields_;
    start(std::move(asked));
  }

  void begin_answer(std::uint64_t length) {
    if (!gone_ && !client_.begun()) {
      client_.begin(status_, answer_fields_, length);
    }
  }

  // Whole events that are there, judged together.
  void judge_events() {
    if (judging_) {
      return;
    }
    auto raws = std::make_shared<std::vector<std::string>>();
    for (std::string raw; events_.take(raw);) {
      raws->push_back(std::move(raw));
    }
    if (raws->empty()) {
      return;
    }
    judged_.clear();
    const std::uint64_t now = now_ms();
    beside([this, raws, now] { judge_raws(*raws, now); }, [this] { took_events(); });
  }

  void judge_raws(const std::vector<std::string>& raws, std::uint64_t now) {
    const std::lock_guard<std::mutex> lock(session_->mutex);
    for (const std::string& raw : raws) {
      const SseParts parts = parts_of(raw);
      if (!parts.there) {
        judged_ += raw;
        continue;
      }
      Step step = session_->front.from_server(parts.data, now);
      if (step.what == Step::What::pass) {
        judged_ += raw;
      } else if (step.what == Step::What::answer) {
        wire::append_sse(judged_, step.text, parts.type, parts.id);
      } else if (step.what != Step::What::drop) {
        list_step_ = std::move(step);
      }
    }
  }

  void took_events() {
    if (phase_ == Phase::relaying && !gone_ && !judged_.empty()) {
      client_full_ = !client_.write(judged_);
    }
    judged_.clear();
    go_on();
  }

  // A whole body that is one message.
  void judge_answer() {
    const std::uint64_t now = now_ms();
    beside(
        [this, now] {
          const std::lock_guard<std::mutex> lock(session_->mutex);
          step_ = session_->front.from_server(whole_, now);
        },
        [this] {
          if (phase_ == Phase::listing) {
            list_step_ = std::move(step_);
            whole_.clear();
            go_on();
            return;
          }
          if (gone_) {
            return;
          }
          if (step_.what == Step::What::drop) {
            fail("what the server has answered is not a message of the protocol, or the answer to nothing");
            return;
          }
          const std::string& text = step_.what == Step::What::answer ? step_.text : whole_;
          begin_answer(text.size());
          client_.write(text);
          finish();
        });
  }

  void go_on() {
    if (judging_) {
      return;
    }
    if (phase_ == Phase::listing) {
      after_list();
      return;
    }
    if (gone_ || phase_ != Phase::relaying) {
      return;
    }
    if (streams_ && !client_full_) {
      judge_events();
    }
    if (judging_) {
      return;
    }
    if (paused_ && !client_full_ && exchange_ != 0) {
      paused_ = false;
      serving_.loop.upstream().resume(exchange_);
      return;
    }
    if (ended_) {
      end_answer();
    }
  }

  void after_list() {
    Step step = std::exchange(list_step_, Step{Step::What::pass});
    if (step.what == Step::What::list) {  // the next page
      list_next_ = std::move(step.text);
    } else if (step.what == Step::What::listed) {
      listed_ = true;
    }
    if (paused_ && exchange_ != 0) {
      paused_ = false;
      serving_.loop.upstream().resume(exchange_);
    }
    if (streams_ && !ended_) {
      judge_events();
    }
    if (!ended_ || judging_) {
      return;
    }
    if (!list_next_.empty()) {
      list(std::exchange(list_next_, {}));
      return;
    }
    if (!std::exchange(listed_, false)) {
      const std::lock_guard<std::mutex> lock(session_->mutex);
      session_->front.no_list("the server does not list its tools", now_ms());
    }
    if (gone_) {
      phase_ = Phase::over;
    } else {
      judge_request();
    }
  }

  void end_answer() {
    if (coded_ && !passes_) {
      fail("the server has answered in a coding that was not asked for, which cannot be judged");
    } else if (outcome_.end == ExchangeEnd::complete) {
      begin_answer(0);
      if (streams_ && !events_.rest().empty()) {
        client_.write(events_.rest());
      }
      finish();
    } else if (client_.begun()) {
      phase_ = Phase::over;
      gone_ = true;
      client_.cut();
    } else {
      fail("the server does not answer: " + outcome_.message);
    }
  }

  void fail(const std::string& why) {
    client_.answer(502, json_type, error_message({}, -32603, why));
    phase_ = Phase::over;
    gone_ = true;
  }

  void finish() {
    client_.end();
    phase_ = Phase::over;
    gone_ = true;
  }

  Serving& serving_;
  proxy::Client& client_;
  std::shared_ptr<Session> session_;
  std::string method_, body_;
  std::vector<provider::HeaderField> fields_;
  Phase phase_ = Phase::judging;
  bool gone_ = false;         // the client, or all has been said to it
  bool client_full_ = false;  // until has_room()
  bool judging_ = false;      // a worker has this
  Step step_;                 // of a worker
  // The exchange with the server.
  provider::ExchangeId exchange_ = 0;
  bool ended_ = false, paused_ = false, streams_ = false, well_ = false, coded_ = false;
  bool passes_ = false;  // nothing of it is judged
  ExchangeOutcome outcome_;
  int status_ = 200;
  std::string answer_fields_;
  std::string whole_;
  SseEvents events_;
  std::string judged_;  // of a worker
  // Our own list of tools.
  Step list_step_;
  std::string list_next_;
  bool listed_ = false;
  std::uint64_t list_since_ms_ = 0;
};

class FrontPort final : public proxy::Handler {
 public:
  FrontPort(std::optional<control::Access> access, Serving serving)
      : access_(std::move(access)), serving_(std::move(serving)) {}

  std::shared_ptr<proxy::Answering> handle(proxy::HttpRequest& request, proxy::Client& client) override {
    if (access_ && !may_ask(*access_, request, client)) {
      return nullptr;
    }
    const std::string_view path = serving_.url.path.empty() ? std::string_view("/") : serving_.url.path;
    if (request.target != path) {
      client.answer(404, json_type, error_message({}, invalid_request, "there is only " + std::string(path) + " here"));
      return nullptr;
    }
    if (request.method != "POST" && request.method != "GET" && request.method != "DELETE") {
      client.answer(405, "allow: POST, GET, DELETE\r\ncontent-type: application/json\r\n",
                    error_message({}, invalid_request, "POST, GET and DELETE are taken"));
      return nullptr;
    }
    const auto relay = std::make_shared<Relay>(serving_, client);
    relay->begin(request);
    return relay;
  }

  Problem problem(int, std::string_view message, const std::string&) override {
    return {std::string(json_type), error_message({}, invalid_request, message)};
  }

 private:
  std::optional<control::Access> access_;
  Serving serving_;
};

}  // namespace

std::unique_ptr<proxy::Handler> make_relay(proxy::Loop& loop, host::Workers& workers, const provider::BaseUrl& url,
                                           const FrontSettings& settings, const Tell& tell, std::uint64_t seed) {
  return std::make_unique<FrontPort>(std::nullopt, Serving{loop, workers, url, settings, tell, seed, {}, {}});
}

Result<std::unique_ptr<proxy::HttpServer>> open_front_port(std::uint16_t port, const provider::BaseUrl& url,
                                                           const FrontSettings& settings, const Tell& tell,
                                                           std::uint64_t seed) {
  const Result<control::Access> access = control::Access::make("127.0.0.1", "");
  if (!access) {
    return access.error();
  }
  return ServingPort::open(port, [&](proxy::Loop& loop, host::Workers& workers) -> std::unique_ptr<proxy::Handler> {
    return std::make_unique<FrontPort>(access.value(), Serving{loop, workers, url, settings, tell, seed, {}, {}});
  });
}

}  // namespace plumb::mcp
