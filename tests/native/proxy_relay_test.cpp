// The data port between a client and a provider that are bare sockets: what passes, what does not, and who is told of
// what when the other side ends.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <deque>
#include <thread>

#include "native/proxy/event_filter.hpp"
#include "native/proxy/time_point.hpp"
#include "native/proxy/utc.hpp"
#include "tests/native/proxied.hpp"
#include "tests/native/upstream.hpp"

using namespace plumb;
using namespace plumb::test;
using proxy::EventFilter;

namespace {

const std::string finish_event =
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const std::string usage_event =
    "data: "
    "{\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7}}\n\n";
const std::string done_event = "data: [DONE]\n\n";

// The pieces of a chunked body put together.
std::string unchunked(const std::string& answer) {
  std::string out;
  std::size_t at = answer.find("\r\n\r\n");
  if (at == std::string::npos)
    return out;
  at += 4;
  while (at < answer.size()) {
    char* end = nullptr;
    const std::size_t size = std::strtoull(answer.c_str() + at, &end, 16);
    at = static_cast<std::size_t>(end - answer.c_str()) + 2;
    if (size == 0)
      break;
    out += answer.substr(at, size);
    at += size + 2;
  }
  return out;
}

bool has_clean_end(const std::string& answer) { return answer.ends_with("\r\n0\r\n\r\n"); }

}  // namespace

TEST_CASE(
    "proxy relay: a body goes on byte for byte but for the model's name, with the provider's key for the client's") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string body =
      "{ \"messages\" : [{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/"
      "png;base64,AAAA\"}}]}],\n \"model\":\"m\", \"x_unknown\": 1.50e3, \"seed\":18446744073709551615 }";
  Socket client = proxied.client();
  client.send(post(chat, body, "authorization: Bearer of-the-client\r\ncookie: a=b\r\nx-client-version: 7\r\n"));
  Socket call = provider.accept();
  const std::string got = call.read_message();
  std::string wanted = body;
  wanted.replace(wanted.find("\"m\""), 3, "\"real-m\"");
  CHECK(got.substr(got.find("\r\n\r\n") + 4) == wanted);
  CHECK(got.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
  CHECK(got.find("authorization: Bearer sk-secret-of-the-provider\r\n") != std::string::npos);
  CHECK(got.find("of-the-client") == std::string::npos);
  CHECK(got.find("cookie") == std::string::npos);
  CHECK(got.find("x-client-version") == std::string::npos);
  CHECK(got.find("traceparent: 00-") != std::string::npos);
  call.send(whole_answer(200, whole_text("hi"), "set-cookie: s=1\r\nx-ratelimit-remaining-tokens: 5\r\n"));
  const std::string answer = client.read_message();
  CHECK(answer.ends_with(whole_text("hi")));
  CHECK(answer.find("x-ratelimit-remaining-tokens: 5\r\n") != std::string::npos);
  CHECK(answer.find("set-cookie") == std::string::npos);
  CHECK(answer.find("x-request-id: c") != std::string::npos);
  CHECK(proxied.settles(1));
}

TEST_CASE("proxy relay: a connection to the provider serves one call after the other") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) { settings.threads = 1; });
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false)));
  Socket call = provider.accept();
  for (int i = 0; i < 5; ++i) {
    REQUIRE(!call.read_message().empty());
    call.send(whole_answer(200, whole_text(std::to_string(i))));
    CHECK(client.read_message().ends_with(whole_text(std::to_string(i))));
    client.send(post(chat, chat_body(false)));
  }
}

