// Exchanges with a real server on loopback: what comes, how each ends, and that nothing is left open.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "native/provider/transport.hpp"
#include "tests/native/certificates.hpp"
#include "tests/native/upstream.hpp"

using namespace plumb;
using namespace plumb::provider;
using namespace plumb::test;

namespace {

struct Ended {
  ExchangeOutcome outcome;
  ExchangeHead head;
  std::string body;
  int heads = 0;
};

struct Asked {
  ExchangeId id = 0;
  Coming<Ended> ended;
  Coming<std::size_t> came;  // bytes, piece by piece
};

ExchangeRequest request_to(const std::string& base, const std::string& say = "hello", bool stream = true) {
  const Result<BaseUrl> url = read_base_url(base);
  REQUIRE(url);
  ExchangeRequest request;
  request.origin = url.value().origin;
  request.target = url.value().path + "/v1/chat/completions";
  request.body =
      nlohmann::json{{"model", "m"}, {"stream", stream}, {"messages", {{{"role", "user"}, {"content", "say: " + say}}}}}
          .dump();
  return request;
}

Asked ask(Transport& transport, ExchangeRequest request, const ExchangeLimits& limits = {}) {
  Asked asked;
  auto ended = std::make_shared<Ended>();
  asked.id = transport.start(std::move(request), limits,
                             {[ended](const ExchangeHead& head) {
                                ended->head = head;
                                ++ended->heads;
                              },
                              [ended, came = asked.came](std::string_view bytes) mutable {
                                ended->body += bytes;
                                came.set(bytes.size());
                                return Flow::go_on;
                              },
                              [ended, coming = asked.ended](ExchangeOutcome outcome) mutable {
                                ended->outcome = std::move(outcome);
                                coming.set(*ended);
                              }});
  return asked;
}

}  // namespace

TEST_CASE("transport: an answer comes whole, with its head once, split at every byte or not") {
  Transport transport;
  for (const char* script : {"ok", "split=1", "split=7"}) {
    CAPTURE(script);
    Asked asked = ask(transport, request_to(Upstream::shared().base("whole", script), "a long enough answer"));
    const Ended ended = asked.ended.get();
    CHECK(ended.outcome.end == ExchangeEnd::complete);
    CHECK(ended.outcome.message.empty());
    CHECK(ended.heads == 1);
    CHECK(ended.head.status == 200);
    CHECK(ended.body.substr(0, 6) == "data: ");
    CHECK(ended.body.substr(ended.body.size() - 8) == "[DONE]\n\n");
  }
}

