// A connection as the HTTP library reads and writes it: first what has arrived already (arrivals.hpp), then the socket,
// and that within a time of its own.
#pragma once

#include <httplib.h>

#include <chrono>
#include <string>
#include <string_view>

namespace plumb::control {

class SocketStream final : public httplib::Stream {
 public:
  SocketStream(int socket, std::string arrived) : socket_(socket), arrived_(std::move(arrived)) {}

  bool is_readable() const override;
  // The client is there, and takes something within the time for writing.
  bool is_writable() const override;
  ssize_t read(char* into, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  int socket_;
  std::string arrived_;
  std::size_t read_ = 0;
};

// Whether the other end has not gone away.
bool is_there(int socket);

}  // namespace plumb::control
