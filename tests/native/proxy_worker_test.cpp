// What a client gets while a worker has its call: signs of life, and an end in time. The only worker is held by the
// test, so that nothing here depends on how long judging takes; real sockets, codecs and policy are around it.
#include <doctest/doctest.h>

#include <future>

#include "native/proxy/data_call.hpp"
#include "tests/native/proxied.hpp"

using namespace plumb;
using namespace plumb::proxy;
using namespace plumb::test;

namespace {

const std::string done_event =
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
// Observed, and compiled on the loop.
const std::string schema =
    R"(,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}})";
// Compiled by a worker.
const std::string long_schema =
    R"(,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"pattern":"a+"}}})";
// More than a piece that is judged on the loop.
const std::string long_object = "{\\\"text\\\":\\\"" + std::string(8'000, 'w') + "\\\"}";

struct Calling final : Handler {
  Calling(PortServices& to, Loop& of, CallerPtr who) : services(to), loop(of), caller(std::move(who)) {}
  std::shared_ptr<Answering> handle(HttpRequest& request, Client& client) override {
    auto call = std::make_shared<DataCall>(services, loop, request, client, *client_route("/v1/chat/completions"));
    call->start(caller, "127.0.0.1", "", 7);
    return call;
  }
  Problem problem(int status, std::string_view message, const std::string& /*address*/) override {
    return {"", std::to_string(status) + std::string(message)};
  }
  PortServices& services;
  Loop& loop;
  CallerPtr caller;
};

// A port whose one worker is busy until free() is called.
struct HeldWorker {
  HeldWorker(const Listener& provider, const Proxied::Change& change) : proxied({{&provider}}, change), workers(1) {
    workers.give([until = held.get_future().share()] { until.wait(); });
    HttpServerSettings settings;
    settings.port = 0;
    settings.loops = 1;
    auto serving = HttpServer::open(settings, [this](Loop& loop) {
      return std::make_unique<Calling>(services, loop, proxied.policy->identify({}, moment_now()).caller);
    });
    REQUIRE(serving);
    server = std::move(serving).value();
  }
  ~HeldWorker() {
    free();
    server->stop(0);
    workers.stop();
  }
  void free() {
    if (!std::exchange(freed, true))
      held.set_value();
  }
  Socket ask(const std::string& body) const {
    Socket client = connect_to(server->port());
    client.send(post(chat, body, "connection: close\r\n"));
    return client;
  }

  Proxied proxied;
  host::Workers workers;
  FairWork work{workers};
  provider::ContractShelf shelf;
  PortServices services{*proxied.policy, work, shelf, 1};
  std::unique_ptr<HttpServer> server;
  std::promise<void> held;
  bool freed = false;
};

void answer(Listener& provider, const std::string& bytes) {
  Socket call = provider.accept();
  call.read_message();
  call.send(bytes);
}

std::string streamed(const std::string& text) {
  return "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n" +
         stream_head.substr(stream_head.find("transfer-encoding")) + chunk(text_event(text)) + chunk(done_event) +
         "0\r\n\r\n";
}

void lively(Settings& settings) { settings.bounds.keepalive_ms = 100; }
void short_of_time(Settings& settings) { settings.bounds.call_ms = 300; }

}  // namespace

TEST_CASE("proxy: while a worker judges a stream, its client hears that the proxy is there, and then the verdict") {
  Listener provider;
  HeldWorker port(provider, lively);
  Socket client = port.ask(chat_body(true, schema));
  answer(provider, streamed(long_object));
  client.read_until("www");
  const std::size_t so_far = client.got().size();
  client.read_until(": keep-alive\n\n", so_far);
  const std::size_t kept = client.got().find(": keep-alive", so_far);
  REQUIRE(kept != std::string::npos);
  CHECK(client.got().find("[DONE]") == std::string::npos);
  port.free();
  client.read_until("[DONE]");
  const std::string& got = client.got();
  CHECK(got.find(": plumb {\"valid\":true", kept) != std::string::npos);
  CHECK(got.find("[DONE]") > got.find(": plumb {"));
}

TEST_CASE("proxy: a whole answer to who wanted a stream, judged by a worker, comes as events once a comment was sent") {
  Listener provider;
  HeldWorker port(provider, lively);
  Socket client = port.ask(chat_body(true, schema));
  answer(provider, whole_answer(200, whole_text(long_object), "connection: close\r\n"));
  client.read_until(": keep-alive\n\n");
  port.free();
  client.read_until("[DONE]");
  const std::string& got = client.got();
  CHECK(got.find("content-type: text/event-stream") != std::string::npos);
  CHECK(got.find("HTTP/1.1 ", 1) == std::string::npos);
  CHECK(got.find("\"model\":\"m-1\"") != std::string::npos);
  CHECK(got.find("www") < got.find(": plumb {\"valid\":true"));
  CHECK(got.find(": plumb {\"valid\":true") < got.find("[DONE]"));
}

TEST_CASE("proxy: a call whose time is up while a worker has it is told so, before and behind its provider") {
  Listener provider;
  HeldWorker port(provider, short_of_time);
  SUBCASE("its contract is read") {
    Socket client = port.ask(chat_body(false, long_schema));
    const std::string got = client.read_message();
    CHECK(got.starts_with("HTTP/1.1 504 "));
    CHECK(got.find("took longer than this proxy allows") != std::string::npos);
    port.free();
    CHECK(client.is_closed());
    CHECK_FALSE(provider.has_more(0));
  }
  SUBCASE("its whole answer is judged") {
    Socket client = port.ask(chat_body(false, schema));
    answer(provider, whole_answer(200, whole_text(long_object), "connection: close\r\n"));
    CHECK(client.read_message().starts_with("HTTP/1.1 504 "));
    port.free();
    CHECK(client.is_closed());
    CHECK(port.proxied.settles(1));
  }
  SUBCASE("its stream is judged") {
    Socket client = port.ask(chat_body(true, schema));
    answer(provider, streamed(long_object));
    client.read_until("took longer than this proxy allows");
    CHECK(client.got().find("www") != std::string::npos);
    CHECK(client.got().find("[DONE]") == std::string::npos);
    CHECK(client.is_closed());
    port.free();
    CHECK(port.proxied.settles(1));
  }
}
