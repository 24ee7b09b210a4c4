// Which sockets of a loop can be read or written, by edges: a socket is named to the kernel once, not before each wait.
//
//   struct Mine final : PolledSocket { void on_readable() override; void on_writable() override; };
//   mine.watch(poller, handle);   // then
//   mine.want_read();             // on_readable() is called once, when there is something; for more, want it again
//
// What happened at many sockets is handed on in one round, whose end is told: whoever collects what it writes until
// then wakes the other side once for it.
//
// Bounds: 64 sockets a round, after which other work of the loop has its turn. Everything is of the loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace plumb::provider {

class PolledSocket;
struct SocketPollerState;

class SocketPoller {
 public:
  // Lives as long as the loop runs, and longer than what it watches. Throws boost::system::system_error where the
  // kernel has no handle left.
  explicit SocketPoller(boost::asio::io_context& loop);
  ~SocketPoller();
  SocketPoller(const SocketPoller&) = delete;
  SocketPoller& operator=(const SocketPoller&) = delete;

  bool in_round() const;
  // How often a socket's function has been called: what is known of one call is not of the next.
  std::uint64_t calls() const;
  // Called at the end of each round, while in_round() still says true; in the order in which they were given.
  void at_round_end(std::function<void()> work);
  // Nothing is called any more, and nothing keeps the loop running.
  void stop();

 private:
  friend class PolledSocket;
  std::unique_ptr<SocketPollerState> state_;
};

class PolledSocket {
 public:
  PolledSocket() = default;
  virtual ~PolledSocket() { forget(); }
  PolledSocket(const PolledSocket&) = delete;
  PolledSocket& operator=(const PolledSocket&) = delete;

  // False: the kernel does not take it. The socket stays its owner's, and is forgotten before it is closed.
  bool watch(SocketPoller& poller, int handle);
  void forget();
  bool is_watched() const { return poller_ != nullptr; }

  void want_read();
  void want_write();
  // Whoever has read fewer bytes than there was room for, or none: until the kernel says so again there is nothing.
  void was_drained() { readable_ = ended_; }
  void was_filled() { writable_ = false; }
  // The other side has ended what it sends, or the connection is broken.
  bool has_ended() const { return ended_; }

 protected:
  virtual void on_readable() = 0;
  virtual void on_writable() = 0;

 private:
  friend struct SocketPollerState;
  bool is_due() const { return (wants_read_ && readable_) || (wants_write_ && writable_); }
  void plan();

  SocketPollerState* poller_ = nullptr;
  int handle_ = -1;
  std::uint32_t slot_ = 0;
  bool wants_read_ = false, wants_write_ = false, readable_ = false, writable_ = false, ended_ = false;
  bool planned_ = false;
};

}  // namespace plumb::provider
