// The specification decodes the stream first and cuts it into lines then. Here lines are cut from bytes and decoded
// when an event is handed out: line ends and colons are ASCII, so they are never inside a character, and a broken
// character ends before them in either order.
//
// A line that lies wholly in a piece, and the data of an event with one such line, are used in place. What the
// end of a piece cuts is kept.
#include "core/wire/sse.hpp"

#include <limits>

#include "core/json/number_text.hpp"
#include "core/json/string_text.hpp"
#include "core/text/utf8.hpp"

namespace plumb::wire {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view replacement = "\xEF\xBF\xBD";
// Memory beyond this is given back when what filled it has been handed out.
constexpr std::size_t kept_bytes_max = std::size_t{1} << 20;

void clear(std::string& text) {
  if (text.capacity() > kept_bytes_max) {
    std::string().swap(text);
  } else {
    text.clear();
  }
}

// Where the first CR or LF is, or the size. In blocks: a text with only one of the two is not searched to its end
// for the other.
std::size_t line_end(std::string_view text) {
  constexpr std::size_t block_size = 256;
  for (std::size_t from = 0; from < text.size(); from += block_size) {
    const std::string_view block = text.substr(from, block_size);
    const std::size_t lf = block.find('\n');
    const std::size_t cr = block.substr(0, lf).find('\r');
    const std::size_t end = cr != std::string_view::npos ? cr : lf;
    if (end != std::string_view::npos) {
      return from + end;
    }
  }
  return text.size();
}

void assign_decoded(std::string& out, std::string_view bytes) {
  std::string clean;
  if (replace_broken_utf8(bytes, clean)) {
    out = clean;
  } else {
    out = bytes;
  }
}

std::string over(std::string_view what, std::size_t bytes_max) {
  std::string problem(what);
  problem += " is longer than ";
  json::append_uint(problem, bytes_max);
  problem += " bytes";
  return problem;
}

}  // namespace

bool replace_broken_utf8(std::string_view text, std::string& out) {
  std::size_t at = text::utf8_error(text);
  if (at == text::utf8_valid) {
    return false;
  }
  out.assign(text, 0, at);
  while (at < text.size()) {
    const char* const p = text.data() + at;
    if (static_cast<unsigned char>(*p) < 0x80) {
      out.push_back(*p);
      ++at;
      continue;
    }
    int bad_at = 0;
    const int length = json::utf8_sequence(p, text.data() + text.size(), bad_at);
    if (length > 0) {
      out.append(text, at, static_cast<std::size_t>(length));
      at += static_cast<std::size_t>(length);
    } else {
      out += replacement;
      at = length == 0 ? text.size() : at + static_cast<std::size_t>(bad_at == 0 ? 1 : bad_at);
    }
  }
  return true;
}

void SseReader::push(std::string_view piece) {
  rest_ = piece;
  if (mark_ < byte_order_mark.size()) {
    skip_byte_order_mark();
  }
}

void SseReader::skip_byte_order_mark() {
  while (!rest_.empty() && mark_ < byte_order_mark.size()) {
    if (rest_.front() != byte_order_mark[mark_]) {
      line_.assign(byte_order_mark, 0, mark_);
      mark_ = byte_order_mark.size();
      return;
    }
    rest_.remove_prefix(1);
    ++mark_;
  }
}

bool SseReader::take_line(std::string_view& line) {
  if (line_used_) {
    clear(line_);
    line_used_ = false;
  }
  if (after_cr_ && !rest_.empty()) {
    rest_.remove_prefix(rest_.front() == '\n' ? 1 : 0);
    after_cr_ = false;
  }
  const std::size_t size = line_end(rest_);
  if (!skipping_ && line_.size() + size > limits_.line_bytes_max) {
    if (!limits_.skips_long) {
      problem_ = over("A line of the stream", limits_.line_bytes_max);
      return false;
    }
    skipping_ = true;
    ++skipped_;
    std::string().swap(line_);
  }
  if (skipping_) {
    skip_line(size);
    line = "data";  // an event without its data
    return !skipping_;
  }
  if (size == rest_.size()) {
    line_ += rest_;
    rest_ = {};
    return false;
  }
  line = rest_.substr(0, size);
  if (!line_.empty()) {
    line_ += line;
    line = line_;
    line_used_ = true;
  }
  after_cr_ = rest_[size] == '\r';
  rest_.remove_prefix(size + 1);
  return true;
}

