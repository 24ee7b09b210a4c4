// What an answer that is passed on unread has told in passing: usage, model, how it finished, and whether it came to
// its own end.
//
//   UsageWatch watch(Wire::openai, streamed);
//   watch.push(piece);                          // pieces of any size
//   watch.end();
//   if (!watch.ended()) { ... it was cut ... }  book(watch.usage(), watch.answer_bytes());
//
// Cheap enough for every byte of a relay: a stream's events are parsed only where they hold a word that can matter; a
// whole answer is scanned and never kept. Nothing is judged: what is no protocol at all simply tells nothing. A line
// longer than line_bytes_max is passed over, and `skipped()` says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

class UsageWatch {
 public:
  static constexpr std::size_t line_bytes_max = std::size_t{1} << 20;

  // `streamed`: the answer is a stream of events or lines; else one JSON document.
  UsageWatch(Wire wire, bool streamed);
  ~UsageWatch();
  UsageWatch(UsageWatch&&) noexcept;
  UsageWatch& operator=(UsageWatch&&) noexcept;

  void push(std::string_view bytes);
  // Nothing follows.
  void end();

  const Usage& usage() const;        // known, or not
  const std::string& model() const;  // the one that answered
  const std::string& id() const;     // of the answer; of a stream of responses as soon as it has begun
  // Of a stream of responses: the number that the next event would have.
  std::uint64_t sequence() const;
  Finish finish() const;
  // The protocol's own end has come: [DONE], message_stop, done: true, or the end of the document.
  bool ended() const;
  // An error that a stream reported, or that is where a whole answer should be: its message is not made safe of keys
  // that do not look like one.
  const std::optional<Failure>& failure() const;
  // Bytes of the events that carried the answer: what a cut answer without usage is estimated by.
  std::uint64_t events() const;
  std::uint64_t answer_bytes() const;
  std::uint64_t skipped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::wire
