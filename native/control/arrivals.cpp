#include "native/control/arrivals.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "native/control/raw_head.hpp"

namespace plumb::control {

namespace {

constexpr std::uint64_t body_part_bytes = 128 << 10;
constexpr std::uint64_t closing_ms = 1'000;   // to read on what is not wanted, so that the answer is not lost
constexpr std::uint64_t stopping_ms = 5'000;  // for the bodies of requests that are on their way
constexpr int look_ms = 100;

std::uint64_t now_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

struct Refusal {
  int status;
  std::string_view title;
  std::string_view code;
  std::string_view detail;
};

constexpr Refusal too_slow = {408, "Request Timeout", "too_slow", "The request did not come in time."};
constexpr Refusal head_too_long = {431, "Request Header Fields Too Large", "head_too_large",
                                   "The head has more than 32 KB."};
constexpr Refusal no_place = {503, "Service Unavailable", "limit", "Too many requests at once; send it again later."};
constexpr Refusal stops = {503, "Service Unavailable", "stopping", "The server is being stopped; send it again later."};

std::string written(const Refusal& refusal) {
  std::string body;
  json::Writer(body)
      .begin_object()
      .member("type", "plumb:problem/" + std::string(refusal.code))
      .member("title", refusal.title)
      .member_uint("status", static_cast<std::uint64_t>(refusal.status))
      .member("detail", refusal.detail)
      .end_object();
  return "HTTP/1.1 " + std::to_string(refusal.status) + " " + std::string(refusal.title) +
         "\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\nX-Content-Type-Options: "
         "nosniff\r\n" +
         (refusal.status == 503 ? "Retry-After: 5\r\n" : "") +
         "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Waiting {
  int socket = -1;
  std::string bytes;
  std::size_t wanted = 0;  // with the body; 0: the head has not ended
  std::uint64_t until_ms = 0;
  bool kept = false;
  bool closing = false;  // has been answered
  bool gone = false;     // is taken out after the round
};

}  // namespace

std::string peer_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return "unknown";
  }
  if (address.ss_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(&address);
    ::inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(four->sin_port));
  }
  const auto* six = reinterpret_cast<const sockaddr_in6*>(&address);
  ::inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
  return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(six->sin6_port));
}

struct Arrivals::State {
  ArrivalSettings settings;
  std::function<bool(Arrival&)> serve;
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::mutex mutex;
  std::vector<int> taken;  // since the last round
  bool stopping = false;
  std::vector<Waiting> waiting;  // in the order in which they came
  std::uint64_t held_bytes = 0;
  std::thread thread;

  void run();
  void let_in(int socket, std::uint64_t now);
  void read(Waiting& one, std::uint64_t now);
  void look_at_head(Waiting& one, std::uint64_t now);
  void serve_it(Waiting& one, bool complete);
  void refuse(Waiting& one, const Refusal& refusal);
  void close(Waiting& one);
  void take_leave(std::uint64_t now, bool over);
  void told() {
    const std::uint64_t one = 1;
    (void)!::write(wake, &one, sizeof one);
  }
};

void Arrivals::State::close(Waiting& one) {
  ::shutdown(one.socket, SHUT_RDWR);
  ::close(one.socket);
  held_bytes -= one.bytes.size();
  one.gone = true;
}

