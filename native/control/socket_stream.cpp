#include "native/control/socket_stream.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace plumb::control {

namespace {

constexpr int read_ms = 10'000;  // for the next bytes
constexpr int write_ms = 10'000;

// True when the event came in time.
bool waits(int socket, short event, int time_ms) {
  pollfd polled{socket, event, 0};
  int got = 0;
  do {
    got = ::poll(&polled, 1, time_ms);
  } while (got < 0 && errno == EINTR);
  return got > 0;
}

template <class Ask>
void address(int socket, std::string& ip, int& port, Ask ask) {
  sockaddr_storage out{};
  socklen_t size = sizeof out;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (ask(socket, reinterpret_cast<sockaddr*>(&out), &size) != 0) {
    return;
  }
  if (out.ss_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(&out);
    ::inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
    port = ntohs(four->sin_port);
  } else {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(&out);
    ::inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
    port = ntohs(six->sin6_port);
  }
  ip = text.data();
}

}  // namespace

bool is_there(int socket) {
  char one = 0;
  const ssize_t got = ::recv(socket, &one, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

bool SocketStream::is_readable() const { return read_ < arrived_.size() || waits(socket_, POLLIN, read_ms); }

bool SocketStream::is_writable() const { return waits(socket_, POLLOUT, write_ms) && is_there(socket_); }

ssize_t SocketStream::read(char* into, size_t size) {
  if (read_ < arrived_.size()) {
    const std::size_t taken = std::min(size, arrived_.size() - read_);
    std::memcpy(into, arrived_.data() + read_, taken);
    read_ += taken;
    if (read_ == arrived_.size()) {
      std::string().swap(arrived_);
      read_ = 0;
    }
    return static_cast<ssize_t>(taken);
  }
  if (!waits(socket_, POLLIN, read_ms)) {
    return -1;
  }
  ssize_t got = 0;
  do {
    got = ::recv(socket_, into, size, 0);
  } while (got < 0 && errno == EINTR);
  return got;
}

ssize_t SocketStream::write(const char* from, size_t size) {
  if (!waits(socket_, POLLOUT, write_ms)) {
    return -1;
  }
  ssize_t sent = 0;
  do {
    sent = ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : sent;
}

void SocketStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  address(socket_, ip, port, ::getpeername);
}

void SocketStream::get_local_ip_and_port(std::string& ip, int& port) const {
  address(socket_, ip, port, ::getsockname);
}

}  // namespace plumb::control
