// What operators and clients' own programs see of the data port: ids, refusals, addresses, keys that are taken out,
// what another provider cannot be asked, compressed answers, and memory.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <zlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include "core/wire/carried.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/breaker_set.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/mapped_counts.hpp"
#include "native/proxy/secret.hpp"
#include "tests/native/proxied.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

const std::string key = "sk-secret-of-the-provider";
const std::string last_chunk = "0\r\n\r\n";

std::string gzipped(std::string_view text) {
  z_stream stream = {};
  REQUIRE(::deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(::deflateBound(&stream, text.size()), '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

std::string metrics_of(const Proxied& proxied) {
  std::string text = "\n";
  proxied.policy->append_metrics(text, proxy::moment_now());
  return text;
}

// One call whose provider answers so, and what its client gets.
std::string answered(const Proxied& proxied, Listener& provider, std::string_view request, std::string_view answer) {
  Socket client = proxied.client();
  client.send(request);
  Socket call = provider.accept();
  call.read_message();
  call.send(answer);
  return client.read_message();
}

std::string header(std::string_view answer, std::string_view name) {
  const std::size_t at = answer.find("\r\n" + std::string(name) + ": ");
  if (at == std::string_view::npos)
    return "";
  const std::size_t from = at + name.size() + 4;
  return std::string(answer.substr(from, answer.find("\r\n", from) - from));
}

}  // namespace

TEST_CASE("secret: a key is found wherever it stands, also in pieces, and nothing else is changed") {
  const proxy::Secret secret("sk-abcXdef-0123");
  std::string changed;
  CHECK(secret.hidden("nothing X here, sk-abcXdef-012", changed) == "nothing X here, sk-abcXdef-012");
  CHECK(secret.hidden("XXsk-abcXdef-0123sk-abcXdef-0123Z", changed) == "XX[key][key]Z");
  CHECK(secret.begun_at_end("... sk-abcX") == 7);
  CHECK(secret.begun_at_end("... sk-abcY") == 0);
  CHECK(secret.begun_at_end("sk-abcXdef-0123") == 0);
  CHECK_FALSE(proxy::Secret("short").any());
  CHECK(proxy::Secret("short").hidden("short", changed) == "short");
}

TEST_CASE("proxy: a client's key that stood in its request is taken out of whole answers, events and errors") {
  const std::string own = proxy::key_text({1, 2, 3, 5, 8, 13, 21, 34});
  Listener provider;
  const Proxied proxied({{&provider}}, [&](proxy::Settings& settings) {
    const Result<bool> saved = proxy::change_keys_file(settings.keys_file, [&](std::vector<proxy::ClientKey>& keys) {
      proxy::ClientKey one;
      one.id = "kabcd2345";
      one.name = "web";
      one.digest = proxy::key_digest(own);
      keys.push_back(one);
      return Result<bool>(true);
    });
    REQUIRE(saved);
  });
  const auto asks = [&](bool stream, const std::string& more = "") {
    return post(chat, chat_body(stream, R"(,"user":")" + own + "\"" + more), "authorization: Bearer " + own + "\r\n");
  };
  const std::string judged = R"(,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{}}})";
  for (const std::string& more : {std::string(), judged}) {
    CAPTURE(more);
    const std::string whole =
        answered(proxied, provider, asks(false, more), whole_answer(200, whole_text("it is " + own + ".")));
    CHECK(whole.starts_with("HTTP/1.1 200 "));
    CHECK(whole.find("it is [key].") != std::string::npos);
    CHECK(whole.find(own) == std::string::npos);

    Socket client = proxied.client();
    client.send(asks(true, more));
    Socket call = provider.accept();
    call.read_message();
    // Whole, in two pieces of the connection, and in an error that ends the stream.
    const std::string event = text_event("b " + own + " c");
    call.send(stream_head + chunk(text_event("a " + own)) + chunk(event.substr(0, event.find(own) + 20)));
    client.read_until("a [key]");
    call.send(chunk(event.substr(event.find(own) + 20)) +
              chunk("data: {\"error\":{\"message\":\"no more for " + own + "\"}}\n\n") + last_chunk);
    client.read_until("no more for [key]");
    CHECK(client.got().find("b [key] c") != std::string::npos);
    CHECK(client.got().find("no more for [key]") != std::string::npos);
    CHECK(client.got().find(own) == std::string::npos);
  }
  const std::string refused =
      answered(proxied, provider, asks(false), whole_answer(400, R"({"error":{"message":"not with )" + own + R"("}})"));
  CHECK(refused.starts_with("HTTP/1.1 400 "));
  CHECK(refused.find("not with [key]") != std::string::npos);
  CHECK(refused.find(own) == std::string::npos);
  // The provider has never got to see it.
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false), "x-api-key: " + own + "\r\n"));
  Socket call = provider.accept();
  CHECK(call.read_message().find(own) == std::string::npos);
}

