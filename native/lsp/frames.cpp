#include "native/lsp/frames.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "native/mcp/message.hpp"

namespace plumb::lsp {

namespace {

// What may be anything, in quotes and fit for a terminal.
std::string shown(std::string_view text) {
  std::string out;
  json::append_string(out, json::excerpt(text, 60));
  return out;
}

}  // namespace

FrameInput::Got FrameInput::read() {
  bytes_.erase(0, std::exchange(from_, 0));
  constexpr std::size_t piece = std::size_t{64} << 10;
  const std::size_t before = bytes_.size();
  bytes_.resize(before + piece);
  for (;;) {
    const ssize_t size = ::read(descriptor_, bytes_.data() + before, piece);
    if (size > 0) {
      bytes_.resize(before + static_cast<std::size_t>(size));
      const std::size_t over = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, bytes_.size()));
      bytes_.erase(0, over);
      skip_ -= over;
      return Got::bytes;
    }
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0 && errno == EAGAIN) {
      (void)comes(-1);
      continue;
    }
    bytes_.resize(before);
    if (trouble_.empty() && (has_head_ || skip_ > 0 || !bytes_.empty())) {
      trouble_ = "it ended within a message";
    }
    return Got::end;
  }
}

bool FrameInput::comes(int wait_ms) const {
  pollfd wait{descriptor_, POLLIN, 0};
  return ::poll(&wait, 1, wait_ms) > 0;
}

bool FrameInput::take(std::string& message) {
  while (trouble_.empty() && skip_ == 0) {
    if (!has_head_ && !read_head()) {
      return false;
    }
    if (body_ > mcp::message_bytes_max) {
      const std::size_t here = static_cast<std::size_t>(std::min<std::uint64_t>(body_, bytes_.size() - from_));
      from_ += here;
      skip_ = body_ - here;
      left_out_ = body_;
      has_head_ = false;
      continue;
    }
    if (bytes_.size() - from_ < body_) {
      return false;
    }
    message.assign(bytes_, from_, static_cast<std::size_t>(body_));
    from_ += static_cast<std::size_t>(body_);
    has_head_ = false;
    return true;
  }
  return false;
}

// False: they have not come whole, or there is trouble.
bool FrameInput::read_head() {
  const std::string_view bytes = std::string_view(bytes_).substr(from_);
  bool said = false;
  for (std::size_t at = 0;;) {
    const std::size_t end = bytes.find("\r\n", at);
    if (end > head_bytes_max) {  // npos is more, too
      // What can be no field is told at once: nobody waits for the rest of it.
      const std::string_view line = bytes.substr(at, end);
      const std::size_t odd = line.find_first_of("\n{");
      if (bytes.size() > head_bytes_max + 2 || odd != std::string_view::npos) {
        trouble_ = "expected 'Content-Length: N' before each message, found " + shown(line);
      }
      return false;
    }
    const std::string_view line = bytes.substr(at, end - at);
    at = end + 2;
    if (line.empty() && said) {
      from_ += at;
      has_head_ = true;
      return true;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      trouble_ = "expected 'Content-Length: N' before each message, found " + shown(line);
      return false;
    }
    if (!ascii::equal_in_any_case(line.substr(0, colon), "content-length")) {
      continue;
    }
    const std::string_view digits = ascii::trim(line.substr(colon + 1), ascii::blanks);
    const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), body_);
    if (digits.empty() || digits.size() > length_digits_max || failed != std::errc() ||
        stop != digits.data() + digits.size()) {
      trouble_ = "Content-Length is " + shown(digits) + ", which is not a number of bytes";
      return false;
    }
    said = true;
  }
}

std::uint64_t FrameInput::left_out() { return std::exchange(left_out_, 0); }

std::string framed(std::string_view message) {
  return "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n" + std::string(message);
}

}  // namespace plumb::lsp
