// An assumption of our own that breaks while a call is served: that call ends, and nothing else does. The assumption
// is the clock's, which a call looks at all along; real sockets, codecs and policy are around it.
#include <doctest/doctest.h>

#include <atomic>
#include <mutex>

#include "core/require.hpp"
#include "native/control/dispatch.hpp"
#include "native/host/contained.hpp"
#include "native/host/isolated_call.hpp"
#include "native/proxy/data_call.hpp"
#include "native/proxy/fair_work.hpp"
#include "native/proxy/policy.hpp"
#include "tests/native/proxied.hpp"
#include "tests/native/upstream.hpp"

using namespace plumb;
using namespace plumb::proxy;
using namespace plumb::test;

namespace {

constexpr std::string_view broken_clock = "the clock of this test goes on";

// The handler of a server, for as long as it lives.
class ServerHandler {
 public:
  ServerHandler() : before_(set_requirement_handler(nullptr)) { host::install_requirement_handler(); }
  ~ServerHandler() { set_requirement_handler(before_); }
  ServerHandler(const ServerHandler&) = delete;
  ServerHandler& operator=(const ServerHandler&) = delete;

 private:
  RequirementHandler before_;
};

// A loop whose clock breaks at a look that is chosen before.
struct BreakingLoop final : Loop {
  explicit BreakingLoop(Loop& of) : real(of) {}
  provider::Transport& upstream() override { return real.upstream(); }
  TimePoint now() override {
    if (looks_left != 0 && --looks_left == 0)
      PLUMB_REQUIRE(false, broken_clock.data());
    return real.now();
  }
  std::size_t index() const override { return real.index(); }
  void after_writes(std::shared_ptr<Answering> who) override { real.after_writes(std::move(who)); }
  Loop& real;
  std::uint64_t looks_left = 0;  // 0: it never breaks
};

// A call that says `x-breaks-at: N` has its Nth look at the clock broken.
struct Breaking final : Handler {
  Breaking(PortServices& to, Loop& of, std::shared_ptr<const Caller> who)
      : services(to), real(of), caller(std::move(who)) {}
  std::shared_ptr<Answering> handle(HttpRequest& request, Client& client) override {
    loops.push_back(std::make_unique<BreakingLoop>(real));
    loops.back()->looks_left = std::strtoull(std::string(request.field("x-breaks-at")).c_str(), nullptr, 10);
    auto call =
        std::make_shared<DataCall>(services, *loops.back(), request, client, *client_route("/v1/chat/completions"));
    call->start(caller, "127.0.0.1", "", 7);
    return call;
  }
  Problem problem(int status, std::string_view message, const std::string& /*address*/) override {
    return {"", std::to_string(status) + std::string(message)};
  }
  PortServices& services;
  Loop& real;
  CallerPtr caller;
  std::vector<std::unique_ptr<BreakingLoop>> loops;  // calls under way refer to them
};

struct Breakable {
  explicit Breakable(const Listener& provider) : proxied({{&provider}}), workers(1) {
    settings = std::make_shared<Settings>(*proxied.settings);
    settings->log = LogKind::text;
    auto opened = Policy::open({settings,
                                [this](std::string_view line) {
                                  const std::lock_guard lock(mutex);
                                  log.append(line).append("\n");
                                },
                                false},
                               moment_now());
    REQUIRE(opened);
    policy = std::move(opened).value();
    services = std::make_unique<PortServices>(PortServices{*policy, work, shelf, 1});
    HttpServerSettings server_settings;
    server_settings.port = 0;
    server_settings.loops = 1;
    auto serving = HttpServer::open(server_settings, [this](Loop& loop) {
      return std::make_unique<Breaking>(*services, loop, policy->identify({}, moment_now()).caller);
    });
    REQUIRE(serving);
    server = std::move(serving).value();
  }
  ~Breakable() { server->stop(0); }