void SseReader::skip_line(std::size_t size) {
  if (size == rest_.size()) {
    rest_ = {};
    return;
  }
  skipping_ = false;
  after_cr_ = rest_[size] == '\r';
  rest_.remove_prefix(size + 1);
}

void SseReader::add_data(std::string_view value) {
  const std::size_t before = data_in_piece_.size() + data_.size();
  if (before + value.size() + 1 > limits_.event_bytes_max && limits_.skips_long) {
    ++skipped_;
    return;
  }
  if (before + value.size() + 1 > limits_.event_bytes_max) {
    problem_ = over("An event of the stream", limits_.event_bytes_max);
    return;
  }
  if (!has_data_ && !line_used_) {
    data_in_piece_ = value;
  } else {
    keep();
    if (has_data_) {
      data_.push_back('\n');
    }
    data_ += value;
  }
  has_data_ = true;
}

void SseReader::keep() {
  data_ += data_in_piece_;
  data_in_piece_ = {};
}

// True when the line ends an event.
bool SseReader::read_line(std::string_view line) {
  if (line.empty()) {
    if (!has_data_) {
      type_.clear();
    }
    return has_data_;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') {
    value.remove_prefix(1);
  }
  if (name == "data") {
    add_data(value);
  } else if (name == "event") {
    assign_decoded(type_, value);
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) {
      assign_decoded(id_, value);
    }
  } else if (name == "retry" && !value.empty()) {
    std::uint64_t ms = 0;
    for (const char c : value) {
      if (c < '0' || c > '9') {
        return false;
      }
      constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
      const auto digit = static_cast<std::uint64_t>(c - '0');
      ms = ms > (most - digit) / 10 ? most : ms * 10 + digit;
    }
    has_retry_ = true;
    retry_ms_ = ms;
  }
  return false;
}

bool SseReader::next(SseEvent& event) {
  if (data_used_) {
    clear(data_);
    data_used_ = false;
  }
  std::string_view line;
  while (!failed() && take_line(line)) {
    if (!read_line(line)) {
      continue;
    }
    std::string_view data = data_.empty() ? data_in_piece_ : std::string_view(data_);
    std::string clean;
    if (replace_broken_utf8(data, clean)) {
      data_.swap(clean);
      data = data_;
    }
    data_in_piece_ = {};
    shown_type_.swap(type_);
    type_.clear();
    has_data_ = false;
    data_used_ = true;
    event.type = shown_type_.empty() ? std::string_view("message") : std::string_view(shown_type_);
    event.data = data;
    event.id = id_;
    return true;
  }
  keep();
  return false;
}

namespace {

bool ends_line(char c) { return c == '\n' || c == '\r'; }

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (const char c : value) {
    if (!ends_line(c) && c != '\0') {
      out.push_back(c);
    }
  }
  out.push_back('\n');
}

}  // namespace

void append_sse(std::string& out, std::string_view data, std::string_view type, std::string_view id) {
  if (!type.empty()) {
    append_field(out, "event", type);
  }
  if (!id.empty()) {
    append_field(out, "id", id);
  }
  for (;;) {
    std::size_t size = 0;
    while (size < data.size() && !ends_line(data[size])) {
      ++size;
    }
    out += "data: ";
    out += data.substr(0, size);
    out.push_back('\n');
    if (size == data.size()) {
      break;
    }
    const bool both = data[size] == '\r' && size + 1 < data.size() && data[size + 1] == '\n';
    data.remove_prefix(size + (both ? 2 : 1));
  }
  out.push_back('\n');
}

void append_sse_comment(std::string& out, std::string_view text) {
  append_field(out, "", text);
  out.push_back('\n');
}

void append_sse_retry(std::string& out, std::uint64_t retry_ms) {
  out += "retry: ";
  json::append_uint(out, retry_ms);
  out += "\n\n";
}

}  // namespace plumb::wire
