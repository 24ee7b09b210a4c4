// Events are cut by the readers that ReplyStream has, and decoded by the same functions. An event is parsed where it
// holds a word that can matter, and the first one, which names the model. In JSON a quote inside of a text has a
// backslash before it, so `"usage":` is a key wherever it is.
//
// A whole answer goes through the scanner, and what is in a few places of it is kept.
#include "core/wire/usage_watch.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/scanner.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/lines.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/sse.hpp"
#include "core/wire/usage_numbers.hpp"

namespace plumb::wire {

namespace {

constexpr std::size_t kept_text_max = 256;
constexpr std::size_t outer_bytes_max = 64;
constexpr std::size_t parsed_bytes_max = std::size_t{2} << 20;
constexpr std::size_t lines_bytes_max = std::size_t{8} << 20;  // of Ollama's

bool holds(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

// Compared without a call: asked of every key.
template <std::size_t Size>
bool is(std::string_view text, const char (&word)[Size]) {
  return text.size() == Size - 1 && std::memcmp(text.data(), word, Size - 1) == 0;
}

// The member of this name is there and is not null.
bool tells(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at)) {
    at += key.size();
    std::size_t next = at;
    while (next < text.size() && (text[next] == ' ' || text[next] == ':')) {
      ++next;
    }
    if (next > at && text.substr(next, 4) != "null") {
      return true;
    }
  }
  return false;
}

// The scanner's handler for a whole answer.
class Whole {
 public:
  explicit Whole(Wire wire) : wire_(wire) {}

  const UsageNumbers& numbers() const { return numbers_; }
  const std::string& model() const { return model_; }
  const std::string& id() const { return id_; }
  Finish finish() const {
    switch (wire_) {
      case Wire::openai:
        return finish_.empty() ? Finish::none : openai_finish(finish_);
      case Wire::anthropic:
        return finish_.empty() ? Finish::none : anthropic_finish(finish_);
      case Wire::responses:
        return finish_ == "completed" || finish_ == "incomplete" ? responses_finish(finish_, {}) : Finish::none;
      case Wire::ollama:
        break;
    }
    return done_ ? ollama_finish(finish_) : Finish::none;
  }
  // An `error` that is not null, and no answer beside it.
  bool error() const { return error_ && finish() == Finish::none; }
  // Ollama's numbers are those of an answer that is over.
  bool tells_usage() const { return wire_ != Wire::ollama || done_; }

  void begin_object(std::uint64_t) {
    error_ = error_ || in_error();
    ++depth_;
  }
  void end_object(std::uint64_t) { leave(); }
  void begin_array(std::uint64_t) {
    ++depth_;
    lists_ += top_ == Top::usage ? 1 : 0;
  }
  void end_array(std::uint64_t) {
    lists_ -= lists_ > 0 ? 1 : 0;
    leave();
  }
  void key(std::string_view text, std::uint64_t, std::uint64_t) {
    if (depth_ == 1) {
      top_ = top_named(text);
    } else if (top_ == Top::choices && depth_ == 3) {
      in_reason_ = is(text, "finish_reason");
    }
    if (depth_ == 1 && wire_ == Wire::ollama) {
      place_ = usage_place({}, text);
    } else if (top_ == Top::usage && depth_ == 2) {
      place_ = usage_place({}, text);
      outer_ = text.substr(0, outer_bytes_max);
    } else if (top_ == Top::usage && depth_ == 3) {
      place_ = usage_place(outer_, text);
    }
  }
  void string(std::string_view text, std::uint64_t, std::uint64_t) {
    error_ = error_ || (in_error() && !text.empty());
    if (text.size() > kept_text_max) {
      return;
    }
    if (depth_ == 1 && top_ == Top::id) {
      id_ = text;
    } else if (depth_ == 1 && top_ == Top::model && model_.empty()) {
      model_ = text;
    } else if (finish_.empty() && is_reason()) {
      finish_ = text;
    }
  }
  bool string_decoded(std::string_view text, std::uint64_t from, std::uint64_t to) {
    string(text, from, to);
    return true;
  }
  json::StringWant string_begin(std::uint64_t) const {
    return (depth_ == 1 && (top_ == Top::model || top_ == Top::id || top_ == Top::error)) || is_reason()
               ? json::StringWant::whole
               : json::StringWant::nothing;
  }
  static void string_piece(std::string_view, std::uint64_t, std::uint64_t, bool) {}
  void string_end(std::string_view text, std::uint64_t from, std::uint64_t to) { string(text, from, to); }
  void scalar_begin(json::Kind, std::uint64_t) {}
  void number(std::string_view text, std::uint64_t, std::uint64_t, std::uint64_t) {
    std::uint64_t number = 0;
    if (place_ && lists_ == 0 && read_count(text, number)) {
      numbers_.set(*place_, number);
    }
    place_.reset();
  }
  void literal(json::Kind, bool value, std::uint64_t, std::uint64_t) {
    done_ = depth_ == 1 && top_ == Top::done ? value : done_;
  }
  void lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t) {}
  void broken(json::ScanError, std::uint64_t, std::uint64_t) {}

