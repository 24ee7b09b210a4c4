// A judge behind the data port: two scripted providers, one that answers and one that judges; the rest is real.
#include <doctest/doctest.h>

#include "core/contract/contract.hpp"
#include "native/proxy/time_point.hpp"
#include "tests/native/proxied.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

const std::string ask_body =
    R"("plumb":{"contract":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}},)"
    R"("rules":[{"id":"known","title":"Known","ask":"The answer stands in what was said."}]})";
const std::string finish_events =
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

std::string wishing(std::string_view mode, std::string_view more = "") {
  return "," + ask_body + ",\"mode\":\"" + std::string(mode) + "\"" + std::string(more) + "}";
}

std::string artifact_event() { return text_event(R"({\"a\": \"said\"})"); }

std::string claims(bool hold, std::string_view quote = "Say what is to be said.") {
  return whole_text(
      hold ? R"({\"claims\":[{\"rule\":\"known\",\"at\":\"\",\"holds\":true,\"quote\":\")" + std::string(quote) +
                 R"(\"}]})"
           : R"({\"claims\":[{\"rule\":\"known\",\"at\":\"/a\",\"holds\":false,\"reason\":\"Not so.\"}]})");
}

struct Judged {
  explicit Judged(const Proxied::Change& change = {})
      : proxied({{&provider}, {&judge}}, [&](proxy::Settings& settings) {
          proxy::Route& route = settings.routes[0];
          settings.judge.route.name = "judge";
          settings.judge.route.targets = {route.fallbacks[0]};
          settings.judge.route.targets[0].model = "judge-m";
          route.fallbacks.clear();
          if (change)
            change(settings);
        }) {}

  std::uint64_t count(const std::string& name) const {
    std::string text = "\n";
    proxied.policy->append_metrics(text, proxy::moment_now());
    return metric(text, name);
  }

  Listener provider;
  Listener judge;
  Proxied proxied;
};

std::string close_head() {
  return "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ntransfer-encoding: "
         "chunked\r\n\r\n";
}

}  // namespace

TEST_CASE("proxy judge: in enforce the judge is asked before anything is released, and its usage is the call's") {
  for (const bool stream : {false, true}) {
    CAPTURE(stream);
    Judged judged;
    Socket client = judged.proxied.client();
    client.send(post(chat, chat_body(stream, wishing("enforce"))));
    Socket call = judged.provider.accept();
    CHECK(call.read_message().find("\"real-m\"") != std::string::npos);
    call.send(close_head() + chunk(artifact_event() + finish_events) + "0\r\n\r\n");
    Socket asked = judged.judge.accept();
    const std::string question = asked.read_message();
    CHECK(question.find("\"model\":\"judge-m\"") != std::string::npos);
    CHECK(question.find("known: The answer stands in what was said.") != std::string::npos);
    CHECK(question.find("Say what is to be said.") != std::string::npos);
    CHECK(client.got().find("said") == std::string::npos);
    asked.send(whole_answer(200, claims(true), "connection: close\r\nx-ratelimit-remaining-tokens: 77\r\n"));
    if (stream)
      client.read_until("\r\n0\r\n\r\n");
    else
      client.read_message();
    const std::string& got = client.got();
    CHECK(got.starts_with("HTTP/1.1 200 "));
    CHECK(got.find("said") != std::string::npos);
    CHECK(got.find("\"decision\":\"accept\"") != std::string::npos);
    CHECK(got.find(R"("judge":{"calls":1,"holds":1,"broken":0,"undecided":0})") != std::string::npos);
    // Nothing of the judge's answer is the client's.
    CHECK(got.find("claims") == std::string::npos);
    CHECK(got.find("remaining-tokens: 77") == std::string::npos);
    CHECK(judged.proxied.settles(1));
    CHECK(judged.count("plumb_proxy_judge_calls_total") == 1);
    CHECK(judged.count("plumb_proxy_judged_total") == 1);
    CHECK(judged.count("plumb_proxy_judge_failed_total") == 0);
  }
}

TEST_CASE("proxy judge: what the judge denies is repaired by the provider that answered, else it is an error") {
  Judged judged;
  Socket client = judged.proxied.client();
  client.send(post(chat, chat_body(false, wishing("enforce", ",\"attempts\":1"))));
  std::string repair;
  for (const bool first : {true, false}) {
    Socket call = judged.provider.accept();
    repair = call.read_message();
    call.send(close_head() + chunk(first ? artifact_event() : text_event(R"({\"a\": \"other\"})")) +
              chunk(finish_events) + "0\r\n\r\n");
    Socket asked = judged.judge.accept();
    asked.read_message();
    asked.send(whole_answer(200, claims(false), "connection: close\r\n"));
  }
  CHECK(repair.find("Not so.") != std::string::npos);
  CHECK(repair.find("\"real-m\"") != std::string::npos);
  const std::string answer = client.read_message();
  CHECK(answer.starts_with("HTTP/1.1 406 "));
  CHECK(answer.find("contract_not_kept") != std::string::npos);
  CHECK(answer.find("Not so.") != std::string::npos);
  CHECK(judged.proxied.settles(1));
  CHECK(judged.count("plumb_proxy_judge_calls_total") == 2);
}

TEST_CASE("proxy judge: in hold-back the judge is asked at the end, and a denial is the stream's last event") {
  Judged judged;
  Socket client = judged.proxied.client();
  client.send(post(chat, chat_body(true, wishing("hold-back"))));
  Socket call = judged.provider.accept();
  call.read_message();
  call.send(close_head() + chunk(artifact_event() + finish_events) + "0\r\n\r\n");
  client.read_until("said");
  Socket asked = judged.judge.accept();
  asked.read_message();
  asked.send(whole_answer(200, claims(false), "connection: close\r\n"));
  CHECK(client.read_until("contract_not_kept").find("Not so.") != std::string::npos);
  CHECK(client.got().find("[DONE]") == std::string::npos);
  CHECK(judged.proxied.settles(1));
}