TEST_CASE("transport: a connection is used again, and a server that closes it is noticed before the next exchange") {
  Transport transport;
  for (int i = 0; i < 5; ++i)
    CHECK(ask(transport, request_to(Upstream::shared().base("again", "ok"))).ended.get().outcome.end ==
          ExchangeEnd::complete);
  CHECK(transport.counts().connections == 1);
  CHECK(transport.counts().exchanges == 5);
  Transport closing;
  for (int i = 0; i < 3; ++i) {
    CHECK(ask(closing, request_to(Upstream::shared().base("once", "once"))).ended.get().outcome.end ==
          ExchangeEnd::complete);
    // What a server closes while the next request is on its way cannot be noticed before: its goodbye comes first here.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  CHECK(closing.counts().connections == 3);
  CHECK(closing.counts().active == 0);
}

TEST_CASE("transport: who refuses, says nothing, stops in the middle or leaves is told apart") {
  Transport transport;
  ExchangeLimits limits;
  limits.first_byte_ms = 300;
  limits.idle_ms = 300;
  ExchangeRequest nobody = request_to("http://127.0.0.1:" + std::to_string(closed_port()));
  const Ended refused = ask(transport, nobody, limits).ended.get();
  CHECK(refused.outcome.end == ExchangeEnd::unreachable);
  CHECK(refused.outcome.message.find("no connection to 127.0.0.1:") == 0);

  const Upstream& upstream = Upstream::shared();
  const Ended silent = ask(transport, request_to(upstream.base("t1", "hang")), limits).ended.get();
  CHECK(silent.outcome.end == ExchangeEnd::timed_out);
  CHECK(silent.outcome.message == "127.0.0.1:" + std::to_string(upstream.port()) + " sent nothing for 300 ms");
  const Ended middle =
      ask(transport, request_to(upstream.base("t2", "silent_after=2"), "some longer text"), limits).ended.get();
  CHECK(middle.outcome.end == ExchangeEnd::timed_out);
  CHECK(middle.outcome.message.find("in the middle of its answer") != std::string::npos);
  CHECK(middle.head.status == 200);
  const Ended cut = ask(transport, request_to(upstream.base("t3", "cut=2"), "some longer text")).ended.get();
  CHECK(cut.outcome.end == ExchangeEnd::cut);
  CHECK(cut.outcome.message.find("in the middle of its answer") != std::string::npos);
  const Ended closed = ask(transport, request_to(upstream.base("t4", "close"))).ended.get();
  CHECK(closed.outcome.end == ExchangeEnd::cut);
  CHECK(closed.outcome.message.find("without an answer") != std::string::npos);
  ExchangeRequest unknown = request_to("http://no-such-host.invalid");
  CHECK(ask(transport, unknown).ended.get().outcome.end == ExchangeEnd::unreachable);
  // The upstream knows that whoever waited in vain has left.
  CHECK(upstream.sees("t1", [](const nlohmann::json& stats) { return stats["gone"] == 1; }));
  CHECK(upstream.sees("t2", [](const nlohmann::json& stats) { return stats["gone"] == 1; }));
}

TEST_CASE("transport: the deadline holds for a server that drips, and bounds hold for head and body") {
  Transport transport;
  const Upstream& upstream = Upstream::shared();
  ExchangeLimits limits;
  limits.deadline_ms = 400;
  const Ended late =
      ask(transport, request_to(upstream.base("drip", "gap=50,piece=1"), std::string(2'000, 'x')), limits).ended.get();
  CHECK(late.outcome.end == ExchangeEnd::deadline);
  CHECK(late.outcome.message.find("within 400 ms") != std::string::npos);
  CHECK(upstream.sees("drip", [](const nlohmann::json& stats) { return stats["gone"] == 1; }));

  limits = {};
  limits.body_bytes_max = 500;
  for (const bool stream : {true, false}) {
    const Ended much =
        ask(transport, request_to(upstream.base("much", "ok"), std::string(5'000, 'x'), stream), limits).ended.get();
    CHECK(much.outcome.end == ExchangeEnd::limit);
    CHECK(much.outcome.message.find("longer than 500 bytes") != std::string::npos);
  }
  limits = {};
  limits.head_bytes_max = 40;
  CHECK(ask(transport, request_to(upstream.base("head", "ok")), limits).ended.get().outcome.end == ExchangeEnd::limit);
}

TEST_CASE("transport: a cancelled exchange ends at once at every moment, and the upstream sees it") {
  const Upstream& upstream = Upstream::shared();
  Transport transport;
  {
    // Before anything was done.
    Asked asked = ask(transport, request_to(upstream.base("c0", "ok")));
    transport.cancel(asked.id);
    const ExchangeEnd end = asked.ended.get().outcome.end;
    CHECK((end == ExchangeEnd::cancelled || end == ExchangeEnd::complete));
  }
  {
    // While the name is looked up or the connection made: an address that answers nobody.
    Asked asked = ask(transport, request_to("http://192.0.2.1"));
    transport.cancel(asked.id);
    CHECK(asked.ended.get().outcome.end != ExchangeEnd::complete);
  }
  {
    // While it waits for the first byte.
    Asked asked = ask(transport, request_to(upstream.base("c1", "hang")));
    CHECK(upstream.sees("c1", [](const nlohmann::json& stats) { return stats["requests"] == 1; }));
    transport.cancel(asked.id);
    CHECK(asked.ended.get().outcome.end == ExchangeEnd::cancelled);
    CHECK(upstream.sees("c1", [](const nlohmann::json& stats) { return stats["gone"] == 1; }));
  }
  {
    // In the middle of a stream.
    Asked asked = ask(transport, request_to(upstream.base("c2", "gap=20,piece=1"), std::string(100'000, 'x')));
    CHECK(asked.came.wait(3));
    transport.cancel(asked.id);
    CHECK(asked.ended.get().outcome.end == ExchangeEnd::cancelled);
    CHECK(upstream.sees("c2", [](const nlohmann::json& stats) { return stats["gone"] == 1; }));
    CHECK(asked.ended.count() == 1);
  }
  {
    // When it is over: nothing.
    Asked asked = ask(transport, request_to(upstream.base("c3", "ok")));
    CHECK(asked.ended.get().outcome.end == ExchangeEnd::complete);
    transport.cancel(asked.id);
    transport.cancel(asked.id + 1'000);
    CHECK(ask(transport, request_to(upstream.base("c3", "ok"))).ended.get().outcome.end == ExchangeEnd::complete);
    CHECK(asked.ended.count() == 1);
  }
  CHECK(transport.counts().active == 0);
}

TEST_CASE("transport: what is under way when it is destroyed is told, and nothing is forgotten") {
  Coming<Ended> ended;
  {
    Transport transport;
    Asked asked = ask(transport, request_to(Upstream::shared().base("d1", "hang")));
    ended = asked.ended;
    CHECK(Upstream::shared().sees("d1", [](const nlohmann::json& stats) { return stats["requests"] == 1; }));
    transport.after(1'000'000, [] {});
  }
  CHECK(ended.count() == 1);
  CHECK(ended.get().outcome.end == ExchangeEnd::cancelled);
  CHECK(Upstream::shared().sees("d1", [](const nlohmann::json& stats) { return stats["gone"] == 1; }));
}

TEST_CASE("transport: a paused exchange reads no more than is under way until it is resumed") {
  Transport transport;
  const std::string text(2'000'000, 'x');
  Coming<ExchangeOutcome> over;
  Coming<bool> paused;
  auto bytes = std::make_shared<std::size_t>(0);
  auto once = std::make_shared<bool>(false);
  ExchangeLimits limits;
  limits.idle_ms = 500;  // of which a pause is no part
  const ExchangeId id = transport.start(request_to(Upstream::shared().base("p", "piece=10000"), text), limits,
                                        {nullptr,
                                         [=](std::string_view piece) mutable {
                                           *bytes += piece.size();
                                           if (*once)
                                             return Flow::go_on;
                                           *once = true;
                                           paused.set(true);
                                           return Flow::pause;
                                         },
                                         [=](ExchangeOutcome outcome) mutable { over.set(std::move(outcome)); }});
  CHECK(paused.wait());
  Coming<std::size_t> later;
  transport.after(1'500, [=]() mutable { later.set(*bytes); });
  CHECK(later.get() <= 65'536);  // one read
  CHECK(over.count() == 0);
  transport.resume(id);
  CHECK(over.get().end == ExchangeEnd::complete);
  CHECK(*bytes > text.size());
}

TEST_CASE("transport: a header with a line end in it is not sent") {
  Transport transport;
  ExchangeRequest request = request_to(Upstream::shared().base("h", "ok"));
  request.headers = {{"x-name", "value\r\nx-other: value"}};
  CHECK(ask(transport, request).ended.get().outcome.end == ExchangeEnd::malformed);
  CHECK(Upstream::shared().stats("h")["requests"] == 0);
}

TEST_CASE("transport: timers come in their order, and one that is forgotten does not come") {
  Transport transport;
  Coming<int> came;
  transport.after(250, [=]() mutable { came.set(2); });
  transport.after(1, [=]() mutable { came.set(1); });
  const TimerId forgotten = transport.after(120, [=]() mutable { came.set(99); });
  transport.forget(forgotten);
  CHECK(came.get(0) == 1);
  CHECK(came.get(1) == 2);
}

// A hundred waits of a millisecond, each begun by the one before, are over before one of five seconds: no timer waits
// for the look at all exchanges, ten times a second.
TEST_CASE("transport: a timer that is sooner than the next sweep is not late for it") {
  Transport transport;
  Coming<int> came;
  std::function<void(int)> next = [&](int left) {
    if (left == 0) {
      came.set(1);
      return;
    }
    transport.after(1, [&next, left] { next(left - 1); });
  };
  transport.after(5'000, [=]() mutable { came.set(2); });
  next(100);
  CHECK(came.get(0) == 1);
}

TEST_CASE("transport: more exchanges than are allowed are refused, not kept waiting") {
  Transport transport({.exchanges_max = 1});
  Asked first = ask(transport, request_to(Upstream::shared().base("x1", "hang")));
  const Ended second = ask(transport, request_to(Upstream::shared().base("x1", "ok"))).ended.get();
  CHECK(second.outcome.end == ExchangeEnd::limit);
  transport.cancel(first.id);
  CHECK(first.ended.get().outcome.end == ExchangeEnd::cancelled);
  CHECK(ask(transport, request_to(Upstream::shared().base("x1", "ok"))).ended.get().outcome.end ==
        ExchangeEnd::complete);
}

TEST_CASE("transport: TLS is spoken with whom a known authority vouches for, by the name that was asked for") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("plumb_tls_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto [certificate, key] = self_signed(folder);
  const Upstream upstream({"--tls", certificate, key});
  {
    Transport unknowing;
    const Ended ended = ask(unknowing, request_to(upstream.base("s", "ok", true))).ended.get();
    CHECK(ended.outcome.end == ExchangeEnd::unreachable);
    CHECK(ended.outcome.message.find("its certificate is not accepted: self-signed certificate") != std::string::npos);
  }
  ::setenv("SSL_CERT_FILE", certificate.c_str(), 1);
  {
    Transport knowing;
    for (int i = 0; i < 3; ++i) {
      const Ended ended = ask(knowing, request_to(upstream.base("s", "split=3", true), "by TLS")).ended.get();
      CHECK_MESSAGE(ended.outcome.end == ExchangeEnd::complete, ended.outcome.message);
      CHECK(ended.body.find("[DONE]") != std::string::npos);
    }
    CHECK(knowing.counts().connections == 1);
    CHECK(ask(knowing, request_to(upstream.base("s", "cut=1", true), "long enough")).ended.get().outcome.end ==
          ExchangeEnd::cut);
    // The certificate is not for this name.
    ExchangeRequest by_address = request_to(upstream.base("s", "ok", true));
    by_address.origin.host = "127.0.0.1";
    const Ended ended = ask(knowing, by_address).ended.get();
    CHECK(ended.outcome.end == ExchangeEnd::unreachable);
    CHECK(ended.outcome.message.find("its certificate is not accepted") != std::string::npos);
  }
  ::unsetenv("SSL_CERT_FILE");
  {
    // TLS to a server that speaks none, and the other way round.
    Transport transport;
    ExchangeRequest plain = request_to(upstream.base("s", "ok", true));
    plain.origin.tls = false;
    CHECK(ask(transport, plain).ended.get().outcome.end != ExchangeEnd::complete);
    ExchangeRequest secret = request_to(Upstream::shared().base("s", "ok"));
    secret.origin.tls = true;
    CHECK(ask(transport, secret).ended.get().outcome.end == ExchangeEnd::unreachable);
  }
  std::filesystem::remove_all(folder);
}