TEST_CASE("proxy relay: a stream passes byte for byte, however the provider cuts and writes it") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string odd =
      ": a comment\n\ndata:{\"choices\":[{\"delta\":{\"content\":\"no space\"}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"\xE2\x82\xAC and \xFF\"}}]}\r\n\r\n"
      "event: x\r\nid: 7\r\ndata: {\"choices\":[{\"delta\":\r\ndata: {}}]}\r\n\r\n" +
      text_event("one") + finish_event + done_event;
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, odd.size()}) {
    CAPTURE(size);
    Socket client = proxied.client();
    client.send(post(chat, chat_body(true, ",\"stream_options\":{\"include_usage\":true}")));
    Socket call = provider.accept();
    call.read_message();
    call.send(stream_head);
    for (std::size_t at = 0; at < odd.size(); at += size)
      call.send(chunk(odd.substr(at, size)));
    call.send("0\r\n\r\n");
    client.read_until("\r\n0\r\n\r\n");
    CHECK(unchunked(client.got()) == odd);
    CHECK(client.got().find("content-type: text/event-stream") != std::string::npos);
    CHECK(client.got().find("content-length") == std::string::npos);
  }
}

TEST_CASE("proxy relay: usage is asked for and booked, and a client that did not ask is not told") {
  Listener provider;
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  CHECK(call.read_message().find("\"include_usage\":true") != std::string::npos);
  call.send(stream_head + chunk(text_event("one") + finish_event) + chunk(usage_event.substr(0, 30)) +
            chunk(usage_event.substr(30) + done_event) + "0\r\n\r\n");
  client.read_until("\r\n0\r\n\r\n");
  CHECK(unchunked(client.got()) == text_event("one") + finish_event + done_event);
  REQUIRE(proxied.settles(1));
  std::string text = "\n";
  proxied.policy->append_metrics(text, proxy::moment_now());
  CHECK(metric(text, "plumb_proxy_tokens_total") == 7);
}

TEST_CASE("proxy relay: a client that leaves, at any point, stops the provider's work") {
  struct Leaving {
    const char* name;
    bool stream;
    std::string before;  // what the provider has said by then
  };
  const Leaving cases[] = {
      {"before the first token", true, ""},
      {"after the head", true, stream_head},
      {"in the middle of a stream", true, stream_head + chunk(text_event("one"))},
      {"in the middle of an event", true, stream_head + chunk(text_event("one")) + chunk("data: {")},
      {"without a stream", false, ""},
      {"in the middle of a whole answer", false, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"},
  };
  Listener provider;
  const Proxied proxied({{&provider}});
  std::uint64_t calls = 0;
  for (const Leaving& one : cases) {
    for (const bool broken : {false, true}) {
      CAPTURE(one.name);
      Socket client = proxied.client();
      client.send(post(chat, chat_body(one.stream)));
      Socket call = provider.accept();
      REQUIRE(!call.read_message().empty());
      call.forget();
      if (!one.before.empty()) {
        call.send(one.before);
        if (one.before.find("one") != std::string::npos)
          REQUIRE(client.read_until("one").find("one") != std::string::npos);
      }
      if (broken)
        client.reset();
      else
        client.close();
      CHECK(call.is_closed());
      CHECK(proxied.settles(++calls));
    }
  }
}

TEST_CASE("proxy relay: a provider that dies in the middle is told as an error event, and the stream has no end") {
  Listener provider;
  const Proxied proxied({{&provider}});
  for (const bool broken : {false, true}) {
    Socket client = proxied.client();
    client.send(post(chat, chat_body(true)));
    Socket call = provider.accept();
    call.read_message();
    call.send(stream_head + chunk(text_event("one")) + chunk("data: {\"half"));
    REQUIRE(client.read_until("one").find("one") != std::string::npos);
    if (broken)
      call.reset();
    else
      call.close();
    CHECK(client.is_closed());
    CHECK(!has_clean_end(client.got()));
    CHECK(client.got().find("[DONE]") == std::string::npos);
    CHECK(client.got().find("half") == std::string::npos);  // half of an event
    CHECK(client.got().find("data: {\"error\":{") != std::string::npos);
    CHECK(client.got().find("sk-secret") == std::string::npos);
  }
  // The HTTP ends well, the protocol does not.
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head + chunk(text_event("one")) + "0\r\n\r\n");
  CHECK(client.is_closed());
  CHECK(client.got().find("data: {\"error\":{") != std::string::npos);
  CHECK(!has_clean_end(client.got()));
  CHECK(proxied.settles(3));
}

