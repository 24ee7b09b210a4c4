// One thread runs everything, so nothing here is locked but the counters. An exchange is a state machine of callbacks;
// what ends it is one function, finish(), after which callbacks that are still on their way find `over` set and leave.
// The answer is read into one buffer of the loop and given to Beast's parser by hand: its own read operations grow a
// buffer from 512 bytes and cost half of the throughput, and a buffer for each connection is what thousands of quiet
// streams would be made of. So a connection waits until it is readable, is then read and parsed at once, and keeps only
// what the parser could not use yet. Timers of single operations would cost as much again, so every exchange has one
// moment at which its time is up, and a sweep looks at all of them.
#include "native/provider/transport.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cerrno>
#include <chrono>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/ascii.hpp"
#include "native/base/bounded_text.hpp"
#include "native/provider/inflater.hpp"

namespace plumb::provider {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Failed = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

namespace {

constexpr std::size_t read_bytes = 64 << 10;
constexpr std::size_t fields_usual = 16;  // of an answer's head
constexpr std::uint64_t write_bytes_a_ms = 64;
constexpr auto sweep_every = Millis(100);
// Times are added to a clock: more than ten years is as good as never, and does not overflow.
constexpr std::uint64_t ms_max = std::uint64_t{10} * 366 * 86'400'000;

Clock::time_point in_ms(Clock::time_point now, std::uint64_t ms) { return now + Millis(std::min(ms, ms_max)); }

std::string seconds_text(std::uint64_t ms) {
  if (ms < 1'000) {
    return std::to_string(ms) + " ms";
  }
  std::string text = std::to_string(ms / 1'000);
  if (ms % 1'000 >= 100) {
    text += "." + std::to_string(ms % 1'000 / 100);
  }
  return text + " s";
}

struct Exchange;

// A connection, with TLS or without, that may serve many exchanges one after another. One without TLS is taken from
// Asio once it is there, and polled.
struct Connection final : PolledSocket {
  explicit Connection(asio::io_context& io) : socket(io) {}
  ~Connection() override { close(); }

  bool poll_plain(SocketPoller& poller) {
    Failed failed;
    plain = socket.release(failed);
    return !failed && watch(poller, plain);
  }
  void close() {
    forget();
    if (plain >= 0) {
      ::close(std::exchange(plain, -1));
    }
    Failed ignored;
    socket.close(ignored);
  }
  // The other side has neither closed it nor sent anything that nobody asked for.
  bool is_quiet() {
    if (is_watched()) {
      return !has_ended() && !disturbed;
    }
    char byte = 0;
    const ssize_t got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  void on_readable() override;
  void on_writable() override;

  tcp::socket socket;
  int plain = -1;            // where it is polled
  Exchange* user = nullptr;  // of a polled one
  bool disturbed = false;    // something came that nobody asked for
  std::optional<asio::ssl::stream<tcp::socket&>> tls;
  std::vector<char> decrypted;  // where TLS reads to
  std::string rest;             // what has come and the parser could not use yet
  Origin origin;
  Clock::time_point idle_since;
};

// Beast's parser, which calls the exchange.
struct Parser final : http::basic_parser<false> {
  explicit Parser(Exchange& of) : exchange(of) { head.headers.reserve(fields_usual); }

  void on_request_impl(http::verb /*verb*/, boost::beast::string_view /*method*/, boost::beast::string_view /*target*/,
                       int /*version*/, Failed& /*failed*/) override {}
  void on_response_impl(int code, boost::beast::string_view /*reason*/, int /*version*/, Failed& /*failed*/) override {
    head.status = code;
  }
  void on_field_impl(http::field /*name*/, boost::beast::string_view name, boost::beast::string_view value,
                     Failed& /*failed*/) override {
    HeaderField& field = head.headers.emplace_back(HeaderField{std::string(name), std::string(value)});
    std::transform(field.name.begin(), field.name.end(), field.name.begin(), [](char c) { return ascii::lower(c); });
  }
  void on_header_impl(Failed& failed) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, Failed& /*failed*/) override {}
  std::size_t on_body_impl(boost::beast::string_view body, Failed& failed) override;
  void on_chunk_header_impl(std::uint64_t /*size*/, boost::beast::string_view /*extensions*/,
                            Failed& /*failed*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, boost::beast::string_view body, Failed& failed) override {
    return on_body_impl(body, failed);
  }
  void on_finish_impl(Failed& /*failed*/) override {}

  Exchange& exchange;
  ExchangeHead head;
};

struct EventsReader final : ExchangeReader {
  explicit EventsReader(ExchangeEvents with) : events(std::move(with)) {}
  void on_head(const ExchangeHead& head) override {
    if (events.head) {
      events.head(head);
    }
  }
  Flow on_bytes(std::string_view bytes) override { return events.bytes ? events.bytes(bytes) : Flow::go_on; }
  void on_end(ExchangeOutcome outcome) override {
    if (events.end) {
      events.end(std::move(outcome));
    }
  }
  ExchangeEvents events;
};

bool has_line_end(std::string_view text) {
  return text.find('\r') != std::string_view::npos || text.find('\n') != std::string_view::npos;
}

struct Timer {
  TimerId id = 0;
  std::function<void()> work;
};
using Timers = std::multimap<Clock::time_point, Timer>;

}  // namespace

struct TransportState {
  TransportState(asio::io_context* loop, const TransportOptions& wanted)
      : options(wanted),
        own(loop != nullptr ? nullptr : std::make_unique<asio::io_context>(1)),
        io(loop != nullptr ? *loop : *own),
        own_poller(options.poller != nullptr ? nullptr : std::make_unique<SocketPoller>(io)),
        poller(options.poller != nullptr ? *options.poller : *own_poller),
        tls(asio::ssl::context::tls_client),
        sweeper(io),
        scratch(read_bytes) {
    if (own_poller) {
      own_poller->at_round_end([this] { write_begun(); });
    }
    Failed ignored;
    tls.set_default_verify_paths(ignored);
    tls.set_verify_mode(asio::ssl::verify_peer);
    ::SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  }

  void begin(const std::shared_ptr<Exchange>& exchange);
  void sweep(Clock::time_point now);
  void on_time();
  void sweep_later();
  void write_begun();
  void end_all();
  // The same for all that one socket's bytes lead to. On the loop's thread.
  Clock::time_point now() {
    if (!poller.in_round()) {
      return Clock::now();
    }
    if (std::exchange(now_of, poller.calls()) != poller.calls()) {
      now_is = Clock::now();
    }
    return now_is;
  }
  std::shared_ptr<Connection> idle_connection(const Origin& origin);
  void keep(std::shared_ptr<Connection> connection);

  TransportOptions options;
  std::unique_ptr<asio::io_context> own;  // none where it runs in somebody's loop
  asio::io_context& io;
  std::unique_ptr<SocketPoller> own_poller;
  SocketPoller& poller;
  asio::ssl::context tls;
  asio::steady_timer sweeper;
  std::vector<char> scratch;  // what is read is parsed before anything else is read
  bool sweeping = false;
  Clock::time_point swept{};
  Clock::time_point now_is{};
  std::uint64_t now_of = ~std::uint64_t{0};  // which call of the poller's that was
  bool ending = false;
  bool starting = false;
  std::unordered_map<ExchangeId, std::shared_ptr<Exchange>> active;
  std::vector<std::shared_ptr<Exchange>> begun;  // in this round, and not written yet
  std::list<std::shared_ptr<Connection>> idle;   // the one used last in front
  Timers timers;
  std::unordered_map<TimerId, Timers::iterator> timer_of;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::thread thread;
  std::atomic<std::uint64_t> last_id{0};
  std::atomic<std::uint64_t> exchanges{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> active_count{0};
};

namespace {

struct Exchange : std::enable_shared_from_this<Exchange> {
  using Owner = TransportState;

  enum class Step : std::uint8_t { connecting, waiting, reading };

  Exchange(Owner& of, ExchangeId with_id, ExchangeRequest what, const ExchangeLimits& within,
           std::shared_ptr<ExchangeReader> tells)
      : owner(of),
        id(with_id),
        request(std::move(what)),
        limits(within),
        reader(std::move(tells)),
        deadline(in_ms(of.own ? Clock::now() : of.now(), within.deadline_ms)) {}

  void begin() {
    due = in_ms(owner.now(), limits.connect_ms);
    connection = owner.idle_connection(request.origin);
    if (connection) {
      send();
      return;
    }
    connection = std::make_shared<Connection>(owner.io);
    connection->origin = request.origin;
    Failed not_numeric;
    const asio::ip::address address = asio::ip::make_address(request.origin.host, not_numeric);
    if (!not_numeric) {
      connect(std::vector<tcp::endpoint>{tcp::endpoint(address, request.origin.port)});
      return;
    }
    // This name is the machine's own whatever a resolver says of it, or there is none (RFC 6761, section 6.3).
    if (request.origin.host == "localhost") {
      connect({tcp::endpoint(asio::ip::address_v4::loopback(), request.origin.port),
               tcp::endpoint(asio::ip::address_v6::loopback(), request.origin.port)});
      return;
    }
    resolver.emplace(owner.io);
    resolver->async_resolve(
        request.origin.host, std::to_string(request.origin.port), tcp::resolver::numeric_service,
        [self = shared_from_this()](const Failed& failed, const tcp::resolver::results_type& found) {
          if (self->over) {
            return;
          }
          self->resolver.reset();
          if (failed) {
            self->finish(ExchangeEnd::unreachable,
                         "the name " + self->request.origin.host + " is not known (" + failed.message() + ")");
            return;
          }
          self->connect(std::vector<tcp::endpoint>(found.begin(), found.end()));
        });
  }

  void connect(std::vector<tcp::endpoint> to) {
    std::erase_if(to, [this](const tcp::endpoint& one) { return !reader->may_connect(one.address().to_string()); });
    if (to.empty()) {
      finish(ExchangeEnd::unreachable,
             request.origin.text() + " resolves to an address that no connection may be made to");
      return;
    }
    endpoints = std::move(to);
    asio::async_connect(
        connection->socket, endpoints, [self = shared_from_this()](const Failed& failed, const tcp::endpoint& /*to*/) {
          if (self->over) {
            return;
          }
          if (failed) {
            self->finish(ExchangeEnd::unreachable,
                         "no connection to " + self->request.origin.text() + " (" + failed.message() + ")");
            return;
          }
          self->connected();
        });
  }

  void connected() {
    ++owner.connections;
    Failed ignored;
    connection->socket.set_option(tcp::no_delay(true), ignored);
    if (!request.origin.tls) {
      if (connection->poll_plain(owner.poller)) {
        send();
      } else {
        finish(ExchangeEnd::unreachable, "the connection to " + request.origin.text() + " cannot be polled here");
      }
      return;
    }
    connection->tls.emplace(connection->socket, owner.tls);
    Failed not_numeric;
    asio::ip::make_address(request.origin.host, not_numeric);
    if (not_numeric) {  // a name: the server must know whose certificate is wanted
      SSL_set_tlsext_host_name(connection->tls->native_handle(), request.origin.host.c_str());
    }
    connection->tls->set_verify_callback(
        [names = asio::ssl::host_name_verification(request.origin.host)](bool good, asio::ssl::verify_context& with) {
          const bool fits = names(good, with);
          if (good && !fits) {  // else there would be no reason to tell
            ::X509_STORE_CTX_set_error(with.native_handle(), X509_V_ERR_HOSTNAME_MISMATCH);
          }
          return fits;
        },
        ignored);
    connection->tls->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](const Failed& failed) {
      if (self->over) {
        return;
      }
      if (failed) {
        const long verified = ::SSL_get_verify_result(self->connection->tls->native_handle());
        const std::string why = verified == X509_V_ERR_HOSTNAME_MISMATCH
                                    ? "it is for another name than " + self->request.origin.host
                                    : ::X509_verify_cert_error_string(verified);
        self->finish(ExchangeEnd::unreachable,
                     "no TLS with " + self->request.origin.text() + " (" +
                         (verified != X509_V_OK ? "its certificate is not accepted: " + why : failed.message()) + ")");
        return;
      }
      self->send();
    });
  }

  void send() {
    step = Step::waiting;
    due = in_ms(owner.now(), limits.first_byte_ms + request.body.size() / write_bytes_a_ms);
    write_head();
    new_parser();
    if (connection->tls) {
      const std::array<asio::const_buffer, 2> parts = {asio::buffer(head), asio::buffer(request.body)};
      asio::async_write(*connection->tls, parts,
                        [self = shared_from_this()](const Failed& failed, std::size_t /*written*/) {
                          if (!self->over) {
                            self->sent = !failed;
                          }
                        });
    } else if (owner.poller.in_round()) {
      owner.begun.push_back(shared_from_this());
    } else {
      write_more();
    }
    if (!over) {
      read_more();
    }
  }

  void write_head() {
    const std::string host = request.origin.text();
    std::size_t size = request.method.size() + request.target.size() + host.size() + request.lines.size() + 64;
    for (const HeaderField& field : request.headers) {
      size += field.name.size() + field.value.size() + 4;
    }
    BoundedText lines(size);
    lines.add(request.method).add(" ").add(request.target).add(" HTTP/1.1\r\nhost: ").add(host).add("\r\n");
    for (const HeaderField& field : request.headers) {
      lines.add(field.name).add(": ").add(field.value).add("\r\n");
    }
    lines.add(request.lines);
    if (!request.body.empty() || request.method == "POST") {
      lines.add("content-length: ").number(request.body.size()).add("\r\n");
    }
    lines.add("\r\n");
    head = lines.take();
  }

  // Straight to the socket, which takes most requests at once. A server that refuses early closes its side and may have
  // said why: that a write fails ends nothing, what was answered is read to its end.
  void write_more() {
    const std::size_t total = head.size() + request.body.size();
    while (written < total) {
      std::array<iovec, 2> parts{};
      std::size_t count = 0;
      if (written < head.size()) {
        parts[count++] = {head.data() + written, head.size() - written};
      }
      const std::size_t of_body = written > head.size() ? written - head.size() : 0;
      if (of_body < request.body.size()) {
        parts[count++] = {request.body.data() + of_body, request.body.size() - of_body};
      }
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = count;
      const ssize_t size = ::sendmsg(connection->plain, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size < 0 && errno == EINTR) {
        continue;
      }
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        connection->was_filled();
        connection->want_write();
        return;
      }
      if (size < 0) {
        return;
      }
      written += static_cast<std::size_t>(size);
    }
    sent = true;
  }

  void new_parser() {
    parser.emplace(*this);
    parser->eager(true);
    parser->header_limit(limits.head_bytes_max);
    parser->body_limit(limits.body_bytes_max);
  }

  void read_more() {
    reading = true;
    if (connection->tls) {
      connection->decrypted.resize(read_bytes / 4);
      connection->tls->async_read_some(asio::buffer(connection->decrypted),
                                       [self = shared_from_this()](const Failed& failed, std::size_t size) {
                                         self->reading = false;
                                         if (!self->over) {
                                           self->on_read(failed, {self->connection->decrypted.data(), size});
                                         }
                                       });
      return;
    }
    connection->user = this;
    connection->want_read();
  }

  void on_readable() {
    reading = false;
    Failed failed;
    const ssize_t size = ::recv(connection->plain, owner.scratch.data(), owner.scratch.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
      if (errno != EINTR) {
        connection->was_drained();
      }
      read_more();
      return;
    }
    if (size == 0) {
      failed = asio::error::eof;
    } else if (size < 0) {
      failed = Failed(errno, boost::system::system_category());
    } else if (static_cast<std::size_t>(size) < owner.scratch.size()) {
      connection->was_drained();
    }
    on_read(failed, {owner.scratch.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
  }

  void on_read(const Failed& failed, std::string_view bytes) {
    if (!bytes.empty()) {
      any = true;
      step = Step::reading;
      due = in_ms(owner.now(), limits.idle_ms);
      if (!parse(bytes)) {
        return;
      }
    }
    if (failed) {
      on_end_of_connection(failed);
      return;
    }
    if (paused) {
      due = Clock::time_point::max();
      return;
    }
    read_more();
  }

  // False when the exchange is over.
  bool parse(std::string_view bytes) {
    std::string joined;
    if (!connection->rest.empty()) {
      joined = std::move(connection->rest);
      connection->rest.clear();
      joined += bytes;
      bytes = joined;
    }
    while (!bytes.empty()) {
      Failed failed;
      bytes.remove_prefix(parser->put(asio::buffer(bytes.data(), bytes.size()), failed));
      const bool readable = !inflater || inflate_more();
      if (over) {
        return false;
      }
      if (stopped) {
        finish(ExchangeEnd::cancelled, "nothing more was wanted");
        return false;
      }
      if (unread_coding || !readable) {
        return end_of_coding();
      }
      if (failed == http::error::need_more) {
        connection->rest = bytes;
        return true;
      }
      if (failed == http::error::body_limit) {
        finish(ExchangeEnd::limit, "the answer of " + request.origin.text() + " is longer than " +
                                       std::to_string(limits.body_bytes_max) + " bytes");
        return false;
      }
      if (failed == http::error::header_limit) {
        finish(ExchangeEnd::limit, "the head of the answer of " + request.origin.text() + " is longer than " +
                                       std::to_string(limits.head_bytes_max) + " bytes");
        return false;
      }
      if (failed) {
        finish(ExchangeEnd::malformed,
               "what " + request.origin.text() + " answered is no HTTP (" + failed.message() + ")");
        return false;
      }
      if (parser->is_done()) {
        if (parser->head.status >= 100 && parser->head.status < 200) {
          new_parser();  // "continue" and the like: the answer is still to come
          continue;
        }
        if (inflater && paused) {
          ended_paused = true;  // what is still compressed is given once there is room
          connection->rest = bytes;
          return true;
        }
        complete(bytes.empty());
        return false;
      }
    }
    return true;
  }

  // What has come of a compressed body, to the reader, as far as it takes it. False: it is broken, or too long.
  bool inflate_more() {
    std::string_view piece;
    while (!over && !stopped && !paused && inflater->next(piece)) {
      inflated += piece.size();
      if (inflated > limits.body_bytes_max) {
        return false;
      }
      give(piece);
    }
    return !inflater->failed();
  }

  bool end_of_coding() {
    const std::string who = "the answer of " + request.origin.text();
    if (over) {
      return false;
    }
    if (unread_coding) {
      finish(ExchangeEnd::malformed, who + " is compressed in a way that is not read here (gzip and deflate are)");
    } else if (inflated > limits.body_bytes_max) {
      finish(ExchangeEnd::limit, who + " is longer than " + std::to_string(limits.body_bytes_max) + " bytes");
    } else {
      finish(ExchangeEnd::malformed, who + " is no such compressed data as it says");
    }
    return false;
  }

  void complete(bool nothing_left) {
    if (inflater && !inflater->whole() && inflated_any) {
      finish(ExchangeEnd::cut, request.origin.text() + " ended its answer in the middle of the compressed data");
      return;
    }
    const bool again = sent && nothing_left && parser->keep_alive() && !parser->need_eof();
    std::shared_ptr<Connection> kept = again ? std::move(connection) : nullptr;
    if (kept) {
      kept->user = nullptr;
    }
    Owner& of = owner;
    finish(ExchangeEnd::complete, "");
    if (kept) {
      of.keep(std::move(kept));
    }
  }

  void on_end_of_connection(const Failed& failed) {
    if (any && failed == asio::error::eof && parser->got_some()) {
      Failed not_whole;
      parser->put_eof(not_whole);
      if (!not_whole && parser->is_done()) {
        ended_paused = inflater && paused;
        if (ended_paused) {
          due = Clock::time_point::max();
        } else {
          complete(false);
        }
        return;
      }
    }
    finish(ExchangeEnd::cut, request.origin.text() + (head_told ? " closed the connection in the middle of its answer"
                                                                : " closed the connection without an answer"));
  }

  void on_head(const ExchangeHead& answer) {
    if (over || (answer.status >= 100 && answer.status < 200)) {
      return;
    }
    head_told = true;
    read_coding(answer);
    reader->on_head(answer);
    if (sent) {
      forget_request();
    }
  }

  // Thousands of streams are open at once, and what was asked is not asked again.
  void forget_request() {
    std::string().swap(head);
    std::string().swap(request.body);
    std::string().swap(request.lines);
    std::vector<HeaderField>().swap(request.headers);
    std::vector<HeaderField>().swap(parser->head.headers);
  }

  // We ask for none; some servers compress anyway.
  void read_coding(const ExchangeHead& answer) {
    for (const HeaderField& field : answer.headers) {
      if (field.name != "content-encoding" || field.value.empty() || field.value == "identity") {
        continue;
      }
      unread = inflater != nullptr || (inflater = Inflater::for_coding(field.value)) == nullptr;
      // Of an answer that is none the status says enough.
      unread_coding = unread && answer.status >= 200 && answer.status <= 299;
    }
  }

  void on_body(std::string_view bytes) {
    if (over || stopped) {
      return;
    }
    if (inflater) {
      inflated_any = true;
      inflater->push(bytes);
    } else if (!unread) {
      give(bytes);
    }
  }

  void give(std::string_view bytes) {
    switch (reader->on_bytes(bytes)) {
      case Flow::go_on:
        break;
      case Flow::pause:
        paused = true;
        break;
      case Flow::stop:
        stopped = true;
        break;
    }
  }

  void resume() {
    if (over || !paused) {
      return;
    }
    paused = false;
    due = in_ms(owner.now(), limits.idle_ms);
    if (inflater) {
      const bool good = inflate_more();
      if (over || paused) {
        return;
      }
      if (stopped) {
        finish(ExchangeEnd::cancelled, "nothing more was wanted");
        return;
      }
      if (!good) {
        end_of_coding();
        return;
      }
      if (ended_paused) {
        complete(std::exchange(connection->rest, {}).empty());
        return;
      }
    }
    if (!reading && step == Step::reading) {
      read_more();
    }
  }

  void time_is_up(Clock::time_point now) {
    const std::string who = request.origin.text();
    if (now >= deadline) {
      finish(ExchangeEnd::deadline, "no whole answer of " + who + " within " + seconds_text(limits.deadline_ms));
    } else if (step == Step::connecting) {
      finish(ExchangeEnd::unreachable, "no connection to " + who + " within " + seconds_text(limits.connect_ms));
    } else if (step == Step::waiting) {
      finish(ExchangeEnd::timed_out, who + " sent nothing for " + seconds_text(limits.first_byte_ms));
    } else {
      finish(ExchangeEnd::timed_out,
             who + " sent nothing for " + seconds_text(limits.idle_ms) + " in the middle of its answer");
    }
  }

  void finish(ExchangeEnd how, std::string message) {
    if (over) {
      return;
    }
    if (owner.starting) {  // whoever starts it does not know its id yet
      asio::post(owner.io, [self = shared_from_this(), how, message = std::move(message)]() mutable {
        self->finish(how, std::move(message));
      });
      return;
    }
    over = true;
    if (resolver) {
      resolver->cancel();
    }
    if (connection) {
      connection->user = nullptr;
      connection->close();
    }
    const std::shared_ptr<Exchange> self = shared_from_this();
    owner.active.erase(id);
    owner.active_count = owner.active.size();
    // The reader may hold whoever holds this: it goes before it is called for the last time.
    const std::shared_ptr<ExchangeReader> last = std::exchange(reader, nullptr);
    last->on_end({how, std::move(message)});
  }

  Owner& owner;
  ExchangeId id = 0;
  ExchangeRequest request;
  ExchangeLimits limits;
  std::shared_ptr<ExchangeReader> reader;
  Clock::time_point deadline;
  Clock::time_point due;
  Step step = Step::connecting;
  bool over = false;
  bool sent = false;
  std::size_t written = 0;
  bool any = false;
  bool head_told = false;
  bool paused = false;
  bool stopped = false;
  bool reading = false;
  std::unique_ptr<Inflater> inflater;  // of a compressed answer
  std::uint64_t inflated = 0;
  bool inflated_any = false;
  bool unread = false;
  bool unread_coding = false;
  bool ended_paused = false;
  std::string head;
  std::optional<tcp::resolver> resolver;
  std::vector<tcp::endpoint> endpoints;
  std::shared_ptr<Connection> connection;
  std::optional<Parser> parser;
};

void Connection::on_readable() {
  if (user == nullptr) {
    disturbed = true;
    return;
  }
  const std::shared_ptr<Exchange> exchange = user->shared_from_this();
  exchange->on_readable();
}

void Connection::on_writable() {
  if (user == nullptr) {
    return;
  }
  const std::shared_ptr<Exchange> exchange = user->shared_from_this();
  exchange->write_more();
}

void Parser::on_header_impl(Failed& /*failed*/) { exchange.on_head(head); }

std::size_t Parser::on_body_impl(boost::beast::string_view body, Failed& /*failed*/) {
  exchange.on_body(std::string_view(body.data(), body.size()));
  return body.size();
}

}  // namespace

void TransportState::begin(const std::shared_ptr<Exchange>& exchange) {
  if (ending) {
    exchange->finish(ExchangeEnd::cancelled, "the program is ending");
    return;
  }
  if (active.size() >= options.exchanges_max) {
    exchange->finish(ExchangeEnd::limit, "there are " + std::to_string(active.size()) +
                                             " exchanges with providers under way, the most there may be");
    return;
  }
  active.emplace(exchange->id, exchange);
  active_count = active.size();
  ++exchanges;
  sweep_later();
  for (const HeaderField& field : exchange->request.headers) {
    if (has_line_end(field.name) || has_line_end(field.value)) {
      exchange->finish(ExchangeEnd::malformed, "a header of the request has a line end in it");
      return;
    }
  }
  exchange->begin();
}

void TransportState::write_begun() {
  for (const std::shared_ptr<Exchange>& exchange : begun) {
    if (!exchange->over) {
      exchange->write_more();
    }
  }
  begun.clear();
}

// At the next sweep, or at the first timer where that is sooner.
void TransportState::sweep_later() {
  if (ending) {
    return;
  }
  if (sweeping && (timers.empty() || timers.begin()->first >= sweeper.expiry())) {
    return;
  }
  const Clock::time_point now = Clock::now();
  swept = swept + sweep_every <= now ? now : swept;  // after a rest
  const Clock::time_point sweep_at = swept + sweep_every;
  const Clock::time_point at = timers.empty() ? sweep_at : std::min(sweep_at, timers.begin()->first);
  sweeping = true;
  sweeper.expires_at(at);  // a wait before it is given up
  sweeper.async_wait([this](const Failed& failed) {
    if (!failed) {
      sweeping = false;
      on_time();
    }
  });
}

void TransportState::on_time() {
  const Clock::time_point now = Clock::now();
  if (now >= swept + sweep_every) {
    swept = now;
    sweep(now);
  }
  while (!timers.empty() && timers.begin()->first <= now) {
    const std::function<void()> due = std::move(timers.begin()->second.work);
    timer_of.erase(timers.begin()->second.id);
    timers.erase(timers.begin());
    due();
  }
  if (!active.empty() || !idle.empty() || !timers.empty()) {
    sweep_later();
  }
}

void TransportState::sweep(Clock::time_point now) {
  std::vector<std::shared_ptr<Exchange>> late;
  for (const auto& [id, exchange] : active) {
    if (now >= exchange->due || now >= exchange->deadline) {
      late.push_back(exchange);
    }
  }
  for (const std::shared_ptr<Exchange>& exchange : late) {
    exchange->time_is_up(now);
  }
  idle.remove_if([&](const std::shared_ptr<Connection>& one) {
    return now - one->idle_since >= Millis(options.idle_connection_ms) || !one->is_quiet();
  });
}

std::shared_ptr<Connection> TransportState::idle_connection(const Origin& origin) {
  for (auto one = idle.begin(); one != idle.end();) {
    if ((*one)->origin != origin) {
      ++one;
      continue;
    }
    std::shared_ptr<Connection> connection = std::move(*one);
    one = idle.erase(one);
    if (connection->is_quiet()) {
      return connection;
    }
  }
  return nullptr;
}

void TransportState::keep(std::shared_ptr<Connection> connection) {
  if (ending || options.idle_connections_max == 0) {
    return;
  }
  connection->idle_since = now();
  connection->want_read();
  idle.push_front(std::move(connection));
  if (idle.size() > options.idle_connections_max) {
    idle.pop_back();
  }
}

void TransportState::end_all() {
  ending = true;
  timers.clear();
  timer_of.clear();
  while (!active.empty()) {
    const std::shared_ptr<Exchange> one = active.begin()->second;
    one->finish(ExchangeEnd::cancelled, "the program is ending");
  }
  idle.clear();
  begun.clear();
  sweeper.cancel();
  if (own_poller) {
    own_poller->stop();
  }
  work.reset();
}

Transport::Transport(boost::asio::io_context& loop, const TransportOptions& options)
    : state_(std::make_shared<TransportState>(&loop, options)) {}

Transport::Transport(const TransportOptions& options) : state_(std::make_shared<TransportState>(nullptr, options)) {
  state_->work.emplace(asio::make_work_guard(state_->io));
  state_->thread = std::thread([state = state_.get()] { state->io.run(); });
}

void Transport::write_begun() { state_->write_begun(); }

void Transport::end_all() {
  asio::post(state_->io, [state = state_] { state->end_all(); });
}

// Without memory for the last message the program ends here: the thread cannot be left behind.
Transport::~Transport() {  // NOLINT(bugprone-exception-escape)
  if (!state_->own) {
    state_->end_all();
    return;
  }
  // Work that was posted before is still done; what is posted after this is not.
  asio::post(state_->io, [state = state_.get()] { state->end_all(); });
  state_->thread.join();
}

ExchangeId Transport::start(ExchangeRequest request, const ExchangeLimits& limits, ExchangeEvents events) {
  return start_read(std::move(request), limits, std::make_shared<EventsReader>(std::move(events)));
}

ExchangeId Transport::start_read(ExchangeRequest request, const ExchangeLimits& limits,
                                 std::shared_ptr<ExchangeReader> reader) {
  const ExchangeId id = ++state_->last_id;
  auto exchange = std::make_shared<Exchange>(*state_, id, std::move(request), limits, std::move(reader));
  if (!state_->own) {
    state_->starting = true;
    state_->begin(exchange);
    state_->starting = false;
    return id;
  }
  asio::post(state_->io, [state = state_.get(), exchange = std::move(exchange)] { state->begin(exchange); });
  return id;
}

void Transport::cancel(ExchangeId id) {
  asio::post(state_->io, [state = state_.get(), id] {
    const auto found = state->active.find(id);
    if (found != state->active.end()) {
      const std::shared_ptr<Exchange> one = found->second;
      one->finish(ExchangeEnd::cancelled, "cancelled");
    }
  });
}

void Transport::resume(ExchangeId id) {
  asio::post(state_->io, [state = state_.get(), id] {
    const auto found = state->active.find(id);
    if (found != state->active.end()) {
      const std::shared_ptr<Exchange> one = found->second;
      one->resume();
    }
  });
}

void Transport::post(std::function<void()> work) {
  asio::post(state_->io, [state = state_.get(), work = std::move(work)] {
    if (!state->ending) {
      work();
    }
  });
}

TimerId Transport::after(std::uint64_t delay_ms, std::function<void()> work) {
  const TimerId id = ++state_->last_id;
  asio::post(state_->io,
             [state = state_.get(), id, at = in_ms(Clock::now(), delay_ms), work = std::move(work)]() mutable {
               if (state->ending) {
                 return;
               }
               state->timer_of.emplace(id, state->timers.emplace(at, Timer{id, std::move(work)}));
               state->sweep_later();
             });
  return id;
}

void Transport::forget(TimerId timer) {
  asio::post(state_->io, [state = state_.get(), timer] {
    const auto found = state->timer_of.find(timer);
    if (found != state->timer_of.end()) {
      state->timers.erase(found->second);
      state->timer_of.erase(found);
    }
  });
}

TransportCounts Transport::counts() const {
  return {state_->exchanges.load(), state_->connections.load(), state_->active_count.load()};
}

}  // namespace plumb::provider
