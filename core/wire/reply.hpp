// Reading what a provider answers: a stream as it comes, or a whole answer.
//
//   ReplyStream stream(Wire::openai);
//   stream.push(piece);                                // the piece must live until next() has said false
//   for (ModelDelta delta; stream.next(delta);) { ... }
//   ...
//   stream.end();                                      // no more bytes will come; next() again until it says false
//   if (stream.failure()) { ... } else { use(stream.reply()); }
//
// How the bytes were cut changes nothing: neither the deltas nor the reply nor the failure. A failure leaves what came
// before it in the reply. What follows the end of the protocol is ignored. A stream that ends without it was cut. A
// server that answers a stream with a whole JSON answer is read as well; one that answers with HTML is malformed at its
// first byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/failure.hpp"
#include "core/wire/lines.hpp"
#include "core/wire/model.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/sse.hpp"

namespace plumb::wire {

struct ReplyOptions {
  std::size_t event_bytes_max = std::size_t{8} << 20;    // an event or a line of a stream
  std::size_t answer_bytes_max = std::size_t{64} << 20;  // texts and calls together, or a whole answer
  std::size_t stream_bytes_max = std::size_t{1} << 30;   // all bytes of a stream, what says nothing included
  // The tool that Anthropic was made to call for a structured answer (RequestOptions): its input becomes the text.
  std::string structured_tool;
  // Some servers end a stream after the finish reason without [DONE]; false takes that as its end.
  bool done_required = true;
};

class ReplyStream {
 public:
  explicit ReplyStream(Wire wire, ReplyOptions options = {});

  void push(std::string_view piece);
  void end() {
    ended_ = true;
    lines_.end();
  }
  // The delta's texts live until the next one is asked for.
  bool next(ModelDelta& delta);

  // The protocol's own end has come: no more bytes are wanted.
  bool done() const { return state_.done(); }
  const std::optional<Failure>& failure() const { return state_.failure(); }
  const ModelReply& reply() const { return state_.reply(); }
  ModelReply take_reply() { return state_.take_reply(); }

 private:
  enum class Mode : std::uint8_t { unknown, events, lines, whole };

  void look_at_beginning(std::string_view& piece);
  bool read_next();
  bool read_event();
  bool read_line();
  void read_whole();
  void read_end();
  bool parse(std::string_view text, json::Value& value);

  Wire wire_;
  ReplyOptions options_;
  ReplyState state_;
  SseReader events_;
  LineReader lines_;
  Mode mode_ = Mode::unknown;
  std::string whole_;
  std::size_t bytes_ = 0;
  bool too_long_ = false;
  bool ended_ = false;
  std::size_t shown_ = 0;
};

struct ReplyOutcome {
  ModelReply reply;
  std::optional<Failure> failure;
};

// A whole answer: the body of a response with status 200.
ReplyOutcome read_reply(Wire wire, std::string_view body, const ReplyOptions& options = {});

}  // namespace plumb::wire
