#include "native/control/raw_head.hpp"

#include <algorithm>
#include <charconv>

#include "core/ascii.hpp"

namespace plumb::control {

namespace {

// Letters that one reader ends a line at, or a text, and another does not.
std::string_view stray(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '\0') {
      return "The head holds a NUL.";
    }
    if (c == '\r' && i + 1 < bytes.size() && bytes[i + 1] != '\n') {
      return "The head holds a carriage return that ends no line.";
    }
    if (c == '\n' && (i == 0 || bytes[i - 1] != '\r')) {
      return "A line of the head ends without a carriage return.";
    }
  }
  return {};
}

void read_length(std::string_view value, RawHead& head) {
  if (head.has_length) {
    head.problem = "The head has two lengths.";
  }
  head.has_length = true;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), head.length);
  if (value.empty() || failed != std::errc() || end != value.data() + value.size()) {
    head.problem = "The length of the body is not a number.";
  }
}

void read_field(std::string_view line, std::string_view bytes, RawHead& head) {
  const std::size_t colon = line.find(':');
  if (ascii::is_blank(line.front())) {
    head.problem = "A line of the head is folded.";
    return;
  }
  if (colon == std::string_view::npos || colon == 0 || line.find_first_of(ascii::blanks) < colon) {
    head.problem = "A line of the head has no name before a colon.";
    return;
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = ascii::trim(line.substr(colon + 1), ascii::blanks);
  if (ascii::equal_in_any_case(name, "content-length")) {
    read_length(value, head);
  } else if (ascii::equal_in_any_case(name, "transfer-encoding")) {
    if (head.chunked || !ascii::equal_in_any_case(value, "chunked")) {
      head.problem = "Of transfer encodings `chunked` is taken, once.";
    }
    head.chunked = true;
  } else if (ascii::equal_in_any_case(name, "expect")) {
    head.expect_at = static_cast<std::size_t>(name.data() - bytes.data());
  } else if (ascii::equal_in_any_case(name, "authorization")) {
    head.authorization = value;
  }
}

}  // namespace

RawHead read_raw_head(std::string_view bytes) {
  RawHead head;
  const std::size_t end = bytes.find("\r\n\r\n");
  const std::string_view text = bytes.substr(0, end == std::string_view::npos ? bytes.size() : end + 4);
  head.problem = stray(text);
  if (end == std::string_view::npos || !head.problem.empty()) {
    return head;
  }
  head.size = text.size();
  std::string_view rest = text.substr(0, end + 2);
  const std::string_view first = rest.substr(0, rest.find("\r\n"));
  rest.remove_prefix(first.size() + 2);
  const std::size_t space = first.find(' ');
  head.method = first.substr(0, space);
  if (space != std::string_view::npos) {
    head.path = first.substr(space + 1);
    head.path = head.path.substr(0, std::min(head.path.find(' '), head.path.find('?')));
  }
  while (!rest.empty() && head.problem.empty()) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    read_field(line, bytes, head);
  }
  if (head.problem.empty() && head.chunked && head.has_length) {
    head.problem = "The head has a length and a transfer encoding.";
  }
  return head;
}

}  // namespace plumb::control