 private:
  enum class Top : std::uint8_t { other, usage, id, model, choices, reason, done, error };

  Top top_named(std::string_view text) const {
    if (is(text, "usage")) {
      return Top::usage;
    }
    if (is(text, "model")) {
      return Top::model;
    }
    if (is(text, "choices")) {
      return Top::choices;
    }
    if (is(text, "id")) {
      return Top::id;
    }
    if (is(text, "stop_reason") || is(text, "done_reason") || (wire_ == Wire::responses && is(text, "status"))) {
      return Top::reason;
    }
    return is(text, "done") ? Top::done : is(text, "error") ? Top::error : Top::other;
  }
  bool is_reason() const {
    return (depth_ == 1 && top_ == Top::reason) || (depth_ == 3 && top_ == Top::choices && in_reason_);
  }
  bool in_error() const { return depth_ == 1 && top_ == Top::error; }
  void leave() {
    --depth_;
    place_.reset();
    in_reason_ = false;
  }

  Wire wire_;
  Top top_ = Top::other;
  bool in_reason_ = false;
  bool done_ = false;
  bool error_ = false;
  unsigned depth_ = 0;
  unsigned lists_ = 0;               // open ones within usage
  std::optional<UsagePlace> place_;  // of the number that comes next
  std::string outer_;
  std::string id_;
  std::string model_;
  std::string finish_;
  UsageNumbers numbers_;
};

}  // namespace

