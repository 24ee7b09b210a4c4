#include "native/proxy/event_filter.hpp"

#include "core/ascii.hpp"

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

bool is_end_of_responses(std::string_view event) {
  for (const std::string_view name : {"response.completed", "response.incomplete"}) {
    for (const std::string_view field : {"event: ", "event:"}) {
      if (event.starts_with(field) && event.substr(field.size()).starts_with(name)) {
        return true;
      }
    }
  }
  return false;
}

bool is_end(std::string_view event) {
  if (is_end_of_responses(event)) {
    return true;
  }
  return event.find("[DONE]") != std::string_view::npos
             ? event.starts_with("data: [DONE]") || event.starts_with("data:[DONE]")
             : event.starts_with("event: message_stop") || event.starts_with("event:message_stop") ||
                   event.find("\"type\":\"message_stop\"") != std::string_view::npos;
}

}  // namespace

bool EventFilter::is_kept_back(std::string_view event) {
  if (kept_back_.usage && is_usage_alone(event)) {
    return true;
  }
  if (kept_back_.end && is_end(event)) {
    end_event_ = event;
    return true;
  }
  return false;
}

std::string_view EventFilter::pass(std::string_view piece) {
  // Nearly always a piece is whole events of which none is kept back.
  if (held_.empty() && !passing_ && ends_with_event(piece) &&
      (!kept_back_.usage || piece.find("\"usage\"") == std::string_view::npos) &&
      (!kept_back_.end ||
       (piece.find("[DONE]") == std::string_view::npos && piece.find("message_stop") == std::string_view::npos &&
        piece.find("response.completed") == std::string_view::npos &&
        piece.find("response.incomplete") == std::string_view::npos))) {
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
