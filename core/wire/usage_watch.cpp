// Lines are cut here and not by SseReader: what a relay passes on need not be copied, and providers write an event's
// data on one line. An event is parsed where it holds a word that can matter, and the first one, which names the model.
// In JSON a quote inside of a text has a backslash before it, so `"usage":` is a key wherever it stands.
//
// A whole answer goes through the scanner, which keeps of it what stands in a few places: a skeleton of the answer,
// read as an answer at the end.
#include "core/wire/usage_watch.hpp"

#include <utility>

#include "core/json/scanner.hpp"
#include "core/json/writer.hpp"
#include "core/wire/reply_state.hpp"

namespace plumb::wire {

namespace {

constexpr std::size_t skeleton_bytes_max = 16'384;
constexpr std::size_t kept_text_max = 256;
constexpr std::size_t parsed_bytes_max = std::size_t{2} << 20;

bool holds(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

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
class Skeleton {
 public:
  explicit Skeleton(Wire wire) : wire_(wire) {}

  // What was kept, as an answer of the wire.
  std::string text() const {
    std::string out = "{";
    out += members_;
    out += members_.empty() ? "" : ",";
    if (wire_ == Wire::openai) {
      out += R"("choices":[{"index":0,"message":{"content":""},"finish_reason":)";
      if (finish_.empty()) {
        out += "null";
      } else {
        json::append_string(out, finish_);
      }
      out += "}]}";
    } else {
      out += wire_ == Wire::anthropic ? R"("content":[]})" : R"("message":{"content":""}})";
    }
    return out;
  }

  void begin_object(std::uint64_t) { enter('{'); }
  void end_object(std::uint64_t) { leave('}'); }
  void begin_array(std::uint64_t) { enter('['); }
  void end_array(std::uint64_t) { leave(']'); }
  void key(std::string_view text, std::uint64_t, std::uint64_t) {
    if (depth_ == 1) {
      top_ = text.substr(0, kept_text_max);
      in_usage_ = top_ == "usage";
    } else if (depth_ == 3) {
      third_ = text.substr(0, kept_text_max);
    }
    if (in_usage_) {
      key_ = text.substr(0, kept_text_max);
    }
  }
  void string(std::string_view text, std::uint64_t, std::uint64_t) {
    if (text.size() > kept_text_max) {
      return;
    }
    if (depth_ == 1 && (top_ == "model" || top_ == "id" || top_ == "stop_reason" || top_ == "done_reason")) {
      add_key(top_);
      json::append_string(members_, text);
    } else if (depth_ == 3 && top_ == "choices" && third_ == "finish_reason" && finish_.empty()) {
      finish_ = text;
    }
  }
  bool string_decoded(std::string_view text, std::uint64_t from, std::uint64_t to) {
    string(text, from, to);
    return true;
  }
  json::StringWant string_begin(std::uint64_t) const {
    return depth_ == 1 || (depth_ == 3 && third_ == "finish_reason") ? json::StringWant::whole
                                                                     : json::StringWant::nothing;
  }
  static void string_piece(std::string_view, std::uint64_t, std::uint64_t, bool) {}
  void string_end(std::string_view text, std::uint64_t from, std::uint64_t to) { string(text, from, to); }
  void scalar_begin(json::Kind, std::uint64_t) {}
  void number(std::string_view text, std::uint64_t, std::uint64_t, std::uint64_t) {
    if (depth_ == 1 && wire_ == Wire::ollama && (top_ == "prompt_eval_count" || top_ == "eval_count")) {
      add_key(top_);
      members_ += text.substr(0, kept_text_max);
    } else if (usage_open_ > 0 && ignored_ == 0 && members_.size() < skeleton_bytes_max) {
      add_key(key_);
      members_ += text.substr(0, kept_text_max);
    }
  }
  void literal(json::Kind, bool value, std::uint64_t, std::uint64_t) {
    if (depth_ == 1 && top_ == "done" && wire_ == Wire::ollama) {
      add_key(top_);
      members_ += value ? "true" : "false";
    }
  }
  void lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t) {}
  void broken(json::ScanError, std::uint64_t, std::uint64_t) {}

 private:
  void add_key(std::string_view name) {
    if (!members_.empty() && members_.back() != '{') {
      members_ += ',';
    }
    json::append_string(members_, name);
    members_ += ':';
  }
  void enter(char bracket) {
    // usage, and the objects of details in it.
    if (in_usage_ && bracket == '{' && depth_ <= 2 && ignored_ == 0 && members_.size() < skeleton_bytes_max) {
      add_key(depth_ == 1 ? std::string_view("usage") : std::string_view(key_));
      members_ += '{';
      ++usage_open_;
    } else if (in_usage_) {
      ++ignored_;  // a list, or deeper than is looked at
    }
    ++depth_;
  }
  void leave(char) {
    --depth_;
    if (ignored_ > 0) {
      --ignored_;
    } else if (usage_open_ > 0) {
      members_ += '}';
      --usage_open_;
    }
    in_usage_ = in_usage_ && depth_ > 1;
  }

  Wire wire_;
  unsigned depth_ = 0;
  unsigned usage_open_ = 0;
  unsigned ignored_ = 0;
  bool in_usage_ = false;
  std::string top_;
  std::string third_;
  std::string key_;
  std::string members_;
  std::string finish_;
};

}  // namespace

struct UsageWatch::State {
  State(Wire of, bool stream) : wire(of), streamed(stream), skeleton(of), scanner(skeleton, 1'024) {}

  void line(std::string_view text);
  void any_lines(std::string_view text);
  void event(std::string_view data);
  void lines(std::string_view bytes);
  void read_whole();
  void take_told();
  bool matters(std::string_view data) const;

  Wire wire;
  bool streamed;
  ReplyState reply{parsed_bytes_max, {}};
  Usage usage;
  std::string model;
  Finish finish = Finish::none;
  std::optional<Failure> failure;
  std::string cut;  // the beginning of a line
  bool passing_over = false;
  bool first = true;
  bool ended = false;
  std::uint64_t events = 0;
  std::uint64_t answer_bytes = 0;
  std::uint64_t skipped = 0;
  Skeleton skeleton;
  json::Scanner<Skeleton> scanner;
};

bool UsageWatch::State::matters(std::string_view data) const {
  if (first) {
    return true;
  }
  switch (wire) {
    case Wire::openai:
      // Words that begin with a letter that is rare here are found faster than those that begin with a quote. An event
      // without choices is an error, or something else that is looked at.
      return tells(data, "_reason\"") || tells(data, "usage\"") || !holds(data, "hoices\"");
    case Wire::anthropic:
      return holds(data, "\"message_delta\"") || holds(data, "\"message_start\"") || holds(data, "\"message_stop\"") ||
             holds(data, "\"error\"");
    case Wire::ollama:
      break;
  }
  return holds(data, "\"done\":true") || holds(data, "\"done\": true") || tells(data, "\"error\"");
}

void UsageWatch::State::event(std::string_view data) {
  if (ended) {
    return;
  }
  if (wire == Wire::openai && data == "[DONE]") {
    ended = true;
    return;
  }
  ++events;
  answer_bytes += data.size();
  if (!matters(data)) {
    return;
  }
  reply.begin_event();
  const Result<json::Value> value = json::parse(data, reply.arena());
  if (!value || !value.value().is(json::Kind::object)) {
    return;
  }
  first = false;
  if (wire == Wire::openai) {
    decode_openai_event({}, value.value(), reply);
  } else if (wire == Wire::ollama) {
    decode_ollama_line(value.value(), reply);
    ended = reply.done() && !reply.failure();
  } else {
    const std::string_view type = text_member(value.value(), "type");
    if (type == "message_start" || type == "message_delta" || type == "message_stop" || type == "error") {
      decode_anthropic_event(type, value.value(), reply);
    }
    ended = reply.done() && !reply.failure();
  }
  take_told();
}

// What an event has told stays; its texts do not. (Anthropic's usage goes on from event to event, its texts are not
// read.)
void UsageWatch::State::take_told() {
  const ModelReply& told = reply.reply();
  if (told.usage.known) {
    usage = told.usage;
  }
  if (model.empty()) {
    model = told.model;
  }
  if (told.finish != Finish::none) {
    finish = told.finish;
  }
  if (!failure && reply.failure() && reply.failure()->failure_class != FailureClass::limit) {
    failure = reply.failure();
  }
  if (wire != Wire::anthropic) {
    reply = ReplyState(parsed_bytes_max, {});
  }
}

void UsageWatch::State::line(std::string_view text) {
  if (wire == Wire::ollama) {
    if (!text.empty()) {
      event(text);
    }
    return;
  }
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    text.remove_prefix(3);
  }
  if (text.substr(0, 5) == "data:") {
    text.remove_prefix(text.size() > 5 && text[5] == ' ' ? 6 : 5);
    event(text);
  }
}

// A carriage return ends a line by itself too.
void UsageWatch::State::any_lines(std::string_view text) {
  for (std::size_t ending = text.find('\r'); ending != std::string_view::npos; ending = text.find('\r')) {
    line(text.substr(0, ending));
    text.remove_prefix(ending + 1);
  }
  line(text);
}

void UsageWatch::State::lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t ending = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, ending);
    if (passing_over || cut.size() + piece.size() > line_bytes_max) {
      skipped += passing_over ? 0 : 1;
      passing_over = ending == std::string_view::npos;
      cut.clear();
    } else if (ending == std::string_view::npos) {
      cut += piece;
    } else if (cut.empty()) {
      any_lines(piece);
    } else {
      cut += piece;
      any_lines(cut);
      cut.clear();
    }
    if (ending == std::string_view::npos) {
      return;
    }
    bytes.remove_prefix(ending + 1);
  }
}