TEST_CASE("proxy relay: a stream that says how it finished and never [DONE] is whole") {
  Listener provider;
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head + chunk(text_event("one") + finish_event) + "0\r\n\r\n");
  client.read_until("\r\n0\r\n\r\n");
  CHECK(unchunked(client.got()) == text_event("one") + finish_event + done_event);
}

TEST_CASE("proxy relay: a provider that keeps the connection open after [DONE] holds nobody up") {
  Listener provider;
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head + chunk(text_event("one") + finish_event + done_event));
  client.read_until("\r\n0\r\n\r\n");
  CHECK(has_clean_end(client.got()));
  CHECK(call.is_closed());
}

TEST_CASE("proxy relay: whole answers that are cut, or no JSON, are told as errors of the gateway") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::pair<const char*, std::string> cases[] = {
      {"cut", "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"id\":"},
      {"HTML", "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>"},
      {"half of a document", "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n{\"id\":"},
      {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n"},
      {"nothing", ""},
  };
  for (const auto& [name, said] : cases) {
    const auto& about = name;
    CAPTURE(about);
    Socket client = proxied.client();
    client.send(post(chat, chat_body(false)));
    Socket call = provider.accept();
    call.read_message();
    call.send(said);
    call.close();
    const std::string answer = client.read_message();
    CHECK_MESSAGE(answer.starts_with("HTTP/1.1 502 "), answer);
    CHECK(answer.find("{\"error\":{") != std::string::npos);
  }
}

TEST_CASE("proxy relay: a refusal passes with its status, its message and its Retry-After, without any key") {
  Listener provider;
  const Proxied proxied({{&provider}});
  struct Refusal {
    int status;
    std::string fields;
    std::string body;
  };
  const Refusal cases[] = {
      {429, "retry-after: 7\r\n",
       R"({"error":{"message":"slow down","type":"rate_limit","code":"rate_limit_exceeded"}})"},
      {400, "", R"({"error":{"message":"bad thing","code":"context_length_exceeded"}})"},
      {401, "", R"({"error":{"message":"Incorrect API key provided: sk-secret-of-the-provider"}})"},
      {529, "", R"({"error":{"message":"overloaded"}})"},
      {500, "", "<html>oops</html>"},
  };
  for (const Refusal& one : cases) {
    CAPTURE(one.status);
    Socket client = proxied.client();
    client.send(post(chat, chat_body(one.status == 429)));
    Socket call = provider.accept();
    call.read_message();
    call.send(whole_answer(one.status, one.body, one.fields));
    const std::string answer = client.read_message();
    CHECK_MESSAGE(answer.starts_with("HTTP/1.1 " + std::to_string(one.status == 401 ? 502 : one.status) + " "), answer);
    CHECK(answer.find("sk-secret") == std::string::npos);
    if (one.status == 429) {
      CHECK(answer.find("retry-after: 7\r\n") != std::string::npos);
      CHECK(answer.find("slow down") != std::string::npos);
    }
    if (one.status == 400)
      CHECK(answer.find("context_length_exceeded") != std::string::npos);
  }
}

TEST_CASE("proxy relay: what may be better next time is tried again, what cannot be is not") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) {
    settings.retries.retries_max = 2;
    settings.retries.backoff_ms = 10;
  });
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false)));
  for (const int status : {503, 429}) {
    Socket call = provider.accept();
    call.read_message();
    call.send(whole_answer(status, R"({"error":{"message":"later"}})", "connection: close\r\n"));
  }
  Socket last = provider.accept();
  last.read_message();
  last.send(whole_answer(200, whole_text("at last"), "connection: close\r\n"));
  CHECK(client.read_message().ends_with(whole_text("at last")));
  for (const int status : {400, 401, 403}) {
    client.send(post(chat, chat_body(false)));
    Socket call = provider.accept();
    call.read_message();
    call.send(whole_answer(status, R"({"error":{"message":"never"}})", "connection: close\r\n"));
    CHECK(client.read_message().starts_with("HTTP/1.1 " + std::to_string(status == 401 ? 502 : status)));
  }
  CHECK(proxied.settles(4));
}

