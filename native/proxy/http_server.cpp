// Each loop is a thread of its own with the connections that were handed to it and the exchanges made for them, so that
// nothing on the way of a byte is locked. The first loop accepts and hands connections round.
//
// A connection holds no buffers while it is quiet: it waits until it is readable, is read into one buffer of the loop
// and parsed at once. What is written in a round of the loop is collected and sent at its end, so that a head, a piece
// and the end of an answer that came together go out together, and a provider is woken once for all of a round. Beast
// parses; before it sees a head, the head is searched for what could be read in two ways. All deadlines are looked at
// by one sweep every 100 ms.
#include "native/proxy/http_server.hpp"
#include "native/proxy/answer_phase.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "native/base/memory.hpp"
#include "native/provider/socket_poller.hpp"
#include "native/proxy/http_head.hpp"

namespace plumb::proxy {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Failed = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

namespace {

constexpr std::size_t read_bytes = 64 << 10;
constexpr std::size_t early_bytes_max = 64 << 10;  // of a next request that comes before this one is answered
constexpr std::size_t kept_bytes_max = 16 << 10;   // a buffer that is larger is given back between requests
constexpr std::uint64_t body_bytes_a_ms = 16;
constexpr std::uint64_t linger_ms = 2'000;
constexpr std::uint64_t cut_ms = 50;  // time for a client to read why, before it sees a broken connection
constexpr std::uint64_t rest_ms = 1'000;
constexpr std::uint64_t code_rest_ms = 30'000;
constexpr int accepted_at_once = 32;
constexpr auto sweep_every = Millis(100);

std::uint64_t ms_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<Millis>(Clock::now().time_since_epoch()).count());
}