  std::string take_log() {
    const std::lock_guard lock(mutex);
    return std::exchange(log, {});
  }
  std::uint64_t count(const std::string& name) const {
    std::string text = "\n";
    policy->append_metrics(text, moment_now());
    return metric(text, name);
  }
  bool settles(std::uint64_t ended) const {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
      if (count("plumb_proxy_calls_open") == 0 && count("plumb_proxy_calls_total") == ended)
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  const ServerHandler handler;
  Proxied proxied;
  std::shared_ptr<Settings> settings;
  std::unique_ptr<Policy> policy;
  host::Workers workers;
  FairWork work{workers};
  provider::ContractShelf shelf;
  std::unique_ptr<PortServices> services;
  std::unique_ptr<HttpServer> server;
  std::mutex mutex;
  std::string log;
};

const std::string finish_event =
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

}  // namespace

TEST_CASE("contained: a broken assumption ends the work, and only where it is contained") {
  const ServerHandler handler;
  bool went_on = false;
  const std::optional<std::string> broken = host::contained([&] {
    PLUMB_REQUIRE(1 + 1 == 3, "sums are wrong");
    went_on = true;
  });
  REQUIRE(broken);
  CHECK_FALSE(went_on);
  CHECK(broken->find("sums are wrong (") != std::string::npos);
  CHECK(broken->find("proxy_contained_test.cpp:") != std::string::npos);
  CHECK_FALSE(host::contained([] {}));
  CHECK(*host::contained([] { throw std::runtime_error("thrown"); }) == "an error that nothing handles: thrown");
  CHECK_FALSE(host::Containment::holds());
  // One in another: the inner one's work ends, the outer one's goes on.
  const std::optional<std::string> outer = host::contained([&] {
    REQUIRE(host::contained([] { PLUMB_REQUIRE(false, "inside"); }));
    went_on = true;
  });
  CHECK_FALSE(outer);
  CHECK(went_on);
}

TEST_CASE("contained: a call in which an assumption breaks, at any moment, ends alone, is told so and counted once") {
  Listener provider;
  Breakable serving(provider);
  // A stream that is open all the while, on the same loop.
  Socket other = connect_to(serving.server->port());
  other.send(post(chat, chat_body(true)));
  Socket other_call = provider.accept();
  other_call.read_message();
  other_call.send(stream_head + chunk(text_event("before")));
  other.read_until("before");
  const std::string closing_head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n" +
                                   stream_head.substr(stream_head.find("transfer-encoding"));
  std::size_t made = 1;
  std::size_t told_as_status = 0;
  std::size_t told_as_event = 0;
  for (const bool stream : {false, true}) {
    CAPTURE(stream);
    bool whole = false;
    for (int look = 1; look <= 100 && !whole; ++look, ++made) {
      CAPTURE(look);
      Socket client = connect_to(serving.server->port());
      client.send(post(chat, chat_body(stream), "connection: close\r\nx-breaks-at: " + std::to_string(look) + "\r\n"));
      // The provider answers whoever asks it; where nobody does, the client has its answer.
      for (int waits = 0; waits < 6'000 && !client.has_more(5) && !provider.has_more(5); ++waits) {
      }
      if (provider.has_more(0)) {
        Socket call = provider.accept();
        call.read_message();
        if (stream)
          call.send(closing_head + chunk(text_event("one")) + chunk(finish_event) + "0\r\n\r\n");
        else
          call.send(whole_answer(200, whole_text("one"), "connection: close\r\n"));
        CHECK(client.is_closed());
      }
      CHECK(client.is_closed());
      const std::string& got = client.got();
      const bool told = got.find("\"code\":\"internal_error\"") != std::string::npos;
      if (got.starts_with("HTTP/1.1 500 ")) {
        CHECK(told);
        ++told_as_status;
      } else if (told) {
        CHECK(stream);
        CHECK_FALSE(got.ends_with("\r\n0\r\n\r\n"));
        ++told_as_event;
      } else {
        CHECK(got.find("one") != std::string::npos);
        CHECK((!stream || got.ends_with("\r\n0\r\n\r\n")));
      }
      const std::string logged = serving.take_log();
      whole = logged.empty();
      CHECK((whole || logged.find("internal_error") != std::string::npos));
      CHECK((whole || logged.find("proxy_contained_test.cpp:") != std::string::npos));
    }
    CHECK(whole);  // no call looks so often, and all looks before that have been tried
  }
  CHECK(told_as_status > 3);
  CHECK(told_as_event > 0);
  // The stream beside them goes on to its end.
  other_call.send(chunk(text_event("after") + finish_event) + "0\r\n\r\n");
  other.read_until("\r\n0\r\n\r\n");
  CHECK(other.got().find("after") != std::string::npos);
  CHECK(other.got().ends_with("\r\n0\r\n\r\n"));
  other.close();
  // Each is counted, but for those that broke at their first look, before the policy knew of them.
  CHECK(serving.settles(made - 2));
}

TEST_CASE("contained: a route of the control port in which an assumption breaks is a 500, and the server stays") {
  const ServerHandler handler;
  control::Metrics metrics;
  control::EndedJobs ended_jobs;
  control::AnsweredKeys keys;
  control::Control control{nullptr, {}, {}, metrics, ended_jobs, keys, "1"};
  control::Route route;
  route.method = "GET";
  route.pattern = "/v1/breaks";
  route.handle = [](control::Control&, const control::Request&) -> control::Answer {
    PLUMB_REQUIRE(false, "this route holds");
    return {};
  };
  control::Request request;
  request.method = "GET";
  request.path = "/v1/breaks";
  request.header = [](const char*) { return std::string(); };
  request.body = std::make_shared<std::string>();
  const control::Answer answer = control::dispatch(control, route, request);
  CHECK(answer.status == 500);
  CHECK(answer.body.find("Internal error") != std::string::npos);
}