TEST_CASE("proxy: the provider's key is taken out of whole answers, events and answers that pass in pieces") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string whole =
      answered(proxied, provider, post(chat, chat_body(false)), whole_answer(200, whole_text("it is " + key + ".")));
  CHECK(whole.find("it is [key].") != std::string::npos);
  CHECK(whole.find(key) == std::string::npos);

  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  call.send(stream_head + chunk(text_event("a " + key + " b")) + chunk("data: [DONE]\n\n") + last_chunk);
  CHECK(client.read_until("[DONE]").find("a [key] b") != std::string::npos);
  CHECK(client.got().find(key) == std::string::npos);
  call.close();

  // Longer than what is kept until it is whole, with the key at the border of two pieces.
  const std::string before(1'500'000, 'w');
  const std::string long_text = whole_text(before + key + "-end");
  const std::size_t middle = long_text.find(key) + 9;
  Socket reader = proxied.client();
  reader.send(post(chat, chat_body(false)));
  Socket other = provider.accept();
  other.read_message();
  const std::string answer = whole_answer(200, long_text);
  const std::size_t head = answer.find("\r\n\r\n") + 4;
  other.send(answer.substr(0, head + middle));
  reader.read_until(std::string(1'000, 'w'));
  other.send(answer.substr(head + middle));
  reader.read_until("-end");
  CHECK(reader.got().find("[key]-end") != std::string::npos);
  CHECK(reader.got().find(key) == std::string::npos);
}

TEST_CASE("proxy: a success that says error is a failure: the fallback is asked, and without one the client is told") {
  Listener first;
  Listener second;
  const std::string error = R"({"error":{"message":"the model is not loaded","type":"server_error"}})";
  {
    const Proxied proxied({{&first}, {&second}});
    for (const bool streamed : {false, true}) {
      Socket client = proxied.client();
      client.send(post(chat, chat_body(streamed)));
      Socket call = first.accept();
      call.read_message();
      if (streamed)
        call.send(stream_head + chunk("data: " + error + "\n\n") + last_chunk);
      else
        call.send(whole_answer(200, error));
      Socket other = second.accept();
      other.read_message();
      other.send(whole_answer(200, whole_text("from the second")));
      CHECK(client.read_message().find("from the second") != std::string::npos);
    }
    CHECK(metric(metrics_of(proxied), "plumb_proxy_upstream_failures_total") == 2);
  }
  const Proxied alone({{&first}});
  const std::string told = answered(alone, first, post(chat, chat_body(false)), whole_answer(200, error));
  CHECK(told.starts_with("HTTP/1.1 502 "));
  CHECK(told.find("the model is not loaded") != std::string::npos);
  // One that is null, or is beside an answer, says nothing.
  std::string fine = whole_text("fine");
  fine.insert(1, R"("error":null,)");
  CHECK(answered(alone, first, post(chat, chat_body(false)), whole_answer(200, fine)).ends_with(fine));
}

TEST_CASE("proxy: a key that a provider does not accept, and an input that is too long, go to the fallback") {
  Listener first;
  Listener second;
  const Proxied proxied({{&first}, {&second}});
  for (const std::string& refusal :
       {whole_answer(401, R"({"error":{"message":"Incorrect API key","code":"invalid_api_key"}})"),
        whole_answer(400, R"({"error":{"message":"too many tokens","code":"context_length_exceeded"}})"),
        whole_answer(400, R"({"type":"error","error":{"type":"invalid_request_error",)"
                          R"("message":"prompt is too long: 210000 tokens > 200000 maximum"}})")}) {
    Socket client = proxied.client();
    client.send(post(chat, chat_body(false)));
    Socket call = first.accept();
    call.read_message();
    call.send(refusal);
    Socket other = second.accept();
    REQUIRE(other.is_open());
    other.read_message();
    other.send(whole_answer(200, whole_text("from the second")));
    CHECK(client.read_message().find("from the second") != std::string::npos);
  }
  // Any other refusal is the client's to mend.
  const std::string bad = answered(proxied, first, post(chat, chat_body(false)),
                                   whole_answer(400, R"({"error":{"message":"no such parameter"}})"));
  CHECK(bad.starts_with("HTTP/1.1 400 "));
  CHECK_FALSE(second.has_more(100));
}

TEST_CASE("proxy: the documentation has the table of settings as the translation follows it") {
  std::ifstream file(plumb::test::source_dir() + "/docs/proxy-reference.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<wire::Carried> rows;
  for (const wire::Wire client : {wire::Wire::openai, wire::Wire::responses}) {
    const auto table = wire::carried_settings(client);
    rows.insert(rows.end(), table.begin(), table.end());
  }
  for (const wire::Carried& row : rows) {
    std::string line = "\n| `" + std::string(row.name) + "` |";
    for (const wire::Fate fate : {row.openai, row.anthropic, row.ollama})
      line.append(" ").append(wire::fate_name(fate)).append(" |");
    line.append(" ").append(row.note).append(" |\n");
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE(
    "proxy: settings that a provider's wire has no word for are left out and named, or the provider is not asked") {
  Listener first;
  Listener second;
  const Proxied proxied({{&first, wire::Wire::anthropic}, {&second}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false, R"(,"seed":7,"frequency_penalty":0.5)")));
  Socket call = first.accept();
  const std::string asked = call.read_message();
  CHECK(asked.find("seed") == std::string::npos);
  call.send(whole_answer(200,
                         R"({"id":"m1","type":"message","role":"assistant","model":"x","content":[{"type":"text",)"
                         R"("text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}})"));
  CHECK(header(client.read_message(), "x-plumb-lost") == "seed, frequency_penalty");
  // What would change the answer's form: only the second can do it.
  const std::string wants_two = chat_body(false, R"(,"logprobs":true)");
  CHECK(answered(proxied, second, post(chat, wants_two), whole_answer(200, whole_text("with logprobs")))
            .find("with logprobs") != std::string::npos);
  CHECK_FALSE(first.has_more(50));
  const Proxied alone({{&first, wire::Wire::anthropic}});
  const std::string refused = alone.answer(post(chat, wants_two));
  CHECK(refused.starts_with("HTTP/1.1 400 "));
  CHECK(refused.find("/logprobs") != std::string::npos);
}

TEST_CASE("proxy: a model that keeps failing is left alone, and other models of its provider are not") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) {
    settings.breaker.failures_min = 3;
    settings.breaker.open_ms = 60'000;
    proxy::Route rest;
    rest.name = "*";
    proxy::Target target;
    target.name = "p0";
    rest.targets.push_back(target);
    settings.routes.push_back(rest);
  });
  const auto body = [](const std::string& model) {
    return R"({"model":")" + model + R"(","messages":[{"role":"user","content":"x"}]})";
  };
  for (int i = 0; i < 3; ++i)
    CHECK(
        answered(proxied, provider, post(chat, body("made-up")), whole_answer(500, "{}")).starts_with("HTTP/1.1 500 "));
  CHECK(proxied.answer(post(chat, body("made-up"))).find("upstreams_unavailable") != std::string::npos);
  for (const std::string model : {"m", "another"}) {
    CHECK(answered(proxied, provider, post(chat, body(model)), whole_answer(200, whole_text("fine")))
              .starts_with("HTTP/1.1 200 "));
  }
  const std::string metrics = metrics_of(proxied);
  CHECK(metrics.find(R"(plumb_proxy_breaker_state{upstream="p0",model="real-m"} 0)") != std::string::npos);
  CHECK(metrics.find(R"(plumb_proxy_breaker_state{upstream="p0",model="*"} 1)") != std::string::npos);
  CHECK(proxied.policy->state_json(proxy::moment_now()).find(R"("left_alone":["made-up"])") != std::string::npos);
}