// How many connections each address has.
class Addresses {
 public:
  // False: it has as many as it may.
  bool add(const std::string& address, std::size_t each_max) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t& count = counts_[address];
    if (each_max != 0 && count >= each_max) {
      return false;
    }
    ++count;
    return true;
  }
  void remove(const std::string& address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = counts_.find(address);
    if (found != counts_.end() && --found->second == 0) {
      counts_.erase(found);
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> counts_;
};

struct LoopState;

struct Session;

struct Parser final : http::basic_parser<true> {
  explicit Parser(Session& of) : session(of) {}
  void on_request_impl(http::verb /*verb*/, boost::beast::string_view method, boost::beast::string_view target,
                       int version, Failed& failed) override;
  void on_response_impl(int /*code*/, boost::beast::string_view /*reason*/, int /*version*/,
                        Failed& /*failed*/) override {}
  void on_field_impl(http::field /*name*/, boost::beast::string_view name, boost::beast::string_view value,
                     Failed& failed) override;
  void on_header_impl(Failed& /*failed*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, Failed& /*failed*/) override {}
  std::size_t on_body_impl(boost::beast::string_view body, Failed& failed) override;
  void on_chunk_header_impl(std::uint64_t /*size*/, boost::beast::string_view /*extensions*/,
                            Failed& /*failed*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, boost::beast::string_view body, Failed& failed) override {
    return on_body_impl(body, failed);
  }
  void on_finish_impl(Failed& /*failed*/) override {}

  Session& session;
};

struct Session final : Client, provider::PolledSocket, std::enable_shared_from_this<Session> {
  enum class Step : std::uint8_t {
    head,       // of the next request, of which nothing may have come yet
    body,       //
    answering,  //
    lingering,  // the answer is sent and the rest of the request is thrown away
  };

  Session(LoopState& of, int with, std::string address);
  ~Session() override { close_socket(); }

  bool start();
  void on_readable() override;
  void on_writable() override;
  void feed(std::string_view bytes);
  bool feed_head(std::string_view& bytes);
  bool feed_body(std::string_view& bytes);
  void handle();
  void refuse(int status, std::string_view message);
  void next_request();
  void flush_soon();
  void flush();
  void after_flush();
  void send_more();
  void linger();
  void lost(Gone why);
  void close();
  void close_socket();
  void sweep(std::uint64_t now);

  void begin(int status, std::string_view fields, std::uint64_t length) override;
  bool write(std::string_view bytes) override;
  void end() override;
  void cut() override;
  bool begun() const override { return answer_at.is_begun(); }
  std::string address() const override { return from; }

  LoopState& loop;
  int socket;
  std::string from;
  std::optional<Parser> parser;
  HttpRequest request;
  std::string head;   // what the request's views point into
  std::string early;  // came and is not used yet
  std::string out;    // written and not taken yet, from `out_taken` on
  std::size_t out_taken = 0;
  std::shared_ptr<Answering> answering;
  std::uint64_t due = 0;
  std::uint64_t close_at = 0;  // a cut answer: then
  std::uint64_t body_size = 0;
  Step step = Step::head;
  AnswerProgress answer_at;
  bool closed = false;
  bool waiting_writable = false;
  bool flush_planned = false;
  bool chunked = false;
  bool keep = true;       // the connection, after this answer
  bool bodiless = false;  // HEAD
  bool wants_room = false;
  bool old_http = false;
  bool in_feed = false;
};

struct LoopState final : Loop {
  LoopState(const HttpServerSettings& with, Addresses& of, std::size_t number)
      : settings(with),
        addresses(of),
        number_(number),
        io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
        poller(io),
        transport(io, polling(with.upstream)),
        sweeper(io),
        scratch(read_bytes) {}

  provider::TransportOptions polling(provider::TransportOptions options) {
    options.poller = &poller;
    poller.at_round_end([this] { end_round(); });
    return options;
  }

  provider::Transport& upstream() override { return transport; }
  TimePoint now() override {
    if (!poller.in_round()) {
      return moment_now();
    }
    if (moment_of != poller.calls()) {
      moment = moment_now();
      moment_of = poller.calls();
    }
    return moment;
  }
  std::size_t index() const override { return number_; }
  void after_writes(std::shared_ptr<Answering> who) override {
    if (!poller.in_round()) {
      who->written();
    } else {
      done.push_back(std::move(who));
    }
  }

  void adopt(int handle, std::string from);
  // What was written in the round is sent.
  void end_round();
  void sweep_later();
  void sweep();
  void rest();
  void stop(std::uint64_t grace_ms);
  void stop_if_done();

  const HttpServerSettings& settings;
  Addresses& addresses;
  std::size_t number_;
  asio::io_context io;
  provider::SocketPoller poller;
  provider::Transport transport;
  asio::steady_timer sweeper;
  std::vector<char> scratch;  // what is read is parsed before anything else is read
  std::unique_ptr<Handler> handler;
  std::unordered_set<std::shared_ptr<Session>> sessions;
  std::vector<std::shared_ptr<Session>> written;  // in the round
  std::vector<std::shared_ptr<Answering>> done;   // in the round: to be told so when all is written
  TimePoint moment;                               // of what is being read
  std::uint64_t moment_of = ~std::uint64_t{0};    // which call of the poller's that is
  std::uint64_t now_ms = 0;
  std::uint64_t stop_at = 0;  // 0: not stopping
  std::uint64_t requests_seen = 0;
  std::uint64_t rest_at = 0;       // when memory is given back; 0: it is
  std::uint64_t code_rest_at = 0;  // when code is
  bool fresh = true;               // code was not given back since the start
  bool told_to_stop = false;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::thread thread;
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused_requests{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> answering{0};
};

void count_up(std::atomic<std::uint64_t>& number) { number.store(number.load(std::memory_order_relaxed) + 1); }

// ---------------------------------------------------------------- reading

void Parser::on_request_impl(http::verb /*verb*/, boost::beast::string_view method, boost::beast::string_view target,
                             int version, Failed& /*failed*/) {
  session.request.method = {method.data(), method.size()};
  session.request.target = {target.data(), target.size()};
  session.old_http = version < 11;
}

void Parser::on_field_impl(http::field /*name*/, boost::beast::string_view name, boost::beast::string_view value,
                           Failed& /*failed*/) {
  session.request.fields.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
}

std::size_t Parser::on_body_impl(boost::beast::string_view body, Failed& failed) {
  if (session.request.body.size() + body.size() > session.loop.settings.body_bytes_max) {
    failed = http::error::body_limit;
    return 0;
  }
  session.request.body.append(body.data(), body.size());
  return body.size();
}

Session::Session(LoopState& of, int with, std::string address) : loop(of), socket(with), from(std::move(address)) {}

// False: the kernel does not take it.
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

// False: there is not enough to go on with.
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
    refuse(400, "this is no request of HTTP/1.1 (" + failed.message() + ")");
    return false;
  }
  const std::string_view problem = head_problem(request, old_http);
  if (!problem.empty()) {
    refuse(problem.starts_with("the transfer") ? 501 : 400, problem);
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

// ---------------------------------------------------------------- writing

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

// The client is slow: what it has not taken is kept, and the time in which it takes nothing is bounded.
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

// Everything that was written has been taken by the socket.
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

// Closing with bytes of the client unread would break the connection before the client has read the answer: its side is
// read to the end first, for a while.
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

// ---------------------------------------------------------------- loops

void LoopState::adopt(int handle, std::string from) {
  auto session = std::make_shared<Session>(*this, handle, std::move(from));
  if (stop_at != 0 || !session->start()) {
    addresses.remove(session->from);
    return;
  }
  sessions.insert(std::move(session));
  connections = sessions.size();
}

void LoopState::end_round() {
  transport.write_begun();
  // What flushing leads to (the next request of a connection) is written in turn.
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::shared_ptr<Session> one = std::move(written[i]);
    one->flush_planned = false;
    if (!one->closed) {
      one->flush();
    }
  }
  written.clear();
  transport.write_begun();
  for (std::size_t i = 0; i < done.size(); ++i) {
    std::exchange(done[i], nullptr)->written();
  }
  done.clear();
}

void LoopState::sweep_later() {
  sweeper.expires_after(sweep_every);
  sweeper.async_wait([this](const Failed& failed) {
    if (!failed) {
      sweep();
    }
  });
}

void LoopState::sweep() {
  now_ms = ms_now();
  std::vector<std::shared_ptr<Session>> all(sessions.begin(), sessions.end());
  const bool too_late = stop_at != 0 && now_ms >= stop_at;
  for (const std::shared_ptr<Session>& one : all) {
    if (one->closed) {
      continue;
    }
    if (too_late && !told_to_stop && one->answering && !one->answer_at.is_over()) {
      const std::shared_ptr<Answering> told = one->answering;
      told->gone(Gone::stopping);
      if (!one->closed && !one->answer_at.is_over()) {
        one->cut();
      }
    }
    one->sweep(now_ms);
    // What is still not sent one second later is not waited for.
    if (too_late && !one->closed && (one->step == Session::Step::lingering || now_ms >= stop_at + 1'000)) {
      one->close();
    }
  }
  rest();
  told_to_stop = too_late;
  if (stop_at != 0 && sessions.empty()) {
    transport.end_all();
    poller.stop();
    work.reset();
    return;
  }
  sweep_later();
}

// After a second without a request what the load had needed is given back. Code is a second after the start, which has
// needed much that no call does, and after half a minute without a request: the next maps some hundred pages again.
void LoopState::rest() {
  const std::uint64_t now = requests.load(std::memory_order_relaxed);
  if (now != requests_seen) {
    requests_seen = now;
    rest_at = now_ms + rest_ms;
    if (!fresh) {
      code_rest_at = now_ms + code_rest_ms;
    }
  } else if (rest_at != 0 && now_ms >= rest_at) {
    rest_at = 0;
    give_back_memory();
  }
  if (code_rest_at != 0 && now_ms >= code_rest_at) {
    code_rest_at = 0;
    fresh = false;
    give_back_code();
  }
}

void LoopState::stop(std::uint64_t grace_ms) {
  now_ms = ms_now();
  stop_at = now_ms + grace_ms;
  std::vector<std::shared_ptr<Session>> all(sessions.begin(), sessions.end());
  for (const std::shared_ptr<Session>& one : all) {
    if (one->step == Session::Step::head && one->early.empty()) {
      one->close();
    } else {
      one->keep = false;
    }
  }
}

struct HttpServerState final : HttpServer {
  explicit HttpServerState(const HttpServerSettings& with) : settings(with) {}
  ~HttpServerState() override { stop(0); }

  std::optional<Error> listen();
  void accept_more();
  void on_accepted(tcp::socket socket);
  void turn_away(tcp::socket& socket, std::string_view why, const std::string& from);
  void serve(const MakeHandler& make_handler);

  std::uint16_t port() const override { return port_; }
  void stop(std::uint64_t grace_ms) override;
  HttpServerCounts counts() const override;

  HttpServerSettings settings;
  Addresses addresses;
  std::vector<std::unique_ptr<LoopState>> loops;
  std::optional<tcp::acceptor> acceptor;
  std::optional<asio::steady_timer> retry;
  std::size_t next = 0;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped{false};
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};
};

std::optional<Error> HttpServerState::listen() {
  const std::string where = settings.host + ":" + std::to_string(settings.port);
  Failed failed;
  const std::string host = settings.host == "localhost" ? "127.0.0.1" : settings.host;
  const asio::ip::address address = asio::ip::make_address(host, failed);
  if (failed) {
    return Error{ErrorCode::invalid_argument, "is no address of this machine: give an IP address, such as 127.0.0.1",
                 settings.host, 0, 0};
  }
  acceptor.emplace(loops.front()->io);
  const tcp::endpoint endpoint(address, settings.port);
  acceptor->open(endpoint.protocol(), failed);
  if (!failed) {
    acceptor->set_option(tcp::acceptor::reuse_address(true), failed);
  }
  if (!failed) {
    acceptor->bind(endpoint, failed);
  }
  if (!failed) {
    acceptor->listen(4'096, failed);
  }
  if (!failed) {
    acceptor->non_blocking(true, failed);
  }
  if (failed) {
    const bool taken = failed == asio::error::address_in_use;
    return Error{ErrorCode::unavailable,
                 taken ? "is in use by another program; choose another port with --proxy or `listen` in plumb.yaml"
                       : "cannot be listened on: " + failed.message(),
                 where, 0, 0};
  }
  port_ = acceptor->local_endpoint(failed).port();
  return std::nullopt;
}

void HttpServerState::accept_more() {
  acceptor->async_accept([this](const Failed& failed, tcp::socket socket) {
    if (stopped || failed == asio::error::operation_aborted) {
      return;
    }
    if (failed) {
      // No more files, most likely: a little later there may be some again.
      retry->expires_after(sweep_every);
      retry->async_wait([this](const Failed& ended) {
        if (!ended && !stopped) {
          accept_more();
        }
      });
      return;
    }
    on_accepted(std::move(socket));
    // One a turn of the loop would let those that come at the same moment wait for the calls of those before.
    Failed none;
    for (int i = 1; i < accepted_at_once && !none; ++i) {
      tcp::socket another(loops.front()->io);
      acceptor->accept(another, none);
      if (!none) {
        on_accepted(std::move(another));
      }
    }
    accept_more();
  });
}

void HttpServerState::on_accepted(tcp::socket socket) {
  ++accepted;
  std::uint64_t open = 0;
  for (const auto& loop : loops) {
    open += loop->connections;
  }
  Failed ignored;
  const tcp::endpoint peer = socket.remote_endpoint(ignored);
  if (ignored) {
    return;
  }
  std::string from = peer.address().to_string();
  const bool too_many = open >= settings.connections_max;
  if (too_many || !addresses.add(from, settings.connections_each_max)) {
    ++refused;
    turn_away(socket,
              too_many ? "there are too many connections; try again later"
                       : "this address has too many connections open; close some",
              from);
    return;
  }
  LoopState* loop = loops[next++ % loops.size()].get();
  const int handle = socket.release(ignored);
  if (ignored) {
    addresses.remove(from);
  } else if (loop == loops.front().get()) {
    loop->adopt(handle, std::move(from));
  } else {
    asio::post(loop->io, [loop, handle, from = std::move(from)]() mutable { loop->adopt(handle, std::move(from)); });
  }
}

void HttpServerState::turn_away(tcp::socket& socket, std::string_view why, const std::string& from) {
  std::string answer;
  const Handler::Problem problem = loops.front()->handler->problem(503, why, from);
  append_head(answer, 503, problem.fields + "retry-after: 1\r\n", Framing::length, problem.body.size(), false, false);
  answer += problem.body;
  (void)::send(socket.native_handle(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  Failed ignored;
  socket.close(ignored);
}

void HttpServerState::serve(const MakeHandler& make_handler) {
  for (const auto& loop : loops) {
    loop->handler = make_handler(*loop);
    loop->now_ms = ms_now();
    loop->code_rest_at = loop->now_ms + rest_ms;
    loop->work.emplace(asio::make_work_guard(loop->io));
    loop->sweep_later();
  }
  retry.emplace(loops.front()->io);
  accept_more();
  for (const auto& loop : loops) {
    loop->thread = std::thread([state = loop.get()] {
      while (!state->io.stopped()) {
        state->io.run();
      }
    });
  }
}

void HttpServerState::stop(std::uint64_t grace_ms) {
  if (stopped.exchange(true) || !loops.front()->thread.joinable()) {
    return;
  }
  asio::post(loops.front()->io, [this] {
    Failed ignored;
    acceptor->close(ignored);
    retry->cancel();
  });
  for (const auto& loop : loops) {
    asio::post(loop->io, [state = loop.get(), grace_ms] { state->stop(grace_ms); });
  }
  for (const auto& loop : loops) {
    loop->thread.join();
  }
}

HttpServerCounts HttpServerState::counts() const {
  HttpServerCounts all;
  all.accepted = accepted;
  all.refused = refused;
  for (const auto& loop : loops) {
    all.connections += loop->connections;
    all.requests += loop->requests;
    all.refused_requests += loop->refused_requests;
    all.answering += loop->answering;
  }
  return all;
}

}  // namespace

void Client::answer(int status, std::string_view fields, std::string_view body) {
  begin(status, fields, body.size());
  write(body);
  end();
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpServerSettings& settings,
                                                     const MakeHandler& make_handler) {
  auto server = std::make_unique<HttpServerState>(settings);
  const std::size_t count =
      settings.loops != 0 ? settings.loops : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < count; ++i) {
    server->loops.push_back(std::make_unique<LoopState>(server->settings, server->addresses, i));
  }
  if (std::optional<Error> failed = server->listen()) {
    return *failed;
  }
  server->serve(make_handler);
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace plumb::proxy