TEST_CASE("proxy relay: the next provider is asked where one is not there, says nothing, or is cut before a byte") {
  Listener second;
  const Listener closed;
  Listener silent;
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind);
    auto gone = std::make_unique<Listener>();
    const Proxied proxied({{kind == 0 ? gone.get() : &silent}, {&second}},
                          [](proxy::Settings& settings) { settings.upstreams[0].exchange.first_byte_ms = 100; });
    if (kind == 0)
      gone.reset();
    Socket client = proxied.client();
    client.send(post(chat, chat_body(true)));
    Socket first;
    if (kind != 0) {
      first = silent.accept();
      first.read_message();
      if (kind == 2)
        first.close();
    }
    Socket call = second.accept();
    call.read_message();
    call.send(stream_head + chunk(text_event("from the second") + finish_event + done_event) + "0\r\n\r\n");
    client.read_until("\r\n0\r\n\r\n");
    CHECK(client.got().starts_with("HTTP/1.1 200 "));
    CHECK(client.got().find("from the second") != std::string::npos);
    CHECK(proxied.settles(1));
  }
}

TEST_CASE("proxy relay: a client is kept with comments while nothing comes, and an error after them is an event") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) { settings.bounds.keepalive_ms = 100; });
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  client.read_until(": keep-alive\n\n");
  CHECK(client.got().find(": keep-alive\n\n") != std::string::npos);
  call.send(whole_answer(500, R"({"error":{"message":"broke"}})"));
  CHECK(client.is_closed());
  CHECK(client.got().find("data: {\"error\":{") != std::string::npos);
  CHECK(client.got().find("broke") != std::string::npos);
}

TEST_CASE("proxy relay: ten megabytes of an image pass, and one byte more than the bound is a 413 in JSON") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) { settings.bounds.body_bytes_max = 14U << 20; });
  const std::string image(std::size_t{13} << 20, 'A');
  const std::string body = R"({"model":"m","messages":[{"role":"user","content":[{"type":"image_url",)"
                           R"("image_url":{"url":"data:image/png;base64,)" +
                           image + R"("}}]}]})";
  Socket client = proxied.client();
  std::thread sends([&] { client.send(post(chat, body)); });
  Socket call = provider.accept();
  const std::string got = call.read_message();
  sends.join();
  CHECK(got.size() > image.size());
  CHECK(got.find("real-m") != std::string::npos);
  call.send(whole_answer(200, whole_text("seen")));
  CHECK(client.read_message().ends_with(whole_text("seen")));
  Socket too_large = proxied.client();
  too_large.send("POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 14680065\r\n\r\n{");
  const std::string answer = too_large.read_message();
  CHECK(answer.starts_with("HTTP/1.1 413 "));
  CHECK(answer.find("application/json") != std::string::npos);
  CHECK(answer.find("request_too_large") != std::string::npos);
}

