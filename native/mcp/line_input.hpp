// Lines of a descriptor, as the protocol's stdio has its messages: one a line, no line within a message.
//
//   LineInput input(STDIN_FILENO);
//   while (input.read() == LineInput::Got::bytes)
//     for (std::string line; input.take(line);) ...
//
// Blank lines are passed over; a line keeps all of its bytes but the line feed. What follows the last line feed
// is a line when the other side has closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::mcp {

class LineInput {
 public:
  explicit LineInput(int descriptor) : descriptor_(descriptor) {}

  enum class Got : std::uint8_t { bytes, end, too_long };
  // Waits for bytes. A line longer than message_bytes_max is too long, and nothing is read after it.
  Got read();
  bool take(std::string& line);

 private:
  int descriptor_;
  std::string bytes_;
  std::size_t from_ = 0;    // what was taken is before it
  std::size_t looked_ = 0;  // no line feed between
  bool ended_ = false;
};

// Writes `bytes`, whole. False when the other side does not take it any more, or `stop` can be read.
bool write_bytes(int descriptor, std::string_view bytes, int stop = -1);
// The same of `text` and a line feed.
bool write_line(int descriptor, std::string_view text, int stop = -1);

}  // namespace plumb::mcp