void UsageWatch::State::read_whole() {
  if (!scanner.done()) {
    return;
  }
  ended = true;
  reply.begin_event();
  const std::string text = skeleton.text();
  const Result<json::Value> value = json::parse(text, reply.arena());
  if (!value) {
    return;
  }
  if (wire == Wire::openai) {
    decode_openai_reply(value.value(), reply);
  } else if (wire == Wire::anthropic) {
    decode_anthropic_reply(value.value(), reply);
  } else {
    decode_ollama_line(value.value(), reply);
  }
  take_told();
}

UsageWatch::UsageWatch(Wire wire, bool streamed) : state_(std::make_unique<State>(wire, streamed)) {}
UsageWatch::~UsageWatch() = default;
UsageWatch::UsageWatch(UsageWatch&&) noexcept = default;
UsageWatch& UsageWatch::operator=(UsageWatch&&) noexcept = default;

void UsageWatch::push(std::string_view bytes) {
  if (state_->streamed) {
    state_->lines(bytes);
  } else {
    state_->answer_bytes += bytes.size();
    state_->scanner.push(bytes.data(), bytes.size());
  }
}

void UsageWatch::end() {
  if (!state_->streamed) {
    state_->scanner.end();
    state_->read_whole();
  } else if (!state_->cut.empty()) {
    const std::string last = std::move(state_->cut);
    state_->cut.clear();
    state_->any_lines(last);
  }
}

const Usage& UsageWatch::usage() const { return state_->usage; }
const std::string& UsageWatch::model() const { return state_->model; }
Finish UsageWatch::finish() const { return state_->finish; }
bool UsageWatch::ended() const { return state_->ended; }
const std::optional<Failure>& UsageWatch::failure() const { return state_->failure; }
std::uint64_t UsageWatch::events() const { return state_->events; }
std::uint64_t UsageWatch::answer_bytes() const { return state_->answer_bytes; }
std::uint64_t UsageWatch::skipped() const { return state_->skipped; }

}  // namespace plumb::wire
