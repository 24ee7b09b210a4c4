#include "native/proxy/http_session.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "native/proxy/http_loop.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t linger_ms = 2'000;

}  // namespace

Session::Session(LoopState& of, int with, std::string address) : loop(of), socket(with), from(std::move(address)) {}

bool Session::start() {
  const int on = 1;
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  due = loop.now_ms + loop.settings.head_ms;
  if (!watch(loop.poller, socket)) {
    return false;
  }
  want_read();
  return true;
}

void Session::next_request() {
  if (answering) {
    answering.reset();
    --loop.answering;
  }
  step = Step::head;
  due = loop.now_ms + loop.settings.idle_ms;
  if (request.body.capacity() > kept_bytes_max) {
    std::string().swap(request.body);
  }
  if (loop.stop_at != 0) {
    linger();
    return;
  }
  if (!early.empty() && !in_feed) {
    const std::string came = std::exchange(early, {});
    feed(came);
  }
  if (!closed) {
    want_read();
  }
}

void Session::linger() {
  if (answering) {
    answering.reset();
    --loop.answering;
  }
  step = Step::lingering;
  early.clear();
  ::shutdown(socket, SHUT_WR);
  due = loop.now_ms + linger_ms;
  want_read();
}

void Session::lost(Gone why) {
  if (closed) {
    return;
  }
  const std::shared_ptr<Session> self = shared_from_this();
  const std::shared_ptr<Answering> told = std::exchange(answering, nullptr);
  if (told) {
    --loop.answering;
  }
  const bool over = answer_at.is_over();
  close();
  if (told && !over) {
    told->gone(why);
  }
}

void Session::close() {
  if (closed) {
    return;
  }
  closed = true;
  close_socket();
  loop.addresses.remove(from);
  loop.sessions.erase(shared_from_this());
  loop.connections = loop.sessions.size();
}

void Session::close_socket() {
  if (socket < 0) {
    return;
  }
  forget();
  ::close(std::exchange(socket, -1));
}

void Session::sweep(std::uint64_t now) {
  if (close_at != 0 && now >= close_at) {
    lost(Gone::left);
    return;
  }
  if (now >= due) {
    switch (step) {
      case Step::head:
        if (early.empty()) {
          close();
          return;
        }
        refuse(408, "the head of the request did not come in time");
        return;
      case Step::body:
        refuse(408, "the body of the request did not come in time");
        return;
      case Step::answering:
        lost(Gone::stalled);
        return;
      case Step::lingering:
        close();
        return;
    }
  }
  if (answering) {
    answering->tick(now);
  }
}

}  // namespace plumb::proxy