TEST_CASE("proxy relay: a client that does not read stops the provider, and gets all of it when it reads again") {
  Listener provider;
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head);
  ::fcntl(call.handle(), F_SETFL, O_NONBLOCK);
  const std::string piece = chunk(text_event(std::string(60'000, 'w')));
  std::size_t sent = 0;
  const std::size_t most = std::size_t{64} << 20;
  std::string rest;
  // Until nothing more is taken for a while.
  for (int quiet = 0; quiet < 20 && sent < most;) {
    if (rest.empty())
      rest = piece;
    const ssize_t size = ::send(call.handle(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (size > 0) {
      sent += static_cast<std::size_t>(size);
      rest.erase(0, static_cast<std::size_t>(size));
      quiet = 0;
    } else {
      ++quiet;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  CHECK(sent < most);
  CHECK(proxied.answer(get("/healthz")).starts_with("HTTP/1.1 200 "));
  ::fcntl(call.handle(), F_SETFL, 0);
  std::thread sends([&] { call.send(rest + chunk(finish_event + done_event) + "0\r\n\r\n"); });
  std::size_t from = 0;
  while (!client.got().ends_with("\r\n0\r\n\r\n")) {
    const std::size_t before = client.got().size();
    client.read_until("\r\n0\r\n\r\n", from);
    from = before > 8 ? before - 8 : 0;
    if (client.got().size() == before)
      break;
  }
  sends.join();
  CHECK(has_clean_end(client.got()));
  CHECK(client.got().size() >= sent);
}

TEST_CASE("proxy relay: an event of a hundred megabytes passes within the bound of an answer, and is ended beyond it") {
  Listener provider;
  for (const bool fits : {true, false}) {
    const Proxied proxied({{&provider}}, [&](proxy::Settings& settings) {
      settings.bounds.answer_bytes_max = fits ? 256U << 20 : 20U << 20;
    });
    Socket client = proxied.client();
    client.send(post(chat, chat_body(true)));
    Socket call = provider.accept();
    call.read_message();
    std::thread sends([&] {
      call.send(stream_head + chunk("data: {\"choices\":[{\"delta\":{\"content\":\""));
      const std::string piece = chunk(std::string(1 << 20, 'l'));
      for (int i = 0; i < 100; ++i) {
        if (!call.send(piece))
          return;
      }
      call.send(chunk("\"}}]}\n\n" + finish_event + done_event) + "0\r\n\r\n");
    });
    std::size_t from = 0;
    while (true) {
      const std::size_t before = client.got().size();
      client.read_until("\r\n0\r\n\r\n", from);
      from = before > 8 ? before - 8 : 0;
      if (client.got().size() == before || client.got().ends_with("\r\n0\r\n\r\n"))
        break;
    }
    if (!fits) {
      CHECK(client.is_closed());
      call.close();
    }
    sends.join();
    CHECK(has_clean_end(client.got()) == fits);
    CHECK((client.got().size() > (100U << 20)) == fits);
    CHECK(proxied.settles(1));
  }
}

TEST_CASE("proxy relay: a provider that sends one byte a second is passed on event by event") {
  Listener provider;
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head);
  for (const char byte : text_event("slow"))
    call.send(chunk({&byte, 1}));
  client.read_until("slow");
  CHECK(client.got().find("slow\"},\"finish_reason\":null}]}\n\n") != std::string::npos);
}

TEST_CASE("proxy relay: a page of an allowed origin is answered, errors too, and its preflight needs no key") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) { settings.origins = {"https://app.example"}; });
  const std::string asks =
      "access-control-request-method: POST\r\naccess-control-request-headers: authorization, "
      "x-stainless-os\r\n";
  const auto options = [&](const std::string& origin) {
    return proxied.answer("OPTIONS /v1/chat/completions HTTP/1.1\r\nhost: h\r\norigin: " + origin + "\r\n" + asks +
                          "\r\n");
  };
  const std::string allowed = options("https://app.example");
  CHECK(allowed.starts_with("HTTP/1.1 204 "));
  CHECK(allowed.find("access-control-allow-origin: https://app.example\r\n") != std::string::npos);
  CHECK(allowed.find("access-control-allow-headers: authorization, x-stainless-os\r\n") != std::string::npos);
  CHECK(options("https://evil.example").starts_with("HTTP/1.1 403 "));
  const std::string wrong = proxied.answer(post(chat, "{", "origin: https://app.example\r\n"));
  CHECK(wrong.starts_with("HTTP/1.1 400 "));
  CHECK(wrong.find("access-control-allow-origin: https://app.example\r\n") != std::string::npos);
  const std::string evil = proxied.answer(post(chat, chat_body(false), "origin: https://evil.example\r\n"));
  CHECK(evil.starts_with("HTTP/1.1 403 "));
  CHECK(evil.find("access-control-allow-origin") == std::string::npos);
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true), "origin: https://app.example\r\n"));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head + chunk(text_event("one") + finish_event + done_event) + "0\r\n\r\n");
  client.read_until("\r\n0\r\n\r\n");
  CHECK(client.got().find("access-control-allow-origin: https://app.example\r\n") != std::string::npos);
}

