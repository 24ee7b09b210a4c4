// Sockets that are polled by edges: nobody is missed, called after it was forgotten, or starved.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "native/provider/socket_poller.hpp"

using plumb::provider::PolledSocket;
using plumb::provider::SocketPoller;

namespace {

// One end of a pair that is polled; the other is written to by the test.
struct Pair final : PolledSocket {
  explicit Pair(SocketPoller& poller) {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    REQUIRE(watch(poller, ends[0]));
    want_read();
  }
  ~Pair() override {
    forget();
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void on_readable() override {
    ++calls;
    std::array<char, 4> bytes{};
    const ssize_t size = ::read(ends[0], bytes.data(), bytes.size());
    if (size < static_cast<ssize_t>(bytes.size())) {
      was_drained();
    }
    if (size > 0) {
      got.append(bytes.data(), static_cast<std::size_t>(size));
    }
    if (size != 0 && goes_on) {
      want_read();
    }
    if (then) {
      then();
    }
  }
  void on_writable() override { ++writes; }

  std::array<int, 2> ends{};
  std::string got;
  int calls = 0, writes = 0;
  bool goes_on = true;
  std::function<void()> then;
};

void send(const Pair& to, const std::string& text) {
  REQUIRE(::write(to.ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

// Until nothing is ready any more.
void run(boost::asio::io_context& io) {
  for (int i = 0; i < 10'000 && io.poll() != 0; ++i) {
  }
  io.restart();
}

}  // namespace

TEST_CASE("socket poller: of more sockets than a round has each is read, and rounds end between them") {
  boost::asio::io_context io;
  SocketPoller poller(io);
  std::vector<std::unique_ptr<Pair>> pairs;
  int rounds = 0;
  int longest = 0;
  int in_this = 0;
  poller.at_round_end([&] {
    CHECK(poller.in_round());
    ++rounds;
    longest = std::max(longest, std::exchange(in_this, 0));
  });
  for (int i = 0; i < 200; ++i) {
    pairs.push_back(std::make_unique<Pair>(poller));
    pairs.back()->then = [&] { ++in_this; };
    send(*pairs.back(), "ab");
  }
  run(io);
  for (const auto& one : pairs) {
    CHECK(one->got == "ab");
    CHECK(one->calls == 1);
  }
  CHECK(rounds >= 4);
  CHECK(longest <= 64);
  CHECK_FALSE(poller.in_round());
}

TEST_CASE("socket poller: who has more than it reads at once is read on, whatever the kernel has told") {
  boost::asio::io_context io;
  SocketPoller poller(io);
  Pair one(poller);
  send(one, "what is longer than four bytes");
  run(io);
  CHECK(one.got == "what is longer than four bytes");
  send(one, "and more");
  run(io);
  CHECK(one.got.ends_with("bytesand more"));
  CHECK_FALSE(one.has_ended());
  ::shutdown(one.ends[1], SHUT_WR);
  run(io);
  CHECK(one.has_ended());
}

TEST_CASE("socket poller: what was not wanted waits, and is there when it is wanted") {
  boost::asio::io_context io;
  SocketPoller poller(io);
  Pair one(poller);
  one.goes_on = false;
  send(one, "abcdefgh");
  run(io);
  CHECK(one.got == "abcd");
  run(io);
  CHECK(one.calls == 1);
  one.want_read();
  run(io);
  CHECK(one.got == "abcdefgh");
  one.want_write();
  run(io);
  CHECK(one.writes == 1);
}

TEST_CASE("socket poller: who is forgotten in a round is not called, nor who has its place after it") {
  boost::asio::io_context io;
  SocketPoller poller(io);
  auto first = std::make_unique<Pair>(poller);
  auto second = std::make_unique<Pair>(poller);
  std::unique_ptr<Pair> third;
  int called = 0;
  const auto once = [&](std::unique_ptr<Pair>& other) {
    return [&] {
      ++called;
      if (other) {
        other.reset();
        third = std::make_unique<Pair>(poller);
      }
    };
  };
  first->then = once(second);
  second->then = once(first);
  send(*first, "a");
  send(*second, "b");
  run(io);
  CHECK(called == 1);
  REQUIRE(third);
  CHECK(third->calls == 0);
  send(*third, "c");
  run(io);
  CHECK(third->got == "c");
}

TEST_CASE("socket poller: one that is gone before what it watched is no harm") {
  boost::asio::io_context io;
  auto poller = std::make_unique<SocketPoller>(io);
  Pair one(*poller);
  CHECK(one.is_watched());
  poller.reset();
  CHECK_FALSE(one.is_watched());
  one.want_read();
}
