// MessageBus: messages to and from others over NATS. Made at once, whether the servers are there or not; it connects by
// itself, again and again, and says once when that changes.
//
//   Result<std::unique_ptr<MessageBus>> bus = open_message_bus({.address = ..., .keeps = {{"events", {"user.>"}}}});
//   bus.value()->put({"user.signal.escalate", "r1.27", "plumb", "{...}"});    // stored: in a stream of the servers
//
// What is put is stored by whatever stream of the servers takes its subject. For those of `keeps` that none takes
// streams are made, NAME-events and the like, which keep a week and so many bytes, and know an id again for an hour.
//
// All functions may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/store/log_store.hpp"
#include "native/store/nats/nats_address.hpp"
#include "native/store/shared_log.hpp"

namespace plumb::store {

struct BusMessage {
  std::string subject;
  std::string id;  // of a message that is put: the same again is stored once
  std::string by;  // the header Plumb-By; empty: somebody else's
  std::string body;
  std::string reply = {};  // where an answer is waited for
};

struct BusAnswer {
  LogAnswer::What what = LogAnswer::What::away;
  bool known = false;  // stored: it was there already
  std::string why;
};

using HearMessage = std::function<void(BusMessage message)>;

struct BusSettings {
  NatsAddress address;
  struct Keeps {
    std::string name;  // of the stream, behind the address's
    std::vector<std::string> subjects;
    std::uint64_t bytes_max = 256U << 20U;
  };
  std::vector<Keeps> keeps = {};
  std::string authorities = {};  // a file of certificates (PEM) that a server's may be signed by; empty: the system's
  std::uint64_t answer_ms = 5'000;
  std::uint64_t again_ms = 500;  // between attempts to connect; up to ten times as long
  // Subjects that are heard, from before it connects on; called from threads of the client, never while it is made.
  // `group`: of those in it one hears each message.
  struct Heard {
    std::string subject, group;
    HearMessage hear;
  };
  std::vector<Heard> hears = {};
  std::function<void(StoreTold, const std::string& text)> told = {};
};

class MessageBus {
 public:
  static constexpr int heard_messages_max = 20'000;  // that wait to be heard, of a subject; more are lost and told
  static constexpr int heard_bytes_max = 32 << 20;

  virtual ~MessageBus() = default;  // nobody hears anything any more when it returns

  // Waits until it is stored, or `answer_ms` is over.
  virtual BusAnswer put(const BusMessage& message) = 0;
  // To whoever listens now; kept for nobody.
  virtual void say(const std::string& subject, const std::string& body) = 0;
  // A stream of the servers takes the subject: who publishes there waits for its answer, not for ours.
  virtual bool is_stored(const std::string& subject) = 0;
  // Why the servers cannot be reached at present; empty: they can.
  virtual std::string problem() = 0;
};

Result<std::unique_ptr<MessageBus>> open_message_bus(BusSettings settings);

}  // namespace plumb::store