TEST_CASE("proxy relay: without a key only this machine's own names are answered") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string request = "GET /v1/models HTTP/1.1\r\nhost: ";
  CHECK(proxied.answer(request + "127.0.0.1:8788\r\n\r\n").starts_with("HTTP/1.1 200 "));
  CHECK(proxied.answer(request + "localhost\r\n\r\n").starts_with("HTTP/1.1 200 "));
  const std::string rebound = proxied.answer(request + "evil.example\r\n\r\n");
  CHECK(rebound.starts_with("HTTP/1.1 403 "));
  CHECK(rebound.find("host_not_ours") != std::string::npos);
}

TEST_CASE("proxy relay: models are listed as each client expects, and what is not there is said so") {
  Listener provider;
  const Proxied proxied({{&provider}});
  CHECK(proxied.answer(get("/v1/models")).find(R"({"object":"list","data":[{"id":"m","object":"model")") !=
        std::string::npos);
  CHECK(proxied.answer(get("/v1/models", "anthropic-version: 2023-06-01\r\n"))
            .find(R"({"data":[{"type":"model","id":"m")") != std::string::npos);
  CHECK(proxied.answer(get("/v1/models/m")).find(R"({"id":"m")") != std::string::npos);
  CHECK(proxied.answer(get("/v1/models/n")).starts_with("HTTP/1.1 404 "));
  CHECK(proxied.answer(get("/healthz")).ends_with(R"({"status":"ok"})"));
  CHECK(proxied.answer(get("/nothing")).starts_with("HTTP/1.1 404 "));
  const std::string method = proxied.answer(get(chat));
  CHECK(method.starts_with("HTTP/1.1 405 "));
  CHECK(method.find("allow: POST, OPTIONS\r\n") != std::string::npos);
  CHECK(method.find("it takes POST, OPTIONS") != std::string::npos);
  CHECK(proxied.answer(post(chat, R"({"model":"unknown","messages":[{"role":"user","content":"x"}]})"))
            .find("model_not_found") != std::string::npos);
  const std::string contract = proxied.answer(post(chat, chat_body(false), "x-plumb-contract: quizz\r\n"));
  CHECK(contract.starts_with("HTTP/1.1 404 "));
  CHECK(contract.find("contract_not_found") != std::string::npos);
  const std::string coded = proxied.answer(post(chat, chat_body(false), "content-encoding: gzip\r\n"));
  CHECK(coded.starts_with("HTTP/1.1 415 "));
  CHECK(coded.find("content-encoding: gzip") != std::string::npos);
}

TEST_CASE("proxy relay: an answer is given again for the same Idempotency-Key, and for nothing else") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string body = chat_body(true, ",\"temperature\":0");
  const std::string key = "idempotency-key: k1\r\n";
  const auto asked = [&](const std::string& fields) {
    Socket client = proxied.client();
    client.send(post(chat, body, fields));
    Socket call = provider.accept();
    call.read_message();
    call.send(stream_head + chunk(text_event("once")) + chunk(finish_event + done_event) + "0\r\n\r\n");
    client.read_until("\r\n0\r\n\r\n");
  };
  asked("");
  asked("");  // the same request, at temperature 0: it is another call
  asked(key);
  REQUIRE(proxied.settles(3));
  const std::string again = proxied.answer(post(chat, body, key));
  CHECK(again.ends_with(text_event("once") + finish_event + done_event));
  CHECK(again.find("content-type: text/event-stream") != std::string::npos);
  CHECK(again.find("x-plumb-replayed: true") != std::string::npos);
  CHECK(proxied.settles(4));
}

