#include "core/wire/reply.hpp"

#include <utility>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/wire/answer_rules.hpp"

namespace plumb::wire {

namespace {

constexpr std::string_view before_beginning = " \t\r\n\xEF\xBB\xBF";  // and a byte order mark
constexpr std::string_view html_message = "The provider answered with HTML instead of JSON";

// `text`: what `body` was read from.
void decode_whole(Wire wire, const json::Value& body, std::string_view text, ReplyState& state) {
  if (!body.is(json::Kind::object)) {
    take_error({}, body, state);
    state.fail(FailureClass::malformed, "The provider's answer is no object");
    return;
  }
  switch (wire) {
    case Wire::openai:
      return decode_openai_reply(body, state);
    case Wire::anthropic:
      return decode_anthropic_reply(body, state);
    case Wire::ollama:
      decode_ollama_line(body, state);
      if (!state.answered()) {
        state.fail(FailureClass::malformed, "The provider's answer has no message");
      }
      return;
    case Wire::responses:
      return decode_responses_reply(body, text, state);
  }
}

// An event that is no object says nothing, unless it tells an error: servers send null and the like to be heard of.
void decode_event(Wire wire, std::string_view type, const json::Value& event, std::string_view text,
                  ReplyState& state) {
  if (!event.is(json::Kind::object)) {
    take_error(type, event, state);
    return;
  }
  switch (wire) {
    case Wire::openai:
      return decode_openai_event(type, event, state);
    case Wire::anthropic:
      return decode_anthropic_event(type, event, state);
    case Wire::ollama:
      return decode_ollama_line(event, state);
    case Wire::responses:
      return decode_responses_event(type, event, text, state);
  }
}

}  // namespace

ReplyStream::ReplyStream(Wire wire, ReplyOptions options)
    : wire_(wire),
      options_(std::move(options)),
      state_(options_.answer_bytes_max, options_.structured_tool),
      events_(SseLimits{options_.event_bytes_max, options_.event_bytes_max}),
      lines_(options_.event_bytes_max) {}

// What precedes a whole answer is left out of it, as it is when it came in an earlier piece.
void ReplyStream::look_at_beginning(std::string_view& piece) {
  const std::size_t first = piece.find_first_not_of(before_beginning);
  if (first == std::string_view::npos) {
    return;
  }
  if (piece[first] == '<') {
    state_.fail(FailureClass::malformed, html_message);
  }
  const bool whole = answer_form(piece, true) == AnswerForm::whole;
  mode_ = wire_ == Wire::ollama ? Mode::lines : whole ? Mode::whole : Mode::events;
  if (mode_ == Mode::whole) {
    piece.remove_prefix(first);
  }
}

void ReplyStream::push(std::string_view piece) {
  if (state_.over() || too_long_) {
    return;
  }
  if (piece.size() > options_.stream_bytes_max - bytes_) {
    too_long_ = true;
    piece = piece.substr(0, options_.stream_bytes_max - bytes_);
  }
  bytes_ += piece.size();
  if (mode_ == Mode::unknown) {
    look_at_beginning(piece);
  }
  if (mode_ == Mode::whole) {
    const std::size_t room = options_.answer_bytes_max - whole_.size();
    whole_ += piece.substr(0, room);
    too_long_ = too_long_ || piece.size() > room;
  } else if (wire_ == Wire::ollama) {
    lines_.push(piece);
  } else {
    events_.push(piece);
  }
}

bool ReplyStream::next(ModelDelta& delta) {
  for (;;) {
    if (shown_ < state_.deltas().size()) {
      delta = state_.deltas()[shown_];
      ++shown_;
      return true;
    }
    state_.begin_event();
    shown_ = 0;
    if (state_.over() || !read_next()) {
      return false;
    }
  }
}

// One step; false when there is nothing more to read for now.
bool ReplyStream::read_next() {
  if (mode_ == Mode::whole) {
    if (ended_ && !too_long_) {
      read_whole();
      return true;
    }
  } else if (wire_ == Wire::ollama ? read_line() : read_event()) {
    return true;
  }
  if (too_long_ && !state_.over()) {
    std::string message = mode_ == Mode::whole ? "The answer is longer than " : "The stream is longer than ";
    json::append_uint(message, mode_ == Mode::whole ? options_.answer_bytes_max : options_.stream_bytes_max);
    message += " bytes";
    state_.fail(FailureClass::limit, message);
  } else if (ended_ && !state_.over()) {
    read_end();
  }
  return false;
}

bool ReplyStream::parse(std::string_view text, json::Value& value) {
  const Result<json::Value> read = json::parse(text, state_.arena());
  if (!read) {
    state_.fail(FailureClass::malformed, not_json(read.error()));
    return false;
  }
  value = read.value();
  return true;
}

bool ReplyStream::read_event() {
  SseEvent event;
  if (!events_.next(event)) {
    if (events_.failed()) {
      state_.fail(FailureClass::limit, events_.problem());
    }
    return false;
  }
  if (ascii::only(event.data, ascii::spaces)) {
    return true;
  }
  if (is_done_mark(wire_, event.data)) {
    if (!state_.answered()) {
      state_.fail(FailureClass::malformed, "The provider's stream has no choice with a delta");
    }
    end_answer(state_);
    return true;
  }
  json::Value value;
  if (parse(event.data, value)) {
    decode_event(wire_, event.type, value, event.data, state_);
  }
  return true;
}

bool ReplyStream::read_line() {
  std::string_view line;
  if (!lines_.next(line)) {
    if (lines_.failed()) {
      state_.fail(FailureClass::limit, lines_.problem());
    }
    return false;
  }
  std::string clean;
  if (replace_broken_utf8(line, clean)) {
    line = clean;
  }
  json::Value value;
  if (parse(line, value)) {
    decode_event(wire_, {}, value, line, state_);
  }
  return true;
}

void ReplyStream::read_whole() {
  json::Value value;
  if (parse(whole_, value)) {
    decode_whole(wire_, value, whole_, state_);
  }
  std::string().swap(whole_);
}

void ReplyStream::read_end() {
  if (!options_.done_required && state_.reply().finish != Finish::none) {
    end_answer(state_);
    return;
  }
  std::string_view message = "The stream ended before the answer was complete";
  if (bytes_ == 0) {
    message = "The provider sent nothing";
  } else if (mode_ == Mode::unknown) {
    message = "The provider sent nothing but white space";
  } else if (events_.inside()) {
    message = "The stream ended in the middle of an event";
  } else if (!state_.answered()) {
    message = "The stream ended without an answer";
  } else if (state_.reply().finish != Finish::none) {
    message = "The stream ended after its finish reason but before its end";
  }
  state_.fail(FailureClass::cut, message);
}

ReplyOutcome read_reply(Wire wire, std::string_view body, const ReplyOptions& options) {
  ReplyState state(options.answer_bytes_max, options.structured_tool);
  const std::size_t first = body.find_first_not_of(before_beginning);
  if (body.size() > options.answer_bytes_max) {
    std::string message = "The answer is longer than ";
    json::append_uint(message, options.answer_bytes_max);
    message += " bytes";
    state.fail(FailureClass::limit, message);
  } else if (first == std::string_view::npos) {
    state.fail(FailureClass::malformed, "The provider's answer is empty");
  } else if (body[first] == '<') {
    state.fail(FailureClass::malformed, html_message);
  } else {
    std::string clean;
    if (replace_broken_utf8(body, clean)) {
      body = clean;
    }
    const Result<json::Value> read = json::parse(body.substr(first), state.arena());
    if (read) {
      decode_whole(wire, read.value(), body.substr(first), state);
      if (!state.over()) {
        state.fail(FailureClass::cut, "The answer says that it is not complete");
      }
    } else {
      state.fail(FailureClass::malformed, not_json(read.error()));
    }
  }
  return {state.take_reply(), state.failure()};
}

}  // namespace plumb::wire
