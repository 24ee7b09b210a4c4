// Idempotency-Keys that proxies share: two data ports on a real nats-server, which is lost in the midst of their calls.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "native/proxy/limit_sharing.hpp"
#include "native/store/nats/jetstream.hpp"
#include "native/store/nats/nats_address.hpp"
#include "tests/native/nats_needed.hpp"
#include "tests/native/proxied.hpp"

using namespace plumb;
using namespace plumb::test;
using plumb::proxy::Sharing;

namespace {

template <class Condition>
bool eventually(Condition condition, int ms = 20'000) {
  for (int i = 0; i < ms / 5; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

store::JetStreamSettings log_settings(const NatsServer& server, store::Keeps keeps,
                                      std::uint64_t bytes_max = 64 << 20) {
  store::JetStreamSettings settings;
  settings.address = store::read_nats_address("nats://" + server.address() + "/shared").value();
  settings.keeps = keeps;
  settings.answer_ms = 1'000;
  settings.bounds.replies_bytes_max = bytes_max;
  return settings;
}

// A data port that shares.
struct Host {
  Host(const NatsServer& server, const Listener& provider, const Proxied::Change& change = {},
       const proxy::ReplySharingOptions& options = {})
      : proxied(
            {{&provider}},
            [&](proxy::Settings& settings) {
              settings.log = proxy::LogKind::text;
              if (change)
                change(settings);
            },
            [this](std::string_view line) {
              const std::lock_guard lock(mutex);
              lines.emplace_back(line);
            }) {
    Result<std::unique_ptr<store::SharedLog>> log = store::open_jetstream(log_settings(server, store::Keeps::proxies));
    const store::JetStreamSettings calls =
        log_settings(server, store::Keeps::calls, proxied.settings->idempotency.bytes_max);
    Result<std::unique_ptr<store::SharedLog>> with = store::open_jetstream(calls);
    REQUIRE(log);
    REQUIRE_MESSAGE(static_cast<bool>(with), (with ? "" : with.error().message));
    proxy::SharingOptions sharing;
    sharing.name = calls.address.shown;
    sharing.keys_file = proxied.settings->keys_file;
    sharing.tick_ms = 50;
    sharing.replies = options;
    Result<std::unique_ptr<Sharing>> made =
        Sharing::open(std::move(log).value(), std::move(sharing), std::move(with).value());
    REQUIRE(made);
    made.value()->attach(*proxied.policy);
    shares = std::move(made).value();
  }

  bool has_said(std::string_view words) {
    const std::lock_guard lock(mutex);
    for (const std::string& line : lines) {
      if (line.find(words) != std::string::npos)
        return true;
    }
    return false;
  }
  std::string metrics() const {
    std::string out = "\n";
    proxied.policy->append_metrics(out, proxy::moment_now());
    return out;
  }
  std::uint64_t claims(const std::string& result) const {
    const std::string text = metrics();
    const std::string name = "plumb_proxy_claims_total{result=\"" + result + "\"} ";
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + name.size(), nullptr, 10);
  }
  bool is_away() const { return metrics().find("\nplumb_proxy_sharing_away 1\n") != std::string::npos; }

  std::mutex mutex;
  std::vector<std::string> lines;
  Proxied proxied;
  std::unique_ptr<Sharing> shares;
};

std::string keyed(const std::string& key, const std::string& body, const std::string& fields = {}) {
  return post(chat, body, "idempotency-key: " + key + "\r\n" + fields);
}

// What is in the streams.
struct Streams {
  explicit Streams(const NatsServer& server, std::uint64_t bytes_max = 64 << 20)
      : log(std::move(store::open_jetstream(log_settings(server, store::Keeps::calls, bytes_max))).value()) {}
  std::uint64_t calls() const { return log->head().value().messages; }
  std::uint64_t ever() const { return log->head().value().last; }
  // Records that say where an answer is.
  int answered() const {
    int count = 0;
    const Result<std::vector<store::LogMessage>> all = log->next(0, 1'000, 500);
    for (const store::LogMessage& one : all.value())
      count +=
          one.body.find("\"answer\":\"") != std::string::npos && one.body.find("\"answer\":\"\"") == std::string::npos
              ? 1
              : 0;
    return count;
  }
  std::size_t replies() const { return log->text_names().value().size(); }
  std::unique_ptr<store::SharedLog> log;
};

// The head of an answer without what is each request's own.
std::string same_of(const std::string& answer) {
  std::string out;
  for (std::size_t at = 0; at < answer.size();) {
    std::size_t end = answer.find("\r\n", at);
    end = end == std::string::npos ? answer.size() : end + 2;
    const std::string line = answer.substr(at, end - at);
    if (!line.starts_with("x-request-id: ") && !line.starts_with("date: "))
      out += line;
    at = end;
  }
  return out;
}

// What `host` answers by itself; a call that is made all the same fails.
std::string told(const Host& host, Listener& provider, const std::string& request) {
  Socket client = host.proxied.client();
  client.send(request);
  for (int i = 0; !client.has_more(5); ++i) {
    if (provider.has_more(0) || i == 2'000) {
      FAIL(std::string(i == 2'000 ? "no answer:\n" : "the call was made:\n") << host.metrics());
    }
  }
  return client.read_message();
}

// A call at `host`, whose provider answers so; the whole answer.
std::string answered(const Host& host, Listener& provider, const std::string& request, const std::string& with) {
  Socket client = host.proxied.client();
  client.send(request);
  Socket call = provider.accept();
  REQUIRE(call.is_open());
  call.read_message();
  call.send(with);
  return client.read_message();
}

}  // namespace

TEST_CASE("shared replies: what one proxy has answered another one answers the same, and no other caller's is given") {
  if (no_server())
    return;
  const NatsServer server;
  Listener provider;
  const Host a(server, provider);
  const Host b(server, provider);
  const Streams streams(server);
  const std::string body = chat_body(false);
  CHECK(answered(a, provider, keyed("k1", body), whole_answer(200, whole_text("once"))).find("once") !=
        std::string::npos);
  CHECK(eventually([&] { return streams.replies() == 1; }));
  REQUIRE(a.proxied.settles(1));
  const std::string at_a = told(a, provider, keyed("k1", body));
  // The record that says so comes after the text.
  std::string at_b;
  CHECK(eventually([&] {
    at_b = told(b, provider, keyed("k1", body));
    return at_b.find("idempotency_in_progress") == std::string::npos;
  }));
  CHECK(at_b.find("x-plumb-replayed: true") != std::string::npos);
  CHECK(same_of(at_b) == same_of(at_a));
  // Now it has it itself.
  const std::uint64_t ever = streams.ever();
  CHECK(told(b, provider, keyed("k1", body)).find("x-plumb-replayed: true") != std::string::npos);
  CHECK(streams.ever() == ever);
  CHECK(b.claims("answered") == 1);
  // The key belongs to that request, on any host.
  const Host c(server, provider);
  for (const Host* host : {&a, &b, &c}) {
    CHECK(told(*host, provider, keyed("k1", chat_body(false, ",\"temperature\":1"))).find("idempotency_key_reused") !=
          std::string::npos);
    CHECK(told(*host, provider, keyed("k1", body, "x-plumb-events: on\r\n")).find("idempotency_key_reused") !=
          std::string::npos);
  }
  // Subjects and records say neither the key nor what was asked.
  const Result<std::vector<store::LogMessage>> kept = streams.log->next(0, 100, 500);
  CHECK(kept.value().size() == 1);
  for (const store::LogMessage& message : kept.value()) {
    CHECK(message.subject.size() == 64);
    CHECK((message.subject + message.body).find("k1") == std::string::npos);
    CHECK((message.subject + message.body).find("said") == std::string::npos);
  }
}

TEST_CASE(
    "shared replies: a call that is under way at one proxy is refused at another, and made there once it failed") {
  if (no_server())
    return;
  const NatsServer server;
  Listener provider;
  const Host a(server, provider);
  const Host b(server, provider);
  const Streams streams(server);
  const std::string body = chat_body(true);
  Socket first = a.proxied.client();
  first.send(keyed("k1", body));
  Socket call = provider.accept();
  call.read_message();
  const std::string busy = told(b, provider, keyed("k1", body));
  CHECK(busy.starts_with("HTTP/1.1 409 "));
  CHECK(busy.find("idempotency_in_progress") != std::string::npos);
  CHECK(busy.find("retry-after: 1\r\n") != std::string::npos);
  CHECK(told(b, provider, keyed("k1", chat_body(false))).starts_with("HTTP/1.1 422 "));
  CHECK(b.claims("busy") == 1);
  CHECK(b.claims("other_body") == 1);
  call.send(whole_answer(500, "{}"));
  CHECK(first.read_message().starts_with("HTTP/1.1 5"));
  CHECK(eventually([&] { return streams.calls() == 0; }));
  // A client that leaves gives its claim back too.
  Socket second = b.proxied.client();
  second.send(keyed("k1", body));
  call = provider.accept();
  call.read_message();
  CHECK(streams.calls() == 1);
  second.close();
  CHECK(eventually([&] { return streams.calls() == 0; }));
  // And a stream is given again as it came.
  Socket third = a.proxied.client();
  third.send(keyed("k1", body));
  call = provider.accept();
  call.read_message();
  const std::string finish =
      "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  call.send(stream_head + chunk(text_event("twice")) + chunk(finish) + chunk("data: [DONE]\n\n") + "0\r\n\r\n");
  third.read_until("\r\n0\r\n\r\n");
  CHECK(eventually([&] { return told(b, provider, keyed("k1", body)).find("twice") != std::string::npos; }));
  CHECK_FALSE(provider.has_more(50));
}

TEST_CASE("shared replies: an answer longer than a message is given whole") {
  if (no_server())
    return;
  const NatsServer server;
  Listener provider;
  const Host a(server, provider);
  const Host b(server, provider);
  const std::string body = chat_body(false);
  std::string text;
  for (int i = 0; text.size() < 2'500'000; ++i)
    text += std::to_string(i) + " ";
  Socket client = a.proxied.client();
  client.send(keyed("k1", body));
  Socket call = provider.accept();
  call.read_message();
  call.send(whole_answer(200, whole_text(text)));
  client.read_until("\r\n0\r\n\r\n");
  CHECK(eventually([&] { return told(b, provider, keyed("k1", body)).find(text) != std::string::npos; }));
  CHECK_FALSE(provider.has_more(50));
}

TEST_CASE("shared replies: calls without an Idempotency-Key ask the servers nothing") {
  if (no_server())
    return;
  NatsServer server;
  Listener provider;
  const Host a(server, provider);
  const Streams streams(server);
  for (int i = 0; i < 3; ++i)
    CHECK(answered(a, provider, post(chat, chat_body(false)), whole_answer(200, whole_text("hi"))).find("hi") !=
          std::string::npos);
  CHECK(streams.ever() == 0);
  const Host off(server, provider, [](proxy::Settings& settings) { settings.idempotency.ttl_ms = 1'000; });
  REQUIRE(off.proxied.policy->replace(
      off.proxied.settings_with([](proxy::Settings& settings) { settings.idempotency.bytes_max = 0; }),
      proxy::moment_now()));
  CHECK(answered(off, provider, keyed("k1", chat_body(false)), whole_answer(200, whole_text("hi"))).find("hi") !=
        std::string::npos);
  CHECK(streams.ever() == 0);
}

TEST_CASE(
    "shared replies: with the servers lost in the midst of a call it ends, and others are told when they are back") {
  if (no_server())
    return;
  NatsServer server;
  Listener provider;
  Host a(server, provider);
  Host b(server, provider);
  const std::string body = chat_body(false);
  Socket first = a.proxied.client();
  first.send(keyed("k1", body));
  Socket call = provider.accept();
  call.read_message();
  server.kill();
  CHECK(eventually([&] { return a.is_away() && b.is_away(); }));
  CHECK(eventually([&] { return a.has_said("with the answers that it keeps itself for an Idempotency-Key"); }));
  call.send(whole_answer(200, whole_text("alone")));
  CHECK(first.read_message().find("alone") != std::string::npos);
  REQUIRE(a.proxied.settles(1));
  CHECK(told(a, provider, keyed("k1", body)).find("x-plumb-replayed: true") != std::string::npos);
  // Another one makes calls by itself, at once.
  const auto began = std::chrono::steady_clock::now();
  CHECK(answered(b, provider, keyed("k2", body), whole_answer(200, whole_text("of b"))).find("of b") !=
        std::string::npos);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
  CHECK(b.claims("alone") == 1);
  server.restart();
  CHECK(eventually([&] { return !a.is_away() && !b.is_away(); }));
  CHECK(eventually([&] { return a.has_said("answers are shared again"); }));
  // What was answered meanwhile is everybody's.
  const Streams streams(server);
  CHECK(eventually([&] { return streams.answered() == 2; }));
  CHECK(eventually([&] { return told(b, provider, keyed("k1", body)).find("alone") != std::string::npos; }));
  CHECK(eventually([&] { return told(a, provider, keyed("k2", body)).find("of b") != std::string::npos; }));
  CHECK_FALSE(provider.has_more(50));
}

TEST_CASE(
    "shared replies: servers that do not answer cost a call the wait that is allowed, and the next ones nothing") {
  if (no_server())
    return;
  NatsServer server;
  Listener provider;
  proxy::ReplySharingOptions options;
  options.claim_ms = 900;
  Host a(server, provider, {}, options);
  server.stop_answering();
  const auto took = [&](const std::string& key) {
    const auto began = std::chrono::steady_clock::now();
    Socket client = a.proxied.client();
    client.send(keyed(key, chat_body(false)));
    Socket call = provider.accept();
    const auto waited = std::chrono::steady_clock::now() - began;
    call.read_message();
    call.send(whole_answer(200, whole_text("hi")));
    client.read_message();
    return std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
  };
  CHECK(took("k1") >= 890);
  CHECK(eventually([&] { return a.is_away(); }));
  CHECK(took("k2") < 800);
  server.answer_again();
  CHECK(eventually([&] { return !a.is_away(); }));
  const Streams streams(server);
  CHECK(eventually([&] { return streams.replies() == 2; }));
  CHECK(a.claims("alone") == 2);
  CHECK(a.claims("unsettled") == 0);
}

TEST_CASE("shared replies: what the servers had no room for is made again, and told") {
  if (no_server())
    return;
  const NatsServer server;
  Listener provider;
  const auto small = [](proxy::Settings& settings) { settings.idempotency.bytes_max = 40'000; };
  Host a(server, provider, small);
  Host b(server, provider, small);
  const Streams streams(server, 40'000);
  const std::string body = chat_body(false);
  const std::string text(15'000, 'x');
  for (int i = 0; i < 4; ++i) {
    answered(a, provider, keyed("k" + std::to_string(i), body), whole_answer(200, whole_text(text)));
    CHECK(eventually([&] { return streams.calls() == static_cast<std::uint64_t>(i) + 1; }));
  }
  CHECK(eventually(
      [&] { return told(b, provider, keyed("k3", body)).find("x-plumb-replayed: true") != std::string::npos; }));
  CHECK(answered(b, provider, keyed("k0", body), whole_answer(200, whole_text("anew"))).find("anew") !=
        std::string::npos);
  CHECK(b.claims("gone") == 1);
  CHECK(eventually([&] { return b.has_said("1 calls were made again: what had been answered"); }));
}