TEST_CASE("proxy judge: a judge that fails, is away or is too late leaves the answer visibly unverified") {
  enum class Fails { refuses, closes, says_nothing, proves_nothing };
  for (const Fails how : {Fails::refuses, Fails::closes, Fails::says_nothing, Fails::proves_nothing}) {
    CAPTURE(static_cast<int>(how));
    for (const bool passes : {true, false}) {
      CAPTURE(passes);
      Judged judged([&](proxy::Settings& settings) {
        settings.judge.open_passes = passes;
        settings.judge.deadline_ms = how == Fails::says_nothing ? 200 : 30'000;
      });
      Socket client = judged.proxied.client();
      client.send(post(chat, chat_body(false, wishing("enforce"))));
      Socket call = judged.provider.accept();
      call.read_message();
      call.send(close_head() + chunk(artifact_event() + finish_events) + "0\r\n\r\n");
      Socket asked = judged.judge.accept();
      asked.read_message();
      if (how == Fails::refuses)
        asked.send(whole_answer(400, R"({"error":{"message":"no such model"}})", "connection: close\r\n"));
      else if (how == Fails::proves_nothing)
        asked.send(whole_answer(200, claims(true, "Never said."), "connection: close\r\n"));
      else if (how == Fails::closes)
        asked.close();
      const std::string answer = client.read_message();
      if (passes) {
        CHECK(answer.starts_with("HTTP/1.1 200 "));
        CHECK(answer.find("x-plumb-decision: accept_unverified\r\n") != std::string::npos);
        CHECK(answer.find("said") != std::string::npos);
        CHECK(answer.find("\"undecided\":1,\"reason\":") != std::string::npos);
      } else {
        CHECK(answer.starts_with("HTTP/1.1 406 "));
        CHECK(answer.find("contract_undecided") != std::string::npos);
      }
      CHECK(judged.proxied.settles(1));
      CHECK(judged.count("plumb_proxy_judge_failed_total") == (how == Fails::proves_nothing ? 0 : 1));
    }
  }
}

TEST_CASE("proxy judge: without one, rules for a judge pass as unverified, and observe asks nobody") {
  for (const bool observes : {false, true}) {
    CAPTURE(observes);
    Judged judged([&](proxy::Settings& settings) {
      if (!observes)
        settings.judge.route.targets.clear();
    });
    Socket client = judged.proxied.client();
    client.send(post(chat, chat_body(true, wishing(observes ? "observe" : "enforce"))));
    Socket call = judged.provider.accept();
    call.read_message();
    call.send(close_head() + chunk(artifact_event() + finish_events) + "0\r\n\r\n");
    client.read_until("\r\n0\r\n\r\n");
    CHECK(client.got().find(observes ? R"("decision":"accept")" : R"("decision":"accept_unverified")") !=
          std::string::npos);
    CHECK((observes || client.got().find("no judge is configured") != std::string::npos));
    CHECK(judged.proxied.settles(1));
    CHECK(judged.count("plumb_proxy_judge_calls_total") == 0);
  }
}

TEST_CASE("proxy judge: its tokens are reserved before it is asked; where a limit says no, the answer is unverified") {
  Judged judged([](proxy::Settings& settings) { settings.each_key.tokens_per_minute = 5'000; });
  Socket client = judged.proxied.client();
  client.send(post(chat, chat_body(false, wishing("enforce", "") + ",\"max_tokens\":4000")));
  Socket call = judged.provider.accept();
  call.read_message();
  call.send(close_head() + chunk(artifact_event() + finish_events) + "0\r\n\r\n");
  const std::string answer = client.read_message();
  CHECK(answer.find("x-plumb-decision: accept_unverified\r\n") != std::string::npos);
  CHECK(answer.find("the judge was not asked: The limit tokens_per_minute") != std::string::npos);
  CHECK_FALSE(judged.judge.has_more(0));
  CHECK(judged.proxied.settles(1));
}

TEST_CASE("proxy judge: when the time of the call is up while the judge is asked, the answer is given unverified") {
  Judged judged([](proxy::Settings& settings) { settings.bounds.call_ms = 500; });
  Socket client = judged.proxied.client();
  client.send(post(chat, chat_body(false, wishing("enforce"))));
  Socket call = judged.provider.accept();
  call.read_message();
  call.send(close_head() + chunk(artifact_event() + finish_events) + "0\r\n\r\n");
  Socket asked = judged.judge.accept();
  asked.read_message();
  const std::string answer = client.read_message();
  CHECK(answer.starts_with("HTTP/1.1 200 "));
  CHECK(answer.find("x-plumb-decision: accept_unverified\r\n") != std::string::npos);
  CHECK(judged.proxied.settles(1));
}

TEST_CASE("proxy judge: a client that leaves while the judge is asked stops the judge") {
  Judged judged;
  Socket client = judged.proxied.client();
  client.send(post(chat, chat_body(true, wishing("enforce"))));
  Socket call = judged.provider.accept();
  call.read_message();
  call.send(close_head() + chunk(artifact_event() + finish_events) + "0\r\n\r\n");
  Socket asked = judged.judge.accept();
  asked.read_message();
  client.close();
  CHECK(asked.is_closed());
  CHECK(judged.proxied.settles(1));
}
