// What the client gets of an answer that a provider writes in its own way: the same in every mode, whatever the content
// type says, streamed or whole.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/native/proxied.hpp"
#include "tests/native/upstream.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

constexpr std::string_view sent_format =
    R"(,"plumb":{"attempts":0},"response_format":{"type":"json_schema","json_schema":{"name":"n",)"
    R"("schema":{"type":"object","required":["city"],"properties":{"city":{"const":"Paris"}}}}})";

std::string event(std::string_view data) { return "data: " + std::string(data) + "\n\n"; }
std::string piece(std::string_view content, std::string_view finish = "null") {
  return event(R"({"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[{"index":0,)"
               R"("delta":{"content":")" +
               std::string(content) + R"("},"finish_reason":)" + std::string(finish) + "}]}");
}
const std::string begun = piece(R"({\"city\":\"Pa)");
const std::string good = begun + piece(R"(ris\"})", R"("stop")") + event("[DONE]");
const std::string whole = whole_text(R"({\"city\":\"Paris\"})");

struct Answered {
  std::string type;
  std::string body;
  // In the client's answer: a text that it has, or the message of an error.
  std::string text;
  bool error = false;
};

std::string asked(const Proxied& proxied, Listener& provider, const Answered& one, bool stream, std::string_view mode) {
  const std::string fields = mode.empty() ? std::string("connection: close\r\n")
                                          : "connection: close\r\nx-plumb-mode: " + std::string(mode) + "\r\n";
  Socket client = proxied.client();
  client.send(post(chat, chat_body(stream, mode.empty() ? "" : sent_format), fields));
  Socket call = provider.accept();
  call.read_message();
  call.send("HTTP/1.1 200 OK\r\n" + (one.type.empty() ? "" : "content-type: " + one.type + "\r\n") +
            "content-length: " + std::to_string(one.body.size()) + "\r\n\r\n" + one.body);
  client.is_closed();
  return client.got();
}

void check_all(const std::vector<Answered>& cases, bool stream) {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) {
    settings.retries.retries_max = 0;
    settings.breaker.failures_min = 100'000;
  });
  for (const Answered& one : cases) {
    for (const std::string_view mode : {"", "observe", "enforce", "hold-back"}) {
      CAPTURE(one.type);
      CAPTURE(one.body);
      CAPTURE(mode);
      const std::string got = asked(proxied, provider, one, stream, mode);
      CAPTURE(got);
      CHECK(got.find(one.text) != std::string::npos);
      CHECK((got.find(R"("error":{)") != std::string::npos) == one.error);
      const bool is_stream = got.find("\r\ncontent-type: text/event-stream") != std::string::npos;
      if (!one.error) {
        CHECK(is_stream == stream);
        CHECK(got.starts_with("HTTP/1.1 200 "));
        const std::size_t done = got.find("[DONE]");
        CHECK((done != std::string::npos) == stream);
        // What passes unread is the provider's own bytes; a verdict comes before the one end.
        CHECK((!stream || mode.empty() || got.find("[DONE]", done + 1) == std::string::npos));
        CHECK((mode.empty() || got.find(R"("valid":true)") != std::string::npos));
      } else {
        CHECK(got.find("[DONE]") == std::string::npos);
        CHECK(got.find(R"("valid":true)") == std::string::npos);
      }
    }
  }
}

}  // namespace

TEST_CASE("proxy reading: a stream is read whatever its content type says, and a whole answer becomes one") {
  std::vector<Answered> cases;
  for (const char* const type : {"text/event-stream", "Text/Event-Stream; charset=UTF-8", "application/json",
                                 "text/plain", "application/octet-stream", ""}) {
    cases.push_back({type, good, "ris", false});
    cases.push_back({type, whole, "Paris", false});
  }
  cases.push_back({"text/event-stream", begun + piece(R"(ris\"})", R"("stop")") + ": tail\ndata: [DONE]\n\n", "ris"});
  cases.push_back({"text/event-stream", good + event("[DONE]"), "ris"});
  cases.push_back({"text/event-stream",
                   "id: 1\n" + begun + event("null") + piece(R"(ris\"})", R"("stop")") + event("[DONE]"), "ris"});
  check_all(cases, true);
}