TEST_CASE(
    "proxy: of names that clients choose the last 256 have a breaker, and none pushes a model of the settings out") {
  proxy::BreakerSet set;
  const std::shared_ptr<proxy::Breaker> named = set.of("m", false);
  for (int i = 0; i < 1'000; ++i)
    set.of("name-" + std::to_string(i), true);
  CHECK(set.of("m", true) == named);
  CHECK(set.views({}, proxy::moment_now()).size() == 1 + proxy::BreakerSet::passed_on_max);
}

TEST_CASE("proxy: every refusal has an id, a line of the log with the client's address, and is counted by its code") {
  Listener provider;
  std::vector<std::string> lines;
  std::mutex mutex;
  const auto log = [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    lines.emplace_back(line);
  };
  const Proxied proxied(
      {{&provider}},
      [](proxy::Settings& settings) {
        settings.log = proxy::LogKind::json;
        settings.trusted_proxies = {*proxy::read_network("127.0.0.0/8")};
        settings.routes.front().limits.requests_per_minute = 1;
      },
      log);
  const auto logged = [&](std::string_view id) {
    const std::lock_guard lock(mutex);
    for (const std::string& line : lines) {
      if (!id.empty() && line.find(R"("id":")" + std::string(id)) != std::string::npos)
        return line;
    }
    return std::string();
  };
  // Of a proxy that is trusted it is believed for whom it asks; without a client key that is no reason to answer.
  const std::string for_somebody =
      proxied.answer(post(chat, chat_body(false), "x-forwarded-for: 192.0.2.77, 203.0.113.9, 127.0.0.3\r\n"));
  CHECK(for_somebody.starts_with("HTTP/1.1 401 "));
  std::string line = logged(header(for_somebody, "x-request-id"));
  CHECK(line.find(R"("event":"refused")") != std::string::npos);
  CHECK(line.find(R"("client":"203.0.113.9")") != std::string::npos);
  CHECK(line.find(R"("route":"/v1/chat/completions","status":401,"code":"missing_api_key")") != std::string::npos);

  const std::string host = proxied.answer("GET /v1/models HTTP/1.1\r\nhost: evil.example\r\n\r\n");
  CHECK(host.starts_with("HTTP/1.1 403 "));
  CHECK(logged(header(host, "x-request-id")).find(R"("status":403,"code":"host_not_ours")") != std::string::npos);

  const std::string origin = proxied.answer(post(chat, chat_body(false), "origin: https://evil.example\r\n"));
  CHECK(origin.starts_with("HTTP/1.1 403 "));
  CHECK(logged(header(origin, "x-request-id")).find(R"("client":"127.0.0.1")") != std::string::npos);

  const std::string done = answered(proxied, provider, post(chat, chat_body(false)),
                                    whole_answer(200, whole_text("one"), "x-request-id: req_of_the_provider\r\n"));
  CHECK(header(done, "x-plumb-provider-request-id") == "req_of_the_provider");
  REQUIRE(proxied.settles(1));
  line = logged(header(done, "x-request-id"));
  CHECK(line.find(R"("event":"call")") != std::string::npos);
  CHECK(line.find(R"("client":"127.0.0.1")") != std::string::npos);
  CHECK(line.find(R"("provider_request_id":"req_of_the_provider")") != std::string::npos);

  const std::string over = proxied.answer(post(chat, chat_body(false)));
  CHECK(over.starts_with("HTTP/1.1 429 "));
  CHECK(logged(header(over, "x-request-id")).find(R"("code":"rate_limit_exceeded")") != std::string::npos);

  const std::string no_json = proxied.answer(post(chat, "{"));
  CHECK(logged(header(no_json, "x-request-id")).find(R"("status":400)") != std::string::npos);
  const std::string no_http = proxied.answer("GET / HTTP/1.1\nhost: x\n\n");
  CHECK(logged(header(no_http, "x-request-id")).find(R"("status":400)") != std::string::npos);

  const std::string metrics = metrics_of(proxied);
  for (const std::string code : {"missing_api_key", "host_not_ours", "origin_not_allowed", "rate_limit_exceeded"})
    CHECK(metrics.find("plumb_proxy_refused_total{code=\"" + code + "\"} 1") != std::string::npos);
}

TEST_CASE("mapped counts: many rows are read as they were set, and the later or higher of two is taken") {
  char folder[] = "/tmp/plumb-counts-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/counters.json.live";
  constexpr std::uint64_t many = 1'000;
  {
    Result<std::unique_ptr<proxy::MappedCounts>> made = proxy::MappedCounts::create(path);
    REQUIRE(made);
    for (std::uint64_t i = 0; i < many; ++i) {
      proxy::CountRow* row = made.value()->row("key:" + std::to_string(i));
      REQUIRE(row != nullptr);
      row->set(20'000, i + 1, 2 * i, 3 * i);
    }
    CHECK(made.value()->row(std::string(300, 'k')) == nullptr);
    // Read while it is mapped, as after a kill.
    const std::vector<proxy::Used> read = proxy::read_mapped_counts(path);
    REQUIRE(read.size() == many);
    CHECK(read[7].scope == "key:7");
    CHECK(read[7].day == 20'000);
    CHECK(read[7].requests_day == 8);
    CHECK(read[999].nano_usd_day == 3 * 999);
  }
  proxy::Used older;
  older.scope = "key:7";
  older.day = 19'999;
  older.requests_day = 500;
  proxy::Used higher = older;
  higher.scope = "key:8";
  higher.day = 20'000;
  const std::vector<proxy::Used> both = proxy::later_of({older, higher}, proxy::read_mapped_counts(path));
  REQUIRE(both.size() == many);
  CHECK(both[0].requests_day == 8);
  CHECK(both[1].requests_day == 500);
  CHECK(both[1].tokens_day == 16);
  std::filesystem::remove_all(folder);
  CHECK(proxy::read_mapped_counts(path).empty());
  CHECK_FALSE(proxy::MappedCounts::create(path));
}

TEST_CASE("proxy: a provider's 429 keeps the id that the provider gave it") {
  Listener provider;
  const Proxied proxied({{&provider}});
  const std::string told =
      answered(proxied, provider, post(chat, chat_body(false)),
               whole_answer(429, R"({"error":{"message":"slow down"}})", "x-request-id: req_9\r\n"));
  CHECK(told.starts_with("HTTP/1.1 429 "));
  CHECK(header(told, "x-plumb-provider-request-id") == "req_9");
  CHECK(header(told, "x-request-id").starts_with("c"));
}

TEST_CASE("addresses: only what trusted proxies say of a client is believed") {
  const std::vector<proxy::Network> trusted = {*proxy::read_network("10.0.0.0/8"), *proxy::read_network("::1")};
  using proxy::first_untrusted;
  CHECK(first_untrusted(trusted, "192.0.2.1", "198.51.100.7") == "192.0.2.1");
  CHECK(first_untrusted(trusted, "10.1.2.3", "198.51.100.7") == "198.51.100.7");
  CHECK(first_untrusted(trusted, "10.1.2.3", "6.6.6.6, 198.51.100.7 , 10.9.9.9") == "198.51.100.7");
  CHECK(first_untrusted(trusted, "::1", "2001:db8::5") == "2001:db8::5");
  CHECK(first_untrusted(trusted, "10.1.2.3", "not an address") == "10.1.2.3");
  CHECK(first_untrusted(trusted, "10.1.2.3", "") == "10.1.2.3");
  CHECK(first_untrusted(trusted, "10.1.2.3", "10.0.0.4, 10.0.0.5") == "10.0.0.4");
}

TEST_CASE("proxy: compressed answers are read, whole and streamed, and bounded by what they stand for") {
  Listener provider;
  const Proxied proxied({{&provider}}, [](proxy::Settings& settings) { settings.bounds.answer_bytes_max = 4 << 20; });
  const std::string packed = "content-encoding: gzip\r\n";
  const std::string told = answered(proxied, provider, post(chat, chat_body(false)),
                                    whole_answer(200, gzipped(whole_text("it was packed")), packed));
  CHECK(told.ends_with(whole_text("it was packed")));
  CHECK(header(told, "content-encoding").empty());

  Socket client = proxied.client();
  client.send(post(chat, chat_body(true)));
  Socket call = provider.accept();
  call.read_message();
  std::string head = stream_head;
  head.insert(head.find("\r\n") + 2, packed);
  const std::string events = gzipped(text_event("piece one") + text_event("piece two") + "data: [DONE]\n\n");
  call.send(head);
  for (const char byte : events)
    call.send(chunk(std::string(1, byte)));
  call.send(last_chunk);
  client.read_until("[DONE]");
  CHECK(client.got().find("piece one") != std::string::npos);
  CHECK(client.got().find("piece two") != std::string::npos);
  call.close();  // else the next call comes on it

  // A bomb of 64 MB that comes as 64 KB.
  const std::string bomb = gzipped(whole_text(std::string(64 << 20, 'w')));
  REQUIRE(bomb.size() < 100'000);
  Socket victim = proxied.client();
  victim.send(post(chat, chat_body(false)));
  Socket bomber = provider.accept();
  bomber.read_message();
  bomber.send(whole_answer(200, bomb, packed));
  CHECK(victim.is_closed());
  CHECK(victim.got().size() < (8 << 20));

  const std::string broken =
      answered(proxied, provider, post(chat, chat_body(false)), whole_answer(200, "this was never packed", packed));
  CHECK(broken.starts_with("HTTP/1.1 502 "));
  const std::string foreign = answered(proxied, provider, post(chat, chat_body(false)),
                                       whole_answer(200, "\x8b\x05\x80", "content-encoding: br\r\n"));
  CHECK(foreign.starts_with("HTTP/1.1 502 "));
  CHECK(foreign.find("gzip and deflate") != std::string::npos);
}

TEST_CASE("proxy: a long whole answer is read from its provider no faster than its client takes it") {
  Listener provider;
  const Proxied proxied({{&provider}});
  Socket client = proxied.client();
  client.send(post(chat, chat_body(false)));
  Socket call = provider.accept();
  call.read_message();
  const std::string answer = whole_answer(200, whole_text(std::string(48 << 20, 'w')));
  // What the sockets and the proxy take without anybody reading is far from all of it.
  REQUIRE(::fcntl(call.handle(), F_SETFL, O_NONBLOCK) == 0);
  std::size_t sent = 0;
  for (int idle = 0; idle < 50;) {
    const ssize_t size = ::send(call.handle(), answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
    idle = size > 0 ? 0 : idle + 1;
    sent += size > 0 ? static_cast<std::size_t>(size) : 0;
    if (size <= 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(sent < answer.size());
  }
  CHECK(sent < answer.size() / 2);
  // And all of it comes once it is read.
  std::thread rest([&] {
    REQUIRE(::fcntl(call.handle(), F_SETFL, 0) == 0);
    call.send(std::string_view(answer).substr(sent));
  });
  client.read_until(std::string_view("\"total_tokens\":7}}"), 48 << 20);
  rest.join();
  CHECK(client.got().find("\"total_tokens\":7}}") != std::string::npos);
}
