#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <boost/asio/write.hpp>
#include <cerrno>

#include "native/base/bounded_text.hpp"
#include "native/provider/transport_exchange.hpp"

namespace plumb::provider {

namespace {

constexpr std::uint64_t write_bytes_a_ms = 64;

}  // namespace

void Exchange::send() {
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

void Exchange::write_head() {
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
void Exchange::write_more() {
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

void Exchange::forget_request() {
  std::string().swap(head);
  std::string().swap(request.body);
  std::string().swap(request.lines);
  std::vector<HeaderField>().swap(request.headers);
  std::vector<HeaderField>().swap(parser->head.headers);
}

void Connection::on_writable() {
  if (user == nullptr) {
    return;
  }
  const std::shared_ptr<Exchange> exchange = user->shared_from_this();
  exchange->write_more();
}

}  // namespace plumb::provider
