// SharedLog: what a store of several hosts is built on. Messages in one order for all, each under a subject; texts
// beside them by name; and what hosts say to each other and nobody keeps. JetStream gives it (nats/jetstream.hpp), and
// a test's own in memory, with delays, duplicates and losses under a seed.
//
// All functions may be called from any thread, and all come to an end: what the servers do not answer in time is
// `unavailable`. `done` is called once, from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/reason.hpp"
#include "core/result.hpp"

namespace plumb::store {

struct LogMessage {
  std::uint64_t sequence = 0;  // from 1, over all subjects
  std::uint64_t at_ms = 0;     // milliseconds since 1970, by the servers' clock
  std::string subject;
  std::string id;
  std::string by;
  std::string body;
};

struct LogPut {
  std::string subject;  // letters, digits, '-', '_'; parts are set apart by '.'
  std::string id;       // the same again within two minutes is the same message
  std::string by;
  std::string body;
  std::optional<std::uint64_t> expected = {};  // the sequence of the subject's last message, 0: it has none
};
struct LogAnswer {
  enum class What : std::uint8_t {
    stored,   // `sequence` is its
    refused,  // the subject's last message is another than was expected
    away,     // not answered, `why`: it may have been stored
    never,    // cannot be stored, `why`
  };
  What what = What::away;
  std::uint64_t sequence = 0;
  std::string why;
  Reason reason = Reason::none;  // unreachable
};

struct LogHead {
  std::string made;         // which log it is: another one has another text
  std::uint64_t first = 0;  // sequences of what is there still
  std::uint64_t last = 0;
  std::uint64_t messages = 0;  // that are there still
};

class SharedLog {
 public:
  virtual ~SharedLog() = default;

  virtual std::size_t message_bytes_max() const = 0;  // of a body
  virtual void put(LogPut put, std::function<void(const LogAnswer&)> done) = 0;
  virtual Result<LogHead> head() = 0;
  // The subject's last message; not_found: it has none.
  virtual Result<LogMessage> last(const std::string& subject) = 0;
  // Also where it is gone already. Where somebody follows, never the last message of all: head() is what who follows
  // comes to.
  virtual Result<bool> erase(std::uint64_t sequence) = 0;
  // What follows `after`, in order, at most `messages_max`; waits `timeout_ms` at most where there is nothing yet. One
  // thread follows.
  virtual Result<std::vector<LogMessage>> next(std::uint64_t after, std::size_t messages_max,
                                               std::uint64_t timeout_ms) = 0;

  // A text by its name, in pieces where it is long; the same name has the same text. Kept once, and as young as it was
  // given last.
  virtual void put_text(std::string name, std::string text, std::function<void(const LogAnswer&)> done) = 0;
  virtual Result<std::string> text(const std::string& name) = 0;  // not_found
  // Removes the text where it was given last before that time. False: it is younger, or not there.
  virtual Result<bool> remove_text(const std::string& name, std::uint64_t before_ms) = 0;
  virtual Result<std::vector<std::string>> text_names() = 0;

  // What is said is heard by who is there, once or not at all.
  virtual void say(const std::string& subject, const std::string& text) = 0;
  // not_found: nobody hears it.
  virtual Result<std::string> ask(const std::string& subject, const std::string& text, std::uint64_t timeout_ms) = 0;
  // From a thread of the log's own. The subject may end in ".*". `answer` is empty where nobody asks.
  using Hearer =
      std::function<void(const std::string& subject, std::string text, std::function<void(std::string)> answer)>;
  virtual Result<bool> hear(const std::string& subject, Hearer hearer) = 0;
  // Nobody is told anything any more when this returns.
  virtual void stop_hearing() = 0;

  // Why it cannot be reached at present; empty: it can.
  virtual std::string problem() = 0;
  // How often it was reached anew: what was not heard meanwhile says nothing.
  virtual std::uint64_t reconnects() = 0;
};

}  // namespace plumb::store
