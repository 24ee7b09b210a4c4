#include "native/mcp/line_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "core/ascii.hpp"
#include "native/mcp/message.hpp"

namespace plumb::mcp {

LineInput::Got LineInput::read() {
  if (ended_) {
    return Got::end;
  }
  if (from_ > 0) {
    bytes_.erase(0, from_);
    looked_ -= from_;
    from_ = 0;
  }
  if (bytes_.size() > message_bytes_max) {
    return Got::too_long;
  }
  constexpr std::size_t piece = std::size_t{64} << 10;
  const std::size_t before = bytes_.size();
  bytes_.resize(before + piece);
  for (;;) {
    const ssize_t size = ::read(descriptor_, bytes_.data() + before, piece);
    if (size > 0) {
      bytes_.resize(before + static_cast<std::size_t>(size));
      return Got::bytes;
    }
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0 && errno == EAGAIN) {
      pollfd wait{descriptor_, POLLIN, 0};
      (void)::poll(&wait, 1, -1);
      continue;
    }
    bytes_.resize(before);
    ended_ = true;
    return bytes_.empty() ? Got::end : Got::bytes;
  }
}

bool LineInput::take(std::string& line) {
  for (;;) {
    const std::size_t end = bytes_.find('\n', looked_);
    if (end == std::string::npos && (!ended_ || from_ == bytes_.size())) {
      looked_ = bytes_.size();
      return false;
    }
    const std::size_t to = end == std::string::npos ? bytes_.size() : end;
    line.assign(bytes_, from_, to - from_);
    from_ = looked_ = end == std::string::npos ? to : to + 1;
    if (!ascii::only(line, ascii::line_blanks)) {
      return true;
    }
  }
}

bool write_bytes(int descriptor, std::string_view bytes, int stop) {
  for (std::string_view rest = bytes; !rest.empty();) {
    pollfd wait[2] = {{descriptor, POLLOUT, 0}, {stop, POLLIN, 0}};
    if (::poll(wait, 2, -1) < 0 && errno != EINTR) {
      return false;
    }
    if (wait[1].revents != 0) {
      return false;
    }
    if (wait[0].revents == 0) {
      continue;
    }
    // No more than a pipe with room takes at once: a write that waited could not be ended.
    const ssize_t size = ::write(descriptor, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (size > 0) {
      rest.remove_prefix(static_cast<std::size_t>(size));
    } else if (size < 0 && errno != EAGAIN && errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool write_line(int descriptor, std::string_view text, int stop) {
  std::string line(text);
  line += '\n';
  return write_bytes(descriptor, line, stop);
}

}  // namespace plumb::mcp