TEST_CASE("proxy relay: an answer says what the limits of a minute leave, not what the provider's account has left") {
  Listener provider;
  const Proxied proxied({{&provider}});
  REQUIRE(proxied.policy->replace(proxied.settings_with([](proxy::Settings& settings) {
    settings.each_key.requests_per_minute = 5;
    settings.all.requests_per_minute = 3;
    settings.each_key.tokens_per_minute = 100'000;
  }),
                                  proxy::moment_now()));
  for (const std::string left : {"2", "1"}) {
    Socket client = proxied.client();
    client.send(post(chat, chat_body(false)));
    Socket call = provider.accept();
    call.read_message();
    call.send(whole_answer(200, whole_text("hi"), "x-ratelimit-remaining-requests: 9999\r\n"));
    const std::string answer = client.read_message();
    CHECK(answer.find("x-ratelimit-limit-requests: 3\r\nx-ratelimit-remaining-requests: " + left + "\r\n") !=
          std::string::npos);
    CHECK(answer.find("x-ratelimit-limit-tokens: 100000\r\n") != std::string::npos);
    // A minute, and the second that is being filled.
    const std::size_t reset = answer.find("\r\nx-ratelimit-reset-requests: 1m");
    REQUIRE(reset != std::string::npos);
    CHECK(answer.substr(answer.find("\r\n", reset + 2) - 1, 1) == "s");
    CHECK(answer.find("\r\nx-ratelimit-reset-tokens: 1m") != std::string::npos);
    CHECK(answer.find("anthropic-ratelimit") == std::string::npos);
    CHECK(answer.find("9999") == std::string::npos);
  }
  Socket client = proxied.client();
  client.send(post(messages, R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Say it."}]})"));
  Socket call = provider.accept();
  call.read_message();
  call.send(whole_answer(200, whole_text("hi")));
  const std::string answer = client.read_message();
  CHECK(answer.find("anthropic-ratelimit-requests-limit: 3\r\nanthropic-ratelimit-requests-remaining: 0\r\n") !=
        std::string::npos);
  const std::size_t at = answer.find("anthropic-ratelimit-tokens-reset: ");
  REQUIRE(at != std::string::npos);
  const auto told = proxy::read_utc(answer.substr(at + 34, 20));
  REQUIRE(told);
  CHECK(*told > proxy::moment_now().wall_ms);
}

TEST_CASE("proxy relay: an Idempotency-Key with another wish in the headers is another request, and is refused") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string key = "idempotency-key: k1\r\n";
  const std::string body = chat_body(
      false, R"(,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}})");
  Socket client = proxied.client();
  client.send(post(chat, body, key));
  Socket call = provider.accept();
  call.read_message();
  call.send(whole_answer(200, whole_text("not judged")));
  client.read_message();
  REQUIRE(proxied.settles(1));
  for (const std::string mode : {"enforce", "hold-back"}) {
    const std::string refused = proxied.answer(post(chat, body, key + "x-plumb-mode: " + mode + "\r\n"));
    CHECK(refused.starts_with("HTTP/1.1 422 "));
    CHECK(refused.find("idempotency_key_reused") != std::string::npos);
    CHECK(refused.find("not judged") == std::string::npos);
  }
  CHECK(proxied.answer(post(chat, body, key)).find("x-plumb-replayed: true") != std::string::npos);
}

TEST_CASE("proxy relay: a provider's redirect is not followed, so that its key goes nowhere else") {
  Listener provider;
  Listener elsewhere;
  const Proxied proxied({{&provider}});
  for (const int status : {301, 302, 307, 308}) {
    CAPTURE(status);
    Socket client = proxied.client();
    client.send(post(chat, chat_body(false)));
    Socket call = provider.accept();
    call.read_message();
    call.send(whole_answer(status, "{}", "location: http://127.0.0.1:" + std::to_string(elsewhere.port()) + "/v1\r\n"));
    const std::string answer = client.read_message();
    CHECK(answer.starts_with("HTTP/1.1 502 "));
    CHECK(answer.find("location:") == std::string::npos);
  }
  // Connections are accepted in the order in which they came: had anybody come before, it would not be this one.
  Socket own = connect_to(elsewhere.port());
  own.send("nobody came before");
  Socket first = elsewhere.accept();
  first.read_until("before");
  CHECK(first.got() == "nobody came before");
}

