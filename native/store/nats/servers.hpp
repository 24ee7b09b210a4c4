// Servers: one connection to the servers of a log, whether they are there, and what people are told of that. Internal
// to native/store/nats.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "native/store/nats/client.hpp"
#include "native/store/nats/jetstream.hpp"

namespace plumb::store {

// Milliseconds of a clock that only goes on.
std::uint64_t steady_ms();

class Servers {
 public:
  static constexpr int reconnect_ms = 250;
  static constexpr int no_answer = 408;  // an error's number, none of the servers': nobody has answered in time

  explicit Servers(JetStreamSettings settings) : settings_(std::move(settings)) {}
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  std::optional<Error> connect();
  // Connecting is told of no more, and who waits in wait_while_away() goes on.
  void begin_closing();
  // What was said goes out still. Returns when the library calls nobody any more.
  void close();

  const JetStreamSettings& settings() const { return settings_; }
  natsConnection* connection() const { return connection_; }
  jsCtx* jetstream() const { return js_; }
  // Of a message: its body may have so many bytes.
  std::size_t body_bytes_max() const { return payload_ - room_for_headers; }
  std::string subject(std::string_view of) const { return settings_.address.name + "." + std::string(of); }

  bool is_away() const { return away_; }
  // How often they were reached anew.
  std::uint64_t reconnects() const { return reconnects_; }
  // For people: why they cannot be reached; empty: they can.
  std::string problem() const;
  // The connection is lost: waits so long, or until it is to be closed.
  void wait_while_away(std::uint64_t timeout_ms);

  Error away(natsStatus status) const { return away(why_away(status)); }
  Error away(std::string why) const;
  Error is_lost() const { return away("the connection is lost"); }
  Error not_there(std::string what) const;

  // A request of JetStream's interface, and its answer. The error of the servers' has their number as line.
  Result<std::string> request(const std::string& what, const std::string& text) const;

  // The servers have answered for the stream: what was said of the library's troubles is over.
  void note_answer();
  void tell(StoreTold kind, const std::string& text) const;

 private:
  static constexpr std::size_t room_for_headers = 2048;

  void set_callbacks(natsOptions* options);
  void note_trouble(natsStatus error);
  void lost();

  Library library_;
  const JetStreamSettings settings_;
  std::size_t payload_ = 1U << 20U;
  natsConnection* connection_ = nullptr;
  jsCtx* js_ = nullptr;
  std::atomic<bool> away_{false};
  std::atomic<std::uint64_t> reconnects_{0};

  std::mutex said_mutex_;
  std::set<natsStatus> said_;  // what the library was told of since the servers have last answered for the stream

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  bool closed_ = false;
};

}  // namespace plumb::store
