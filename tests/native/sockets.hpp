// Bare sockets for tests of HTTP: a client that may send anything, and a provider that does what the test tells it.
//
//   Listener provider;                          // a port of loopback
//   Socket client = connect_to(proxy_port);
//   client.send("POST /v1/chat/completions HTTP/1.1\r\n...");
//   Socket call = provider.accept();            // waits
//   call.read_request();
//   call.send("HTTP/1.1 200 OK\r\n...");
//   client.read_until("[DONE]");
//   client.is_closed();                         // waits for the other side's end, reading what comes before it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::test {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int handle) : handle_(handle) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  bool is_open() const { return handle_ >= 0; }
  int handle() const { return handle_; }
  // False where the other side has gone.
  bool send(std::string_view bytes);
  // All that has come up to now, once it holds `mark`; what came anyway where it never does.
  std::string read_until(std::string_view mark, std::size_t from = 0);
  // A whole request or answer that has a length: head and body.
  std::string read_message();
  // Something has come, or comes within that time.
  bool has_more(int ms);
  // The other side has ended the connection, or broken it. `broken` says which.
  bool is_closed();
  bool was_broken() const { return broken_; }
  const std::string& got() const { return got_; }
  void forget() { got_.clear(); }
  void close();
  // As a process that is killed: the other side gets a reset.
  void reset();

 private:
  bool read_more();

  int handle_ = -1;
  bool ended_ = false;
  bool broken_ = false;
  std::string got_;
};

class Listener {
 public:
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::uint16_t port() const { return port_; }
  // Somebody has come, or comes within that time.
  bool has_more(int ms);
  // Not open where nobody came.
  Socket accept();

 private:
  int handle_ = -1;
  std::uint16_t port_ = 0;
};

Socket connect_to(std::uint16_t port, const char* from = nullptr);

// A request with a body, as clients send it.
std::string post(std::string_view target, std::string_view body, std::string_view fields = "");
std::string get(std::string_view target, std::string_view fields = "");
// Answers of a provider.
std::string whole_answer(int status, std::string_view body, std::string_view fields = "");
std::string chunk(std::string_view bytes);
extern const std::string stream_head;  // of a stream of events in chunks
std::string text_event(std::string_view text);

}  // namespace plumb::test
