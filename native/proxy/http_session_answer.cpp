#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

#include "native/proxy/http_head.hpp"
#include "native/proxy/http_loop.hpp"
#include "native/proxy/http_session.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t cut_ms = 50;  // time for a client to read why, before it sees a broken connection

}  // namespace

void Session::begin(int status, std::string_view fields, std::uint64_t length) {
  if (closed || answer_at.is_begun()) {
    return;
  }
  answer_at.enter(AnswerPhase::begun);
  chunked = length == unknown && !old_http;
  if (length == unknown && old_http) {
    keep = false;
  }
  append_head(out, status, fields,
              chunked             ? Framing::chunks
              : length == unknown ? Framing::close
                                  : Framing::length,
              length, keep, old_http);
  flush_soon();
}

bool Session::write(std::string_view bytes) {
  if (closed || answer_at.is_over() || bytes.empty() || bodiless) {
    return true;
  }
  if (chunked) {
    append_chunk(out, bytes);
  } else {
    out += bytes;
  }
  flush_soon();
  wants_room = out.size() - out_taken > loop.settings.untaken_bytes_max;
  return !wants_room;
}

void Session::end() {
  if (closed || answer_at.is_over()) {
    return;
  }
  answer_at.enter(AnswerPhase::ended);
  if (chunked && !bodiless) {
    out += "0\r\n\r\n";
  }
  flush_soon();
}

void Session::cut() {
  if (closed || answer_at.is_over()) {
    return;
  }
  answer_at.enter(AnswerPhase::cut);
  keep = false;
  flush_soon();
}

void Session::flush_soon() {
  if (flush_planned || waiting_writable) {
    return;
  }
  flush_planned = true;
  if (loop.poller.in_round()) {
    loop.written.push_back(shared_from_this());
    return;
  }
  asio::post(loop.io, [self = shared_from_this()] {
    self->flush_planned = false;
    if (!self->closed) {
      self->flush();
    }
  });
}

void Session::flush() {
  while (out_taken < out.size()) {
    const ssize_t size = ::send(socket, out.data() + out_taken, out.size() - out_taken, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      send_more();
      return;
    }
    if (size < 0) {
      lost(Gone::left);
      return;
    }
    out_taken += static_cast<std::size_t>(size);
    if (step == Step::answering) {
      due = ~std::uint64_t{0};
    }
  }
  out.clear();
  out_taken = 0;
  if (out.capacity() > kept_bytes_max) {
    out.shrink_to_fit();
  }
  after_flush();
}

void Session::after_flush() {
  if (step != Step::answering) {
    return;
  }
  if (answer_at.is(AnswerPhase::cut)) {
    close_at = loop.now_ms + cut_ms;
  } else if (!answer_at.is(AnswerPhase::ended)) {
    if (wants_room) {
      wants_room = false;
      if (answering) {
        answering->has_room();
      }
    }
  } else if (keep) {
    next_request();
  } else {
    linger();
  }
}

void Session::send_more() {
  if (out_taken > kept_bytes_max) {
    out.erase(0, out_taken);
    out_taken = 0;
  }
  if (step == Step::answering && due == ~std::uint64_t{0}) {
    due = loop.now_ms + loop.settings.untaken_ms;
  }
  if (wants_room && !answer_at.is(AnswerPhase::ended) &&
      out.size() - out_taken <= loop.settings.untaken_bytes_max / 2) {
    wants_room = false;
    if (answering) {
      answering->has_room();
    }
  }
  if (closed || waiting_writable) {
    return;
  }
  waiting_writable = true;
  was_filled();
  want_write();
}

void Session::on_writable() {
  const std::shared_ptr<Session> self = shared_from_this();
  waiting_writable = false;
  flush();
}

}  // namespace plumb::proxy