struct UsageWatch::State {
  State(Wire of, bool stream)
      : wire(of),
        streamed(stream),
        events_reader(SseLimits{line_bytes_max, line_bytes_max, true}),
        line_reader(lines_bytes_max),
        whole(of),
        scanner(whole, 1'024) {}

  void event(std::string_view type, std::string_view data);
  void decode(std::string_view type, const json::Value& value, std::string_view data);
  void read_events(std::string_view bytes);
  void read_lines();
  void read_whole();
  void take_told();
  void count_event(std::string_view data);
  bool matters(std::string_view type, std::string_view data) const;

  Wire wire;
  bool streamed;
  std::unique_ptr<ReplyState> reply;  // of a stream, once an event of it matters
  Usage usage;
  std::string model;
  std::string id;
  std::uint64_t sequence = 0;
  bool last_begun = false;  // the event that ends the answer has begun
  Finish finish = Finish::none;
  std::optional<Failure> failure;
  SseReader events_reader;
  LineReader line_reader;
  bool first = true;
  bool ended = false;
  std::uint64_t events = 0;
  std::uint64_t answer_bytes = 0;
  Whole whole;
  json::Scanner<Whole> scanner;
};

bool UsageWatch::State::matters(std::string_view type, std::string_view data) const {
  if (first || type == "error") {
    return true;
  }
  constexpr std::size_t type_within = 200;  // where an event without a name has its type, if it comes first
  const std::string_view name = type.empty() || type == "message" ? data.substr(0, type_within) : type;
  switch (wire) {
    case Wire::openai:
      // Words that begin with a letter that is rare here are found faster than those that begin with a quote. An event
      // without choices is an error, or something else that is looked at.
      return tells(data, "_reason\"") || tells(data, "usage\"") || !holds(data, "hoices\"");
    case Wire::anthropic:
      return !holds(name, "content_block_");
    case Wire::responses:
      return !holds(name, "response.output_") && !holds(name, "response.function_call_") &&
             !holds(name, "response.content_") && !holds(name, "response.reasoning_");
    case Wire::ollama:
      break;
  }
  return !holds(data, "\"done\":false");
}

void UsageWatch::State::event(std::string_view type, std::string_view data) {
  if (ended || failure || ascii::only(data, ascii::spaces)) {
    return;
  }
  if (is_done_mark(wire, data)) {
    ended = true;
    if (finish == Finish::none && !failure) {
      reply = std::make_unique<ReplyState>(parsed_bytes_max, std::string());
      end_answer(*reply);
      take_told();
    }
    return;
  }
  ++events;
  answer_bytes += data.size();
  if (wire == Wire::responses) {
    count_event(data);
  }
  if (!matters(type, data)) {
    return;
  }
  if (reply == nullptr) {
    reply = std::make_unique<ReplyState>(parsed_bytes_max, std::string());
  }
  reply->begin_event();
  const Result<json::Value> value = json::parse(data, reply->arena());
  if (!value) {
    reply->fail(FailureClass::malformed, not_json(value.error()));
  } else if (value.value().is(json::Kind::object)) {
    first = false;
    decode(type, value.value(), data);
  } else {
    take_error(type, value.value(), *reply);
  }
  take_told();
}

// Texts are passed over: of Anthropic's and the responses' events, those that tell nothing else are not decoded.
void UsageWatch::State::decode(std::string_view type, const json::Value& value, std::string_view data) {
  if (wire == Wire::openai) {
    decode_openai_event(type, value, *reply);
    return;
  }
  if (wire == Wire::ollama) {
    decode_ollama_line(value, *reply);
  } else if (wire == Wire::responses) {
    const std::string_view told = text_member(value, "type");
    if (told == "response.created" || told == "response.completed" || told == "response.incomplete" ||
        told == "response.failed") {
      decode_responses_event(type, value, data, *reply);
    } else {
      take_error(type, value, *reply);
    }
  } else {
    const std::string_view told = text_member(value, "type");
    if (told == "message_start" || told == "message_delta" || told == "message_stop") {
      decode_anthropic_event(type, value, *reply);
    } else {
      take_error(type, value, *reply);
    }
  }
  ended = reply->done() && !reply->failure();
}

// What an event has told stays; its texts do not. (Anthropic's usage goes on from event to event, its texts are not
// read.)
void UsageWatch::State::take_told() {
  const ModelReply& told = reply->reply();
  if (told.usage.known) {
    usage = told.usage;
  }
  if (model.empty()) {
    model = told.model;
  }
  if (id.empty()) {
    id = told.id;
  }
  if (told.finish != Finish::none) {
    finish = told.finish;
  }
  if (!failure && reply->failure() && reply->failure()->failure_class != FailureClass::limit) {
    failure = reply->failure();
  }
  if (wire != Wire::anthropic) {
    reply.reset();
  }
}

// The number of the event, which comes before what may be long, or after it.
void UsageWatch::State::count_event(std::string_view data) {
  constexpr std::string_view name = "\"sequence_number\":";
  std::size_t at = data.substr(0, 200).find(name);
  at = at == std::string_view::npos ? data.rfind(name) : at;
  if (at == std::string_view::npos) {
    return;
  }
  std::string_view digits = data.substr(at + name.size());
  digits = ascii::trim_front(digits, " ");
  std::uint64_t number = 0;
  if (read_count(digits.substr(0, digits.find_first_not_of("0123456789")), number)) {
    sequence = number + 1;
  }
}

void UsageWatch::State::read_events(std::string_view bytes) {
  events_reader.push(bytes);
  for (SseEvent one; events_reader.next(one);) {
    // The last event repeats the whole answer, and may be too long to be read: its name says that it is the end.
    if (one.data.empty()) {
      last_begun = last_begun ||
                   (wire == Wire::responses && (one.type == "response.completed" || one.type == "response.incomplete"));
      continue;
    }
    event(one.type, one.data);
  }
}

void UsageWatch::State::read_lines() {
  for (std::string_view line; line_reader.next(line);) {
    event({}, line);
  }
  if (line_reader.failed() && !failure) {
    failure = make_failure(FailureClass::limit, line_reader.problem());
  }
}

void UsageWatch::State::read_whole() {
  if (!scanner.done()) {
    return;
  }
  ended = true;
  model = whole.model();
  id = whole.id();
  finish = whole.finish();
  if (whole.tells_usage()) {
    tell_usage(wire, whole.numbers(), usage);
  }
  if (whole.error()) {
    failure = make_failure(FailureClass::server, "");  // what it says is read by whoever has kept the answer
  }
}

UsageWatch::UsageWatch(Wire wire, bool streamed) : state_(std::make_unique<State>(wire, streamed)) {}
UsageWatch::~UsageWatch() = default;
UsageWatch::UsageWatch(UsageWatch&&) noexcept = default;
UsageWatch& UsageWatch::operator=(UsageWatch&&) noexcept = default;

void UsageWatch::push(std::string_view bytes) {
  if (state_->streamed && state_->wire == Wire::ollama) {
    state_->line_reader.push(bytes);
    state_->read_lines();
  } else if (state_->streamed) {
    state_->read_events(bytes);
  } else {
    state_->answer_bytes += bytes.size();
    state_->scanner.push(bytes.data(), bytes.size());
  }
}

void UsageWatch::end() {
  if (!state_->streamed) {
    state_->scanner.end();
    state_->read_whole();
  } else if (state_->wire == Wire::ollama) {
    state_->line_reader.end();
    state_->read_lines();
  }
  state_->ended = state_->ended || (state_->last_begun && !state_->failure);
}

const Usage& UsageWatch::usage() const { return state_->usage; }
const std::string& UsageWatch::model() const { return state_->model; }
const std::string& UsageWatch::id() const { return state_->id; }
std::uint64_t UsageWatch::sequence() const { return state_->sequence; }
Finish UsageWatch::finish() const { return state_->finish; }
bool UsageWatch::ended() const { return state_->ended; }
const std::optional<Failure>& UsageWatch::failure() const { return state_->failure; }
std::uint64_t UsageWatch::events() const { return state_->events; }
std::uint64_t UsageWatch::answer_bytes() const { return state_->answer_bytes; }
std::uint64_t UsageWatch::skipped() const { return state_->events_reader.skipped(); }

}  // namespace plumb::wire
