#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <cerrno>
#include <utility>

#include "native/proxy/http_head.hpp"
#include "native/proxy/http_loop.hpp"
#include "native/proxy/http_session.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t early_bytes_max = 64 << 10;  // of a next request that comes before this one is answered
constexpr std::uint64_t body_bytes_a_ms = 16;

void count_up(std::atomic<std::uint64_t>& number) { number.store(number.load(std::memory_order_relaxed) + 1); }

}  // namespace

void RequestParser::on_request_impl(http::verb /*verb*/, boost::beast::string_view method,
                                    boost::beast::string_view target, int version, Failed& /*failed*/) {
  session.request.method = {method.data(), method.size()};
  session.request.target = {target.data(), target.size()};
  session.old_http = version < 11;
}

void RequestParser::on_field_impl(http::field /*name*/, boost::beast::string_view name, boost::beast::string_view value,
                                  Failed& /*failed*/) {
  session.request.fields.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
}

std::size_t RequestParser::on_body_impl(boost::beast::string_view body, Failed& failed) {
  if (session.request.body.size() + body.size() > session.loop.settings.body_bytes_max) {
    failed = http::error::body_limit;
    return 0;
  }
  session.request.body.append(body.data(), body.size());
  return body.size();
}

void Session::on_readable() {
  const std::shared_ptr<Session> self = shared_from_this();
  const ssize_t size = ::recv(socket, loop.scratch.data(), loop.scratch.size(), MSG_DONTWAIT);
  if (size < 0 && errno == EINTR) {
    want_read();
    return;
  }
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    was_drained();
    want_read();
    return;
  }
  if (size <= 0) {
    lost(Gone::left);
    return;
  }
  if (static_cast<std::size_t>(size) < loop.scratch.size()) {
    was_drained();
  }
  feed({loop.scratch.data(), static_cast<std::size_t>(size)});
  // A client that sends more than fits while it waits for an answer is not read on until it has been answered.
  if (!closed && early.size() <= early_bytes_max) {
    want_read();
  }
}

void Session::feed(std::string_view bytes) {
  const std::shared_ptr<Session> self = shared_from_this();
  in_feed = true;
  std::string joined;
  if (!early.empty() && (step == Step::head || step == Step::body)) {
    joined = std::exchange(early, {});
    joined += bytes;
    bytes = joined;
  }
  bool go_on = true;
  while (go_on && !bytes.empty() && !closed) {
    switch (step) {
      case Step::head:
        go_on = feed_head(bytes);
        break;
      case Step::body:
        go_on = feed_body(bytes);
        break;
      case Step::answering:
        go_on = false;
        break;
      case Step::lingering:
        bytes = {};
        break;
    }
  }
  if (!closed && step != Step::lingering && !bytes.empty()) {
    early.append(bytes);
  }
  in_feed = false;
}

bool Session::feed_head(std::string_view& bytes) {
  while (bytes.size() >= 2 && bytes[0] == '\r' && bytes[1] == '\n') {
    bytes.remove_prefix(2);  // what some clients send after a body
  }
  if (bytes.empty()) {
    return false;
  }
  const HeadEnd found = find_head_end(bytes);
  if (!found.problem.empty()) {
    refuse(400, found.problem);
    return false;
  }
  if (found.size > loop.settings.head_bytes_max || (found.size == 0 && bytes.size() > loop.settings.head_bytes_max)) {
    refuse(431, "the head of the request is longer than " + std::to_string(loop.settings.head_bytes_max) + " bytes");
    return false;
  }
  if (found.size == 0) {
    if (early.empty() && bytes.data() == loop.scratch.data()) {
      due = std::min(due, loop.now_ms + loop.settings.head_ms);
    }
    return false;
  }
  head.assign(bytes.substr(0, found.size));
  bytes.remove_prefix(found.size);
  request.fields.clear();
  request.body.clear();
  parser.emplace(*this);
  parser->eager(true);
  parser->header_limit(static_cast<std::uint32_t>(loop.settings.head_bytes_max) + 1);
  parser->body_limit(loop.settings.body_bytes_max);
  Failed failed;
  parser->put(asio::buffer(head), failed);
  if (failed == http::error::body_limit) {
    refuse(413, "");
    return false;
  }
  if (failed && failed != http::error::need_more) {
    refuse(400, "this is not a request of HTTP/1.1 (" + failed.message() + ")");
    return false;
  }
  if (const HeadProblem problem = head_problem(request, old_http); !problem.words.empty()) {
    refuse(problem.status, problem.words);
    return false;
  }
  body_size = parser->content_length() ? *parser->content_length() : 0;
  if (body_size > loop.settings.body_bytes_max) {
    refuse(413, "");
    return false;
  }
  keep = parser->keep_alive();
  bodiless = request.method == "HEAD";
  due = loop.now_ms + loop.settings.body_ms + body_size / body_bytes_a_ms;
  if (parser->is_done()) {
    handle();
    return true;
  }
  request.body.reserve(std::min<std::uint64_t>(body_size, 1U << 20));
  if (bytes.empty() && equal_names(request.field("expect"), "100-continue")) {
    out += "HTTP/1.1 100 Continue\r\n\r\n";
    flush_soon();
  }
  step = Step::body;
  return true;
}

bool Session::feed_body(std::string_view& bytes) {
  Failed failed;
  bytes.remove_prefix(parser->put(asio::buffer(bytes.data(), bytes.size()), failed));
  if (failed == http::error::need_more) {
    return false;
  }
  if (failed == http::error::body_limit) {
    refuse(413, "");
    return false;
  }
  if (failed) {
    refuse(400, "the body of the request is not framed as HTTP/1.1 has it (" + failed.message() + ")");
    return false;
  }
  if (parser->is_done()) {
    handle();
  }
  return true;
}

void Session::handle() {
  step = Step::answering;
  answer_at.enter(AnswerPhase::none);
  chunked = wants_room = false;
  due = ~std::uint64_t{0};
  count_up(loop.requests);
  if (loop.stop_at != 0) {
    keep = false;
  }
  std::shared_ptr<Answering> later = loop.handler->handle(request, *this);
  if (closed || answer_at.is_over()) {
    return;
  }
  answering = std::move(later);
  ++loop.answering;
}

void Session::refuse(int status, std::string_view message) {
  count_up(loop.refused_requests);
  step = Step::answering;
  answer_at.enter(AnswerPhase::none);
  chunked = false;
  keep = false;
  std::string said(message);
  if (status == 413) {
    said = "the body of the request is longer than " + std::to_string(loop.settings.body_bytes_max) +
           " bytes, the most this server takes";
  }
  const Handler::Problem problem = loop.handler->problem(status, said, from);
  answer(status, problem.fields, problem.body);
}

}  // namespace plumb::proxy
