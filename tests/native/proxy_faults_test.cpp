// What goes wrong between clients and providers, as people have reported it of other gateways: each a scene at the data
// port, with bare sockets on both sides.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "native/proxy/time_point.hpp"
#include "tests/native/proxied.hpp"
#include "tests/native/upstream.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

const std::string finish_event =
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const std::string done_event = "data: [DONE]\n\n";

std::string metrics_of(const Proxied& proxied) {
  std::string text = "\n";
  proxied.policy->append_metrics(text, proxy::moment_now());
  return text;
}

// How many tokens were booked with this label, of all series.
std::uint64_t tokens(const Proxied& proxied, std::string_view direction, bool estimated) {
  const std::string text = metrics_of(proxied);
  const std::string label =
      "direction=\"" + std::string(direction) + "\",estimated=\"" + (estimated ? "true" : "false") + "\"} ";
  const std::size_t at = text.find(label);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + label.size(), nullptr, 10);
}

}  // namespace

TEST_CASE(
    "proxy faults: five thousand connections that say nothing, or half a head, hold up neither calls nor health") {
  constexpr std::size_t wanted = 5'000;
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  if (files.rlim_max < 2 * wanted + 1'000) {
    MESSAGE("skip: this machine allows a process too few open files");
    return;
  }
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, 2 * wanted + 1'000);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) {
    settings.bounds.connections_each_max = 0;
    settings.bounds.head_ms = 60'000;  // a busy machine needs more than the usual ten seconds to open them all
  });
  std::vector<Socket> silent;
  for (std::size_t i = 0; i < wanted; ++i) {
    silent.push_back(connect_to(proxied.port->port()));
    if (i % 2 == 1)
      silent.back().send("POST /v1/chat/comple");
  }
  CHECK(proxied.answer(get("/healthz")).ends_with(R"({"status":"ok"})"));
  // A connection is there for its client as soon as the kernel has it; the loops take it up a little later.
  const auto until = std::chrono::steady_clock::now() + test::patience;
  while (proxied.port->counts().connections < wanted && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(proxied.port->counts().connections >= wanted);
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false)));
  Socket call = provider.accept();
  call.read_message();
  call.send(whole_answer(200, whole_text("among thousands")));
  CHECK(client.read_message().ends_with(whole_text("among thousands")));
}

TEST_CASE(
    "proxy faults: what a client left, and what nobody told the usage of, is booked once and marked as estimated") {
  Listener provider;
  {
    const Proxied proxied({{&provider}});
    Socket client = proxied.client();
    client.send(post(chat, chat_body(true)));
    Socket call = provider.accept();
    call.read_message();
    call.send(stream_head + chunk(text_event(std::string(400, 'w'))));
    client.read_until("wwww");
    client.close();
    REQUIRE(proxied.settles(1));
    CHECK(metrics_of(proxied).find("result=\"client_left\"} 1") != std::string::npos);
    CHECK(tokens(proxied, "output", true) >= 50);
    CHECK(tokens(proxied, "input", true) > 0);
    CHECK(tokens(proxied, "output", false) == 0);
  }
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head + chunk(text_event(std::string(400, 'w')) + finish_event + done_event) + "0\r\n\r\n");
  client.read_until("\r\n0\r\n\r\n");
  REQUIRE(proxied.settles(1));
  CHECK(metrics_of(proxied).find("result=\"answered\"} 1") != std::string::npos);
  CHECK(tokens(proxied, "output", true) >= 50);
  CHECK(tokens(proxied, "output", false) == 0);
}

TEST_CASE("proxy faults: no header, member or model's name leads a call, or the key, to another address") {
  Listener provider;
  Listener elsewhere;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) { settings.routes[0].name = "*"; });
  const std::string there = "http://127.0.0.1:" + std::to_string(elsewhere.port());
  const std::string models[] = {"m", "m#@127.0.0.1:" + std::to_string(elsewhere.port()), there + "/v1", "../../admin",
                                "p1/real-m"};
  for (const std::string& model : models) {
    for (const std::string path : {chat, messages}) {
      CAPTURE(model);
      CAPTURE(path);
      Socket client = proxied.client();
      // What a translation does not know it refuses; what passes as it is must lead nowhere.
      const std::string more =
          path == chat ? R"("base_url":")" + there + R"(","api_base":")" + there + "\"," : std::string();
      const std::string body =
          R"({"model":")" + model + R"(","max_tokens":5,)" + more + R"("messages":[{"role":"user","content":"x"}]})";
      client.send(post(path, body,
                       "x-base-url: " + there + "\r\nx-portkey-custom-host: " + there +
                           "\r\nx-forwarded-host: " + there.substr(7) + "\r\nhelicone-target-url: " + there + "\r\n"));
      Socket call = provider.accept();
      const std::string got = call.read_message();
      CHECK(got.starts_with("POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:" + std::to_string(provider.port()) +
                            "\r\n"));
      CHECK(got.substr(0, got.find("\r\n\r\n")).find(there.substr(7)) == std::string::npos);
      call.send(whole_answer(200, whole_text("here"), "connection: close\r\n"));
      CHECK(client.read_message().starts_with("HTTP/1.1 200 "));
    }
  }
  for (const std::string& target :
       {there + chat, std::string(chat) + "/../../" + there.substr(7), "//" + there.substr(7) + chat}) {
    CAPTURE(target);
    const std::string answer = proxied.answer(post(target, chat_body(false)));
    CHECK((answer.starts_with("HTTP/1.1 404 ") || answer.starts_with("HTTP/1.1 400 ")));
  }
  CHECK_FALSE(elsewhere.has_more(0));
}

