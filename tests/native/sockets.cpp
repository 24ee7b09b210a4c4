#include "tests/native/sockets.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "tests/native/upstream.hpp"

namespace plumb::test {

namespace {

bool wait_for(int handle, short what) {
  pollfd one{handle, what, 0};
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
  return ::poll(&one, 1, static_cast<int>(ms)) > 0;
}

sockaddr_in address_of(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

const std::string stream_head =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

Socket::Socket(Socket&& other) noexcept { *this = std::move(other); }

Socket& Socket::operator=(Socket&& other) noexcept {
  close();
  handle_ = std::exchange(other.handle_, -1);
  ended_ = other.ended_;
  broken_ = other.broken_;
  got_ = std::move(other.got_);
  return *this;
}

void Socket::close() {
  if (handle_ >= 0)
    ::close(handle_);
  handle_ = -1;
}

void Socket::reset() {
  const linger now{1, 0};
  ::setsockopt(handle_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

bool Socket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool Socket::read_more() {
  if (ended_ || handle_ < 0 || !wait_for(handle_, POLLIN))
    return false;
  char buffer[65536];
  const ssize_t size = ::recv(handle_, buffer, sizeof buffer, 0);
  if (size <= 0) {
    ended_ = true;
    broken_ = size < 0;
    return false;
  }
  got_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

std::string Socket::read_until(std::string_view mark, std::size_t from) {
  while (got_.find(mark, from) == std::string::npos) {
    from = std::max(from, got_.size() - std::min(got_.size(), mark.size()));
    if (!read_more())
      break;
  }
  return got_;
}

std::string Socket::read_message() {
  got_.clear();
  read_until("\r\n\r\n");
  const std::size_t end = got_.find("\r\n\r\n");
  if (end == std::string::npos)
    return got_;
  std::string head = got_.substr(0, end);
  std::transform(head.begin(), head.end(), head.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  const std::size_t at = head.find("content-length:");
  const std::size_t length =
      at == std::string::npos ? 0 : static_cast<std::size_t>(std::strtoull(head.c_str() + at + 15, nullptr, 10));
  while (got_.size() < end + 4 + length && read_more()) {
  }
  return got_;
}

bool Socket::has_more(int ms) {
  pollfd one{handle_, POLLIN, 0};
  return ::poll(&one, 1, ms) > 0;
}

bool Socket::is_closed() {
  while (read_more()) {
  }
  return ended_;
}

Listener::Listener() {
  handle_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = address_of(0);
  socklen_t size = sizeof address;
  REQUIRE(::bind(handle_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(handle_, 4096) == 0);
  REQUIRE(::getsockname(handle_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
}

Listener::~Listener() { ::close(handle_); }

bool Listener::has_more(int ms) {
  pollfd one{handle_, POLLIN, 0};
  return ::poll(&one, 1, ms) > 0;
}

Socket Listener::accept() {
  if (!wait_for(handle_, POLLIN))
    return {};
  return Socket(::accept(handle_, nullptr, nullptr));
}

Socket connect_to(std::uint16_t port, const char* from) {
  const int handle = ::socket(AF_INET, SOCK_STREAM, 0);
  if (from != nullptr) {
    sockaddr_in own = address_of(0);
    ::inet_pton(AF_INET, from, &own.sin_addr);
    REQUIRE(::bind(handle, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0);
  }
  const sockaddr_in address = address_of(port);
  REQUIRE(::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return Socket(handle);
}

std::string post(std::string_view target, std::string_view body, std::string_view fields) {
  return "POST " + std::string(target) + " HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n" +
         std::string(fields) + "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string get(std::string_view target, std::string_view fields) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nhost: 127.0.0.1\r\n" + std::string(fields) + "\r\n";
}

std::string whole_answer(int status, std::string_view body, std::string_view fields) {
  return "HTTP/1.1 " + std::to_string(status) + " SourcedText\r\ncontent-type: application/json\r\n" +
         std::string(fields) + "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string chunk(std::string_view bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

std::string text_event(std::string_view text) {
  return R"(data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m",)"
         R"("choices":[{"index":0,"delta":{"content":")" +
         std::string(text) + "\"},\"finish_reason\":null}]}\n\n";
}

}  // namespace plumb::test