TEST_CASE("proxy relay: settings are replaced under open streams, which go on") {
  Listener provider;
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head + chunk(text_event("before")));
  client.read_until("before");
  REQUIRE(proxied.policy->replace(
      proxied.settings_with([](proxy::Settings& settings) { settings.routes[0].name = "other"; }),
      proxy::moment_now()));
  CHECK(proxied.answer(post(chat, chat_body(false))).find("model_not_found") != std::string::npos);
  call.send(chunk(text_event("after") + finish_event + done_event) + "0\r\n\r\n");
  client.read_until("\r\n0\r\n\r\n");
  CHECK(unchunked(client.got()) == text_event("before") + text_event("after") + finish_event + done_event);
}

TEST_CASE("proxy relay: stopping with five hundred open streams finishes those that end in time and tells the others") {
  Listener provider;
  Proxied proxied({{&provider}});
  std::deque<Socket> clients;
  std::deque<Socket> calls;
  for (int i = 0; i < 500; ++i) {
    clients.push_back(proxied.client());
    clients.back().send(post(chat, chat_body(true)));
    calls.push_back(provider.accept());
    calls.back().send(stream_head + chunk(text_event("one")));
  }
  for (Socket& one : clients)
    REQUIRE(one.read_until("one").find("one") != std::string::npos);
  std::thread stops([&] { proxied.port->stop(1'500); });
  for (std::size_t i = 0; i < 250; ++i)
    calls[i].send(chunk(finish_event + done_event) + "0\r\n\r\n");
  for (std::size_t i = 0; i < clients.size(); ++i) {
    CAPTURE(i);
    REQUIRE(clients[i].is_closed());
    if (i < 250) {
      CHECK(has_clean_end(clients[i].got()));
      CHECK(clients[i].got().find("[DONE]") != std::string::npos);
    } else {
      CHECK(clients[i].got().find("data: {\"error\":{") != std::string::npos);
      CHECK(clients[i].got().find("[DONE]") == std::string::npos);
    }
  }
  stops.join();
  CHECK(proxied.settles(500));
}

TEST_CASE("event filter: whole events pass, however they are cut; usage alone and the end are kept back") {
  const std::string text =
      ": c\n\n" + text_event("one") + usage_event + "data: x\r\n\r\n" + done_event + "data: y\r\rdata: z";
  const std::string wanted = ": c\n\n" + text_event("one") + "data: x\r\n\r\n";  // nothing follows the end
  for (std::size_t size = 1; size <= text.size(); ++size) {
    CAPTURE(size);
    EventFilter filter({true, true});
    std::string passed;
    for (std::size_t at = 0; at < text.size(); at += size)
      passed += filter.pass(std::string_view(text).substr(at, size));
    CHECK(passed == wanted);
    CHECK(filter.end_event() == done_event);
    CHECK(filter.inside());
  }
  // An end is one whatever stands around it in its event, and words of an answer are none.
  for (const std::string& end :
       {std::string(": note\ndata: [DONE]\n\n"), std::string("id: 7\nevent: x\ndata:[DONE] \n\n"),
        std::string("data: {\"type\" : \"message_stop\"}\n\n"),
        std::string("data: {\"a\":1,\"type\":\"response.completed\"}\nevent: response.completed\n\n")}) {
    EventFilter filter({true, true});
    CHECK(filter.pass(text_event("[DONE] message_stop") + end + end) == text_event("[DONE] message_stop"));
    CHECK(filter.end_event() == end);
  }
  EventFilter failing({false, false});
  CHECK(failing.pass_before_error(text_event("one") + "data: {\"detail\":\"x\"}\n\n" + text_event("two")) ==
        text_event("one"));
  EventFilter nothing({false, false});
  CHECK(nothing.pass(usage_event + done_event) == usage_event + done_event);
}
