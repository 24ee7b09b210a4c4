#include "native/proxy/event_filter.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/members.hpp"
#include "core/json/value.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/sse.hpp"
#include "core/wire/told_failure.hpp"

namespace plumb::proxy {

namespace {

// Behind the empty line that ends the first event of `text`; npos where it has not ended. A line ends at LF, CRLF or
// CR; a CR at the very end may be half of a CRLF, so it waits.
std::size_t event_end(std::string_view text) {
  std::size_t line = 0;
  for (std::size_t i = text.find_first_of("\r\n"); i != std::string_view::npos; i = text.find_first_of("\r\n", i)) {
    if (text[i] == '\r' && i + 1 == text.size()) {
      return std::string_view::npos;
    }
    const std::size_t next = i + (text[i] == '\r' && text[i + 1] == '\n' ? 2 : 1);
    if (i == line) {
      return next;
    }
    line = next;
    i = next;
  }
  return std::string_view::npos;
}

bool ends_with_event(std::string_view text) { return text.ends_with("\n\n") || text.ends_with("\r\n\r\n"); }

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  const std::size_t found = text.find_first_not_of(ascii::spaces, at);
  return found == std::string_view::npos ? text.size() : found;
}

// "name" : c
bool has_member(std::string_view text, std::string_view quoted_name, char first, std::size_t* behind = nullptr) {
  for (std::size_t at = text.find(quoted_name); at != std::string_view::npos; at = text.find(quoted_name, at + 1)) {
    std::size_t next = behind_blanks(text, at + quoted_name.size());
    if (next >= text.size() || text[next] != ':') {
      continue;
    }
    next = behind_blanks(text, next + 1);
    if (next < text.size() && text[next] == first) {
      if (behind != nullptr) {
        *behind = next + 1;
      }
      return true;
    }
  }
  return false;
}

bool is_usage_alone(std::string_view event) {
  std::size_t behind = 0;
  if (!has_member(event, "\"choices\"", '[', &behind)) {
    return false;
  }
  const std::size_t next = behind_blanks(event, behind);
  return next < event.size() && event[next] == ']' && has_member(event, "\"usage\"", '{');
}

constexpr std::array<std::string_view, 4> end_words = {"[DONE]", "message_stop", "response.completed",
                                                       "response.incomplete"};

bool has_end_word(std::string_view text) {
  return std::any_of(end_words.begin(), end_words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// What the one event of `text` says, as the reader of the stream reads it; false for a comment.
struct EventRead {
  std::string type;  // of its data, else its name
  std::string data;
  bool json = false;
  bool error = false;
};
bool read_event(std::string_view text, EventRead& said) {
  wire::SseReader reader;
  reader.push(text);
  wire::SseEvent event;
  if (!reader.next(event)) {
    return false;
  }
  said.type = event.type;
  said.data = event.data;
  json::Arena arena;
  const Result<json::Value> value = json::parse(said.data, arena);
  said.json = static_cast<bool>(value);
  if (value) {
    said.error = wire::told_failure(said.type, value.value()).has_value();
    const std::string_view type = json::text_of(value.value(), "type");
    said.type = type.empty() ? std::move(said.type) : std::string(type);
  }
  return true;
}

bool is_end(std::string_view event) {
  EventRead said;
  if (!has_end_word(event) || !read_event(event, said)) {
    return false;
  }
  return wire::is_done_mark(said.data) || (said.type != end_words.front() &&
                                           std::find(end_words.begin(), end_words.end(), said.type) != end_words.end());
}

bool tells_error(std::string_view event) {
  EventRead said;
  return read_event(event, said) && !ascii::only(said.data, ascii::spaces) &&
         (said.error || (!said.json && !wire::is_done_mark(said.data)));
}

}  // namespace

bool EventFilter::is_kept_back(std::string_view event) {
  if (kept_back_.usage && is_usage_alone(event)) {
    return true;
  }
  // Nothing follows the end.
  if (kept_back_.end && (!end_event_.empty() || is_end(event))) {
    if (end_event_.empty()) {
      end_event_ = event;
    }
    return true;
  }
  return false;
}

std::string_view EventFilter::pass_before_error(std::string_view piece) {
  stops_at_error_ = true;
  const std::string_view passed = pass(piece);
  held_.clear();
  return passed;
}

std::string_view EventFilter::pass(std::string_view piece) {
  // Nearly always a piece is whole events of which none is kept back.
  if (held_.empty() && !passing_ && !stops_at_error_ && end_event_.empty() && ends_with_event(piece) &&
      (!kept_back_.usage || piece.find("\"usage\"") == std::string_view::npos) &&
      (!kept_back_.end || !has_end_word(piece))) {
    return piece;
  }
  passed_.clear();
  held_ += piece;
  std::string_view rest = held_;
  while (true) {
    const std::size_t size = event_end(rest);
    if (size == std::string_view::npos) {
      break;
    }
    if (stops_at_error_ && !passing_ && tells_error(rest.substr(0, size))) {
      return passed_;
    }
    if (passing_ || !is_kept_back(rest.substr(0, size))) {
      passed_ += rest.substr(0, size);
    }
    passing_ = false;
    rest.remove_prefix(size);
  }
  if (passing_ || rest.size() > held_bytes_max) {
    // Two bytes stay, since the line end that ends the event may be cut.
    const std::size_t size = rest.size() > 2 ? rest.size() - 2 : 0;
    passed_ += rest.substr(0, size);
    passing_ = passing_ || size > 0;
    rest.remove_prefix(size);
  }
  held_.erase(0, held_.size() - rest.size());
  return passed_;
}

}  // namespace plumb::proxy