TEST_CASE("proxy faults: errors, cut streams and answers at another temperature are not kept") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const auto asked = [&](const std::string& body, const std::string& answer) {
    Socket client = proxied.client();
    client.send(post(chat, body, "connection: close\r\n"));
    Socket call = provider.accept();
    CHECK_FALSE(call.read_message().empty());
    call.send(answer);
    call.close();
    client.is_closed();
  };
  const std::string cold = chat_body(true, ",\"temperature\":0");
  const std::string whole = stream_head + chunk(text_event("one") + finish_event + done_event) + "0\r\n\r\n";
  for (int i = 0; i < 2; ++i) {
    asked(cold.substr(0, cold.size() - 1) + ",\"user\":\"a\"}",
          whole_answer(500, R"({"error":{"message":"broke"}})", "connection: close\r\n"));
    asked(cold.substr(0, cold.size() - 1) + ",\"user\":\"b\"}", stream_head + chunk(text_event("one")));
  }
  CHECK(proxied.settles(4));
  for (int i = 0; i < 2; ++i) {
    Socket client = proxied.client();
    client.send(post(chat, chat_body(true, ",\"temperature\":0.1")));
    Socket call = provider.accept();
    CHECK_FALSE(call.read_message().empty());
    call.send(whole);
    CHECK(client.read_until("\r\n0\r\n\r\n").find("x-plumb-replayed") == std::string::npos);
  }
}

TEST_CASE("proxy faults: 400, 403 and 404 are asked once, and no fallback is asked; the key stays untold") {
  Listener provider;
  Listener fallback;
  const Proxied proxied({{&provider}, {&fallback}},
                        [](proxy::Settings& settings) { settings.retries.retries_max = 2; });
  for (const int status : {400, 403, 404}) {
    CAPTURE(status);
    Socket client = proxied.client();
    client.send(post(chat, chat_body(false)));
    Socket call = provider.accept();
    call.read_message();
    call.send(
        whole_answer(status, R"({"error":{"message":"no, sk-secret-of-the-provider"}})", "connection: close\r\n"));
    const std::string answer = client.read_message();
    CHECK(answer.starts_with("HTTP/1.1 " + std::to_string(status)));
    CHECK(answer.find("sk-secret") == std::string::npos);
    CHECK_FALSE(fallback.has_more(0));
    CHECK_FALSE(provider.has_more(0));
  }
}

TEST_CASE(
    "proxy faults: a provider that falls silent in a stream is left after its idle time, and the client is told") {
  Listener provider;
  for (const bool patient : {false, true}) {
    CAPTURE(patient);
    const Proxied proxied({{&provider}}, [&](proxy::Settings& settings) {
      settings.upstreams[0].exchange.idle_ms = patient ? 60'000 : 200;
      settings.bounds.keepalive_ms = 100;
    });
    Socket client = proxied.client();
    client.send(post(chat, chat_body(true)));
    Socket call = provider.accept();
    call.read_message();
    call.send(stream_head + chunk(text_event("one")));
    client.read_until("one");
    if (patient) {
      // Comments come meanwhile, and what comes then is passed on.
      client.read_until(": keep-alive\n\n");
      call.send(chunk(text_event("two") + finish_event + done_event) + "0\r\n\r\n");
      CHECK(client.read_until("\r\n0\r\n\r\n").find("two") != std::string::npos);
    } else {
      CHECK(client.is_closed());
      CHECK(client.got().find("data: {\"error\":{") != std::string::npos);
      CHECK(client.got().find("[DONE]") == std::string::npos);
      CHECK(call.is_closed());
    }
    CHECK(proxied.settles(1));
  }
}

TEST_CASE("proxy faults: an answer that is passed on unverified says so in headers, body and last event") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string wish = R"(,"plumb":{"contract":{"type":"object","required":["a"]},"attempts":0,"on_error":"pass"})";
  for (const bool stream : {false, true}) {
    CAPTURE(stream);
    Socket client = proxied.client();
    client.send(post(chat, chat_body(stream, wish)));
    Socket call = provider.accept();
    call.read_message();
    call.send(stream_head + chunk(text_event("{}") + finish_event + done_event) + "0\r\n\r\n");
    if (stream)
      client.read_until("\r\n0\r\n\r\n");
    else
      client.read_message();
    CHECK(client.got().starts_with("HTTP/1.1 200 "));
    CHECK(client.got().find("\"decision\":\"accept_unverified\"") != std::string::npos);
    CHECK((stream || client.got().find("x-plumb-decision: accept_unverified\r\n") != std::string::npos));
    CHECK((stream || client.got().find("x-plumb-verdict: invalid\r\n") != std::string::npos));
  }
  CHECK(proxied.settles(2));
  CHECK(metrics_of(proxied).find("decision=\"accept_unverified\"} 2") != std::string::npos);
}

TEST_CASE("proxy faults: a page reads why it was refused, by a limit too") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) {
    settings.origins = {"https://app.example"};
    settings.each_key.requests_per_minute = 1;
  });
  const std::string origin = "origin: https://app.example\r\n";
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false), origin));
  Socket call = provider.accept();
  call.read_message();
  call.send(whole_answer(200, whole_text("one")));
  client.read_message();
  const std::string limited = proxied.answer(post(chat, chat_body(false), origin));
  CHECK(limited.starts_with("HTTP/1.1 429 "));
  CHECK(limited.find("access-control-allow-origin: https://app.example\r\n") != std::string::npos);
  CHECK(limited.find("\r\nretry-after: ") != std::string::npos);
  CHECK(limited.find("access-control-expose-headers: ") != std::string::npos);
}
