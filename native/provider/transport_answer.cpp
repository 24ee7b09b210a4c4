// An answer is read into one buffer of the loop and given to the parser by hand: a buffer for each connection is what
// thousands of quiet streams would be made of. So a connection waits until it is readable, is then read and parsed at
// once, and keeps only what the parser could not use yet.
#include <sys/socket.h>

#include <algorithm>
#include <boost/beast/http/error.hpp>
#include <cerrno>
#include <utility>

#include "native/provider/transport_exchange.hpp"

namespace plumb::provider {

void AnswerParser::on_header_impl(Failed& /*failed*/) { exchange.on_head(head); }

std::size_t AnswerParser::on_body_impl(boost::beast::string_view body, Failed& /*failed*/) {
  exchange.on_body(std::string_view(body.data(), body.size()));
  return body.size();
}

void Connection::on_readable() {
  if (user == nullptr) {
    disturbed = true;
    return;
  }
  const std::shared_ptr<Exchange> exchange = user->shared_from_this();
  exchange->on_readable();
}

void Exchange::new_parser() {
  parser.emplace(*this);
  parser->eager(true);
  parser->header_limit(limits.head_bytes_max);
  parser->body_limit(limits.body_bytes_max);
}

void Exchange::read_more() {
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

void Exchange::on_readable() {
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

void Exchange::on_read(const Failed& failed, std::string_view bytes) {
  if (!bytes.empty()) {
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

bool Exchange::parse(std::string_view bytes) {
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
             "what " + request.origin.text() + " answered is not HTTP (" + failed.message() + ")");
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

void Exchange::on_end_of_connection(const Failed& failed) {
  if (step == Step::reading && failed == asio::error::eof && parser->got_some()) {
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

void Exchange::on_head(const ExchangeHead& answer) {
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

void Exchange::on_body(std::string_view bytes) {
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

void Exchange::give(std::string_view bytes) {
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

void Exchange::resume() {
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

void Exchange::complete(bool nothing_left) {
  if (inflater && !inflater->whole() && inflated_any) {
    finish(ExchangeEnd::cut, request.origin.text() + " ended its answer in the middle of the compressed data");
    return;
  }
  const bool again = sent && nothing_left && parser->keep_alive() && !parser->need_eof();
  std::shared_ptr<Connection> kept = again ? std::move(connection) : nullptr;
  if (kept) {
    kept->user = nullptr;
  }
  TransportState& of = owner;
  finish(ExchangeEnd::complete, "");
  if (kept) {
    of.keep(std::move(kept));
  }
}

void Exchange::read_coding(const ExchangeHead& answer) {
  for (const HeaderField& field : answer.headers) {
    if (field.name != "content-encoding" || field.value.empty() || field.value == "identity") {
      continue;
    }
    unread = inflater != nullptr || (inflater = Inflater::for_coding(field.value)) == nullptr;
    // Of an answer that is none the status says enough.
    unread_coding = unread && answer.status >= 200 && answer.status <= 299;
  }
}

bool Exchange::inflate_more() {
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

bool Exchange::end_of_coding() {
  const std::string who = "the answer of " + request.origin.text();
  if (over) {
    return false;
  }
  if (unread_coding) {
    finish(ExchangeEnd::malformed, who + " is compressed in a way that is not read here (gzip and deflate are)");
  } else if (inflated > limits.body_bytes_max) {
    finish(ExchangeEnd::limit, who + " is longer than " + std::to_string(limits.body_bytes_max) + " bytes");
  } else {
    finish(ExchangeEnd::malformed, who + " is not compressed as its headers say");
  }
  return false;
}

}  // namespace plumb::provider
