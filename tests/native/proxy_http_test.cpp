// The data port's HTTP: what is taken, what is refused, and how a connection ends. A handler that reports what it was
// asked takes the place of the proxy behind it.
#include <doctest/doctest.h>

#include <atomic>
#include <cctype>
#include <deque>

#include "native/proxy/http_head.hpp"
#include "native/proxy/http_server.hpp"
#include "tests/native/sockets.hpp"
#include "tests/native/upstream.hpp"

using namespace plumb;
using namespace plumb::proxy;
using namespace plumb::test;

namespace {

struct Told {
  std::atomic<int> gone{0};
  std::atomic<int> room{0};
  Coming<Client*> held;
  Coming<Gone> why;
};

struct Held final : Answering {
  explicit Held(std::shared_ptr<Told> to) : told(std::move(to)) {}
  void gone(Gone why) override {
    ++told->gone;
    told->why.set(why);
  }
  void has_room() override { ++told->room; }
  std::shared_ptr<Told> told;
};

// Keeps writing for as long as the client takes it.
struct Pouring final : Answering {
  Pouring(Client& to, std::shared_ptr<Told> tells) : client(to), told(std::move(tells)) {}
  void pour() {
    for (int i = 0; i < 100'000 && left > 0; ++i) {
      left -= piece.size();
      if (!client.write(piece))
        return;
    }
    client.end();
  }
  void gone(Gone why) override { told->why.set(why); }
  void has_room() override {
    ++told->room;
    pour();
  }
  Client& client;
  std::shared_ptr<Told> told;
  std::string piece = std::string(16'384, 'p');
  std::size_t left = piece.size() * 2'000;
};

struct Echo final : Handler {
  explicit Echo(std::shared_ptr<Told> to) : told(std::move(to)) {}
  std::shared_ptr<Answering> handle(HttpRequest& request, Client& client) override {
    if (request.target == "/hold") {
      told->held.set(&client);
      return std::make_shared<Held>(told);
    }
    if (request.target == "/stream") {
      client.begin(200, "content-type: text/plain\r\n", Client::unknown);
      client.write("one");
      client.write("two");
      client.end();
      return nullptr;
    }
    if (request.target == "/cut") {
      client.begin(200, "content-type: text/plain\r\n", Client::unknown);
      client.write("half");
      client.cut();
      return nullptr;
    }
    if (request.target == "/pour") {
      auto pouring = std::make_shared<Pouring>(client, told);
      client.begin(200, "", Client::unknown);
      pouring->pour();
      return pouring;
    }
    client.answer(200, "",
                  std::string(request.method) + " " + std::string(request.target) + " " +
                      std::to_string(request.body.size()) + " [" + request.body.substr(0, 100) + "]");
    return nullptr;
  }
  Problem problem(int status, std::string_view message, const std::string& /*address*/) override {
    return {"content-type: application/json\r\n", std::to_string(status) + ": " + std::string(message)};
  }
  std::shared_ptr<Told> told;
};

struct Serving {
  explicit Serving(HttpServerSettings settings = {}) {
    settings.port = 0;
    settings.loops = 2;
    auto opened = HttpServer::open(settings, [this](Loop&) { return std::make_unique<Echo>(told); });
    REQUIRE(opened);
    server = std::move(opened).value();
  }
  Socket client() const { return connect_to(server->port()); }
  std::string answer(std::string_view request) const {
    Socket one = client();
    one.send(request);
    return one.read_message();
  }
  std::shared_ptr<Told> told = std::make_shared<Told>();
  std::unique_ptr<HttpServer> server;
};

}  // namespace

TEST_CASE("proxy http: a request is read whole, however it was cut, and connections are kept") {
  const Serving serving;
  Socket client = serving.client();
  const std::string request = post("/a", "hello");
  for (std::size_t cut = 1; cut < request.size(); cut += 7) {
    client.send(request.substr(0, cut));
    client.send(request.substr(cut));
    CHECK(client.read_message().ends_with("POST /a 5 [hello]"));
  }
  client.send(
      "POST /b HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n");
  CHECK(client.read_message().ends_with("POST /b 5 [abcde]"));
}

TEST_CASE("proxy http: requests that come together are answered one after the other") {
  const Serving serving;
  Socket client = serving.client();
  std::string many;
  for (int i = 0; i < 200; ++i)
    many += post("/n" + std::to_string(i), "x");
  client.send(many);
  const std::string answers = client.read_until("POST /n199 1 [x]");
  std::size_t at = 0;
  for (int i = 0; i < 200; ++i) {
    at = answers.find("POST /n" + std::to_string(i) + " 1 [x]", at);
    REQUIRE(at != std::string::npos);
  }
}

TEST_CASE("proxy http: an answer without a known length comes in chunks, or until the end for HTTP/1.0") {
  const Serving serving;
  Socket client = serving.client();
  client.send(get("/stream"));
  const std::string answer = client.read_until("0\r\n\r\n");
  CHECK(answer.find("transfer-encoding: chunked") != std::string::npos);
  CHECK(answer.find("content-length") == std::string::npos);
  CHECK(answer.ends_with("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
  Socket old = serving.client();
  old.send("GET /stream HTTP/1.0\r\n\r\n");
  CHECK(old.is_closed());
  CHECK(old.got().find("chunked") == std::string::npos);
  CHECK(old.got().ends_with("\r\n\r\nonetwo"));
}

TEST_CASE("proxy http: an answer that is cut has no end") {
  const Serving serving;
  Socket client = serving.client();
  client.send(get("/cut"));
  CHECK(client.is_closed());
  CHECK(client.got().ends_with("4\r\nhalf\r\n"));
}

TEST_CASE("proxy http: what could be read in two ways is refused, and its connection is closed") {
  const Serving serving;
  const std::string host = "POST /x HTTP/1.1\r\nhost: h\r\n";
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\nhost: h\r\n\r\n";
  const std::pair<const char*, std::string> cases[] = {
      {"a length and chunks", host + "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"chunks and a length", host + "transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n"},
      {"two lengths", host + "content-length: 1\r\ncontent-length: 2\r\n\r\nab"},
      {"two equal lengths", host + "content-length: 1\r\ncontent-length: 1\r\n\r\na"},
      {"a list of lengths", host + "content-length: 1, 1\r\n\r\na"},
      {"a length with a sign", host + "content-length: +1\r\n\r\na"},
      {"a length that is none", host + "content-length: 0x1\r\n\r\na"},
      {"a length too large for a number", host + "content-length: 99999999999999999999999\r\n\r\na"},
      {"an encoding in front of chunks", host + "transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
      {"an encoding misspelt", host + "transfer-encoding: xchunked\r\n\r\n0\r\n\r\n"},
      {"two encodings", host + "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n"},
      {"a blank before the colon", host + "content-length : 1\r\n\r\na"},
      {"a bare line feed", "POST /x HTTP/1.1\nhost: h\n\n"},
      {"one bare line feed", "POST /x HTTP/1.1\r\nhost: h\ncontent-length: 0\r\n\r\n"},
      {"a folded header", host + "x-a: one\r\n two\r\ncontent-length: 0\r\n\r\n"},
      {"a bare return in a value", host + "x-a: one\rtwo\r\ncontent-length: 0\r\n\r\n"},
      {"a zero byte in a value", host + std::string("x-a: o\0e\r\n\r\n", 11)},
      {"a chunk size that is none", host + "transfer-encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"},
      {"a chunk size with a sign", host + "transfer-encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n"},
      {"a chunk size beyond all bounds", host + "transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nab\r\n"},
      {"a chunk that is longer than it says", host + "transfer-encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n"},
      {"chunks in HTTP/1.0", "POST /x HTTP/1.0\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"no host", "POST /x HTTP/1.1\r\ncontent-length: 0\r\n\r\n"},
      {"two hosts", host + "host: other\r\ncontent-length: 0\r\n\r\n"},
      {"a target with a host", "GET http://other/ HTTP/1.1\r\nhost: h\r\n\r\n"},
      {"no HTTP at all", "hello\r\n\r\n"},
      {"another HTTP", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
  };
  for (const auto& [name, request] : cases) {
    const auto& about = name;
    CAPTURE(about);
    Socket client = serving.client();
    client.send(request + smuggled);
    CHECK(client.is_closed());
    const std::string& got = client.got();
    const bool refused = got.starts_with("HTTP/1.1 400 ") || got.starts_with("HTTP/1.1 501 ");
    CHECK_MESSAGE(refused, got);
    CHECK(got.find("smuggled") == std::string::npos);
    CHECK(got.find("connection: close") != std::string::npos);
  }
}

TEST_CASE("proxy http: a body beyond the bound is a 413 that the client gets to read, by its length and by its bytes") {
  HttpServerSettings settings;
  settings.body_bytes_max = 100'000;
  const Serving serving(settings);
  Socket client = serving.client();
  client.send(post("/x", std::string(3'000'000, 'b')));
  CHECK(client.is_closed());
  CHECK(client.got().starts_with("HTTP/1.1 413 Content Too Large\r\n"));
  CHECK(client.got().find("content-type: application/json") != std::string::npos);
  CHECK(client.got().find("100000 bytes") != std::string::npos);
  Socket chunks = serving.client();
  chunks.send("POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n");
  const std::string piece = chunk(std::string(50'000, 'c'));
  for (int i = 0; i < 3; ++i)
    chunks.send(piece);
  CHECK(chunks.is_closed());
  CHECK(chunks.got().starts_with("HTTP/1.1 413 "));
  CHECK(serving.answer(post("/x", std::string(100'000, 'b'))).find("POST /x 100000 ") != std::string::npos);
}

TEST_CASE("proxy http: a client that waits for `100 Continue` gets it, unless its body is too large") {
  HttpServerSettings settings;
  settings.body_bytes_max = 10;
  const Serving serving(settings);
  Socket client = serving.client();
  client.send("POST /x HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n");
  CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  CHECK(client.read_until("[abc]").ends_with("POST /x 3 [abc]"));
  Socket large = serving.client();
  large.send("POST /x HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 30\r\n\r\n");
  CHECK(large.is_closed());
  CHECK(large.got().starts_with("HTTP/1.1 413 "));
}

TEST_CASE("proxy http: a head that is too long, in one header or in many, is a 431") {
  const Serving serving;
  for (const std::string& fields : {"x-a: " + std::string(40'000, 'a') + "\r\n", [] {
                                      std::string many;
                                      for (int i = 0; i < 5'000; ++i)
                                        many += "x-" + std::to_string(i) + ": v\r\n";
                                      return many;
                                    }()}) {
    Socket client = serving.client();
    client.send(get("/x", fields));
    CHECK(client.is_closed());
    CHECK(client.got().starts_with("HTTP/1.1 431 "));
  }
}

TEST_CASE("proxy http: a head and a body that come byte by byte have a bounded time, whatever still comes") {
  HttpServerSettings settings;
  settings.head_ms = 300;
  settings.body_ms = 300;
  const Serving serving(settings);
  const std::string head_only = "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 4000\r\n\r\n";
  for (const std::string& request : {std::string("GET /x HTTP/1.1\r\nx-a: "), head_only}) {
    Socket client = serving.client();
    client.send(request);
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!client.has_more(20) && std::chrono::steady_clock::now() < until)
      client.send("1");
    CHECK(client.is_closed());
    CHECK(client.got().starts_with("HTTP/1.1 408 "));
  }
  CHECK(serving.answer(get("/x")).starts_with("HTTP/1.1 200 "));
}

TEST_CASE("proxy http: whoever answers is told when the client has gone, once") {
  const Serving serving;
  for (const bool broken : {false, true}) {
    Socket client = serving.client();
    client.send(post("/hold", "x"));
    const std::size_t before = serving.told->why.count();
    REQUIRE(serving.told->held.wait(before + 1));
    if (broken)
      client.reset();
    else
      client.close();
    REQUIRE(serving.told->why.wait(before + 1));
    CHECK(serving.told->why.get(before) == Gone::left);
  }
  CHECK(serving.told->gone == 2);
}

TEST_CASE("proxy http: a slow client holds up whoever writes to it, and gets everything in the end") {
  const Serving serving;
  Socket client = serving.client();
  client.send(get("/pour"));
  REQUIRE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 "));
  CHECK(serving.answer(get("/x")).starts_with("HTTP/1.1 200 "));  // others are not held up
  while (!client.got().ends_with("\r\n0\r\n\r\n") && client.got().size() < (64U << 20)) {
    const std::size_t size = client.got().size();
    client.read_until("\r\n0\r\n\r\n", size > 16 ? size - 16 : 0);
    if (client.got().size() == size)
      break;
  }
  CHECK(client.got().ends_with("\r\n0\r\n\r\n"));
  CHECK(client.got().size() > 2'000U * 16'384U);
  CHECK(serving.told->room > 0);
}

TEST_CASE("proxy http: a client that takes nothing is left after its time") {
  HttpServerSettings settings;
  settings.untaken_ms = 300;
  const Serving serving(settings);
  Socket client = serving.client();
  client.send(get("/pour"));
  REQUIRE(serving.told->why.wait());
  CHECK(serving.told->why.get() == Gone::stalled);
}

TEST_CASE("proxy http: one address has a bounded number of connections, and others are still answered") {
  HttpServerSettings settings;
  settings.connections_each_max = 50;
  settings.connections_max = 60;
  const Serving serving(settings);
  std::deque<Socket> many;
  for (int i = 0; i < 50; ++i) {
    many.push_back(serving.client());
    many.back().send(get("/x"));
    REQUIRE(many.back().read_message().starts_with("HTTP/1.1 200 "));
  }
  Socket one_more = serving.client();
  CHECK(one_more.is_closed());
  CHECK(one_more.got().starts_with("HTTP/1.1 503 "));
  CHECK(one_more.got().find("retry-after: 1") != std::string::npos);
  Socket other = connect_to(serving.server->port(), "127.0.0.2");
  other.send(get("/x"));
  CHECK(other.read_message().starts_with("HTTP/1.1 200 "));
  many.clear();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (serving.server->counts().connections > 1 && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  CHECK(serving.answer(get("/x")).starts_with("HTTP/1.1 200 "));
  CHECK(serving.server->counts().refused == 1);
}

TEST_CASE("proxy http: stopping ends what is idle at once, lets answers end, and tells those that do not") {
  Serving serving;
  Socket idle = serving.client();
  idle.send(get("/x"));
  REQUIRE(idle.read_message().starts_with("HTTP/1.1 200 "));
  Socket held = serving.client();
  held.send(post("/hold", "x"));
  REQUIRE(serving.told->held.wait());
  serving.server->stop(200);
  CHECK(idle.is_closed());
  CHECK(held.is_closed());
  CHECK(serving.told->why.get() == Gone::stopping);
  CHECK(serving.server->counts().connections == 0);
}

TEST_CASE("proxy http: the end of a head is found, and what two readers would read differently is named") {
  CHECK(find_head_end("GET / HTTP/1.1\r\nhost: h\r\n\r\nrest").size == 27);
  CHECK(find_head_end("GET / HTTP/1.1\r\nhost: h\r\n").size == 0);
  CHECK(find_head_end("GET / HTTP/1.1\r\nhost: h\r\n").problem.empty());
  CHECK(!find_head_end("GET / HTTP/1.1\n").problem.empty());
  CHECK(!find_head_end("GET / HTTP/1.1\r\na: b\r\n\tc").problem.empty());
}