TEST_CASE("proxy reading: a whole answer is one however it comes") {
  check_all({{"application/json", whole, "Paris"},
             {"", whole, "Paris"},
             {"text/event-stream", good, "Paris"},
             {"application/json", good, "Paris"}},
            false);
}

TEST_CASE("proxy reading: an error under a success is an error in every mode, with what it says") {
  const std::vector<std::string> errors = {
      R"({"detail":"engine dead"})", R"({"object":"error","message":"engine dead","code":500})",
      R"({"code":500,"message":"engine dead"})", R"({"error":{"message":"engine dead","type":"server_error"}})",
      R"({"error":"engine dead"})"};
  std::vector<Answered> streams;
  std::vector<Answered> wholes;
  for (const std::string& error : errors) {
    for (const char* const type : {"text/event-stream", "application/json"}) {
      streams.push_back({type, begun + event(error) + event("[DONE]"), "engine dead", true});
      streams.push_back({type, event(error) + event("[DONE]"), "engine dead", true});
      streams.push_back({type, error, "engine dead", true});
      wholes.push_back({type, error, "engine dead", true});
    }
  }
  streams.push_back({"text/event-stream", begun + event("{not json}") + event("[DONE]"), "JSON", true});
  check_all(streams, true);
  check_all(wholes, false);
}

TEST_CASE("proxy reading: a provider's error keeps its parameter and its id, and a refused key is a gateway's fault") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) {
    settings.retries.retries_max = 0;
    settings.breaker.failures_min = 100'000;
  });
  const auto told = [&](std::string_view path, int status, const std::string& error) {
    Socket client = proxied.client();
    client.send(post(path, path == chat
                               ? chat_body(false)
                               : R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]})"));
    Socket call = provider.accept();
    call.read_message();
    call.send(whole_answer(status, error));
    return client.read_message();
  };
  const std::string refused =
      told(chat, 400,
           R"({"error":{"message":"bad thing","type":"invalid_request_error","param":"temperature","code":"bad"}})");
  CHECK(refused.starts_with("HTTP/1.1 400 "));
  CHECK(refused.find("bad thing") != std::string::npos);
  CHECK(refused.find(R"("param":"temperature","code":"bad")") != std::string::npos);
  CHECK(refused.find("\r\nx-should-retry: false\r\n") != std::string::npos);
  CHECK(refused.find("\r\nx-plumb-attempts: 1\r\n") != std::string::npos);
  const std::string named =
      told(messages, 400,
           R"({"type":"error","error":{"type":"invalid_request_error","message":"too big"},"request_id":"req_011"})");
  CHECK(named.find(R"("request_id":"req_011")") != std::string::npos);
  for (const int status : {200, 401}) {
    const std::string key =
        told(chat, status,
             R"({"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}})");
    CHECK(key.starts_with("HTTP/1.1 502 "));
    CHECK(key.find(R"("code":"provider_refused_key")") != std::string::npos);
  }
}

TEST_CASE(
    "proxy reading: a request bounds what its call may cost, and a tool that cannot be enforced is refused first") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) {
    settings.retries.retries_max = 5;
    settings.retries.backoff_ms = 1;
  });
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false), "x-plumb-budget: attempts=2, tokens=100000\r\n"));
  for (int i = 0; i < 2; ++i) {
    Socket call = provider.accept();
    call.read_message();
    call.send(whole_answer(500, R"({"error":{"message":"down"}})"));
  }
  const std::string down = client.read_message();
  CHECK(down.starts_with("HTTP/1.1 500 "));
  CHECK(down.find("\r\nx-plumb-attempts: 2\r\n") != std::string::npos);
  for (const char* const wrong : {"attempts=0", "attempts", "tokens=x", "calls=2", "attempts=2;tokens=3"}) {
    const std::string answer =
        proxied.answer(post(chat, chat_body(false), "x-plumb-budget: " + std::string(wrong) + "\r\n"));
    CHECK(answer.starts_with("HTTP/1.1 400 "));
    CHECK(answer.find("invalid_budget") != std::string::npos);
  }
  const std::string tool = proxied.answer(
      post(chat,
           chat_body(false, R"(,"tools":[{"type":"function","function":{"name":"go","parameters":{"type":"strin"}}}])"),
           "x-plumb-mode: enforce\r\n"));
  CHECK(tool.starts_with("HTTP/1.1 400 "));
  CHECK(tool.find("invalid_tool_schema") != std::string::npos);
}