void Arrivals::State::refuse(Waiting& one, const Refusal& refusal) {
  if (settings.refused) {
    settings.refused(refusal.code, peer_of(one.socket));
  }
  const std::string text = written(refusal);
  (void)!::send(one.socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(one.socket, SHUT_WR);
  held_bytes -= one.bytes.size();
  std::string().swap(one.bytes);
  one.closing = true;
  one.until_ms = now_ms() + closing_ms;
}

void Arrivals::State::serve_it(Waiting& one, bool complete) {
  Arrival arrival{one.socket, std::move(one.bytes), complete, one.kept};
  const std::size_t bytes = arrival.bytes.size();
  if (serve(arrival)) {
    held_bytes -= bytes;
    one.gone = true;
    return;
  }
  one.bytes = std::move(arrival.bytes);
  refuse(one, no_place);
}

void Arrivals::State::look_at_head(Waiting& one, std::uint64_t now) {
  const RawHead head = read_raw_head(one.bytes);
  if (!head.problem.empty()) {
    refuse(one, {400, "Bad Request", "bad_request", head.problem});
    return;
  }
  if ((head.size == 0 ? one.bytes.size() : head.size) > head_bytes_max) {
    refuse(one, head_too_long);
    return;
  }
  if (head.size == 0) {
    return;
  }
  one.kept = settings.keeps && settings.keeps(head.path, head.authorization);
  if (head.chunked || head.length > settings.body_bytes_max) {
    serve_it(one, false);
    return;
  }
  one.wanted = head.size + static_cast<std::size_t>(head.length);
  one.until_ms = now + settings.body_ms + head.length / body_part_bytes * settings.body_part_ms;
  if (head.expect_at != 0 && one.bytes.size() < one.wanted) {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    (void)!::send(one.socket, go_on.data(), go_on.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    one.bytes.replace(head.expect_at, 6, "X-Went");  // it is said once
  }
}

void Arrivals::State::read(Waiting& one, std::uint64_t now) {
  constexpr int pieces_max = 16;  // then the others have their turn
  std::array<char, 65536> room;
  for (int piece = 0; piece < pieces_max; ++piece) {
    const std::size_t most = one.wanted == 0 ? room.size() : std::min(room.size(), one.wanted - one.bytes.size());
    const ssize_t got = ::recv(one.socket, room.data(), one.closing ? room.size() : most, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    }
    if (got <= 0) {
      close(one);
      return;
    }
    if (one.closing) {
      continue;
    }
    one.bytes.append(room.data(), static_cast<std::size_t>(got));
    held_bytes += static_cast<std::uint64_t>(got);
    if (one.wanted == 0) {
      look_at_head(one, now);
    }
    if (one.gone || one.closing) {
      return;
    }
    if (one.wanted != 0 && one.bytes.size() >= one.wanted) {
      serve_it(one, true);
      return;
    }
    if (held_bytes > settings.held_bytes_max) {
      refuse(one, no_place);
      return;
    }
  }
}

void Arrivals::State::let_in(int socket, std::uint64_t now) {
  if (waiting.size() >= settings.connections_max) {
    const auto oldest = std::find_if(waiting.begin(), waiting.end(),
                                     [](const Waiting& one) { return !one.gone && !one.closing && one.wanted == 0; });
    if (oldest != waiting.end()) {
      refuse(*oldest, no_place);
      close(*oldest);
      waiting.erase(oldest);
    }
  }
  Waiting one;
  one.socket = socket;
  one.until_ms = now + settings.head_ms;
  waiting.push_back(std::move(one));
  if (waiting.size() > settings.connections_max) {
    refuse(waiting.back(), no_place);
  } else {
    read(waiting.back(), now);  // most have sent all of it
  }
}

// Told to stop: a request whose head has come may end until it is `over`, another is refused. What has come since the
// last round counts too, so it is read first; who has said nothing is not owed an answer.
void Arrivals::State::take_leave(std::uint64_t now, bool over) {
  for (Waiting& one : waiting) {
    if (!one.gone && !one.closing) {
      read(one, now);
    }
    if (one.gone || one.closing) {
      continue;
    }
    if (one.bytes.empty()) {
      close(one);
    } else if (over || one.wanted == 0) {
      refuse(one, stops);
    }
  }
}

void Arrivals::State::run() {
  std::vector<pollfd> polled;
  std::uint64_t leaves_ms = 0;
  for (;;) {
    polled.clear();
    polled.push_back({wake, POLLIN, 0});
    for (const Waiting& one : waiting) {
      polled.push_back({one.socket, POLLIN, 0});
    }
    (void)::poll(polled.data(), polled.size(), waiting.empty() ? -1 : look_ms);
    const std::uint64_t now = now_ms();
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      Waiting& one = waiting[i];
      if (polled[i + 1].revents != 0) {
        read(one, now);
      }
      if (!one.gone && now >= one.until_ms) {
        if (one.closing) {
          close(one);
        } else {
          refuse(one, too_slow);
        }
      }
    }
    std::vector<int> fresh;
    {
      std::uint64_t count = 0;
      (void)!::read(wake, &count, sizeof count);
      const std::lock_guard<std::mutex> lock(mutex);
      if (stopping && leaves_ms == 0) {
        leaves_ms = now + stopping_ms;
      }
      fresh.swap(taken);
    }
    const auto drop_gone = [this] {
      waiting.erase(std::remove_if(waiting.begin(), waiting.end(), [](const Waiting& one) { return one.gone; }),
                    waiting.end());
    };
    drop_gone();
    for (const int socket : fresh) {
      let_in(socket, now);
    }
    if (leaves_ms != 0) {
      take_leave(now, now >= leaves_ms);
    }
    drop_gone();
    if (leaves_ms != 0 && waiting.empty()) {
      break;
    }
  }
}

Arrivals::Arrivals(ArrivalSettings settings, std::function<bool(Arrival&)> serve) : state_(std::make_unique<State>()) {
  state_->settings = std::move(settings);
  state_->serve = std::move(serve);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Arrivals::~Arrivals() {
  stop();
  ::close(state_->wake);
}

void Arrivals::take(int socket) {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (!state_->stopping) {
      state_->taken.push_back(socket);
      state_->told();
      return;
    }
  }
  ::close(socket);
}

void Arrivals::stop() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (std::exchange(state_->stopping, true)) {
      return;
    }
  }
  state_->told();
  state_->thread.join();
}

}  // namespace plumb::control
