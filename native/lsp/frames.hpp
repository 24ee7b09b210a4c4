// Messages of a descriptor as the Language Server Protocol frames them: fields, an empty line, as many bytes as
// Content-Length says.
//
//   FrameInput input(STDIN_FILENO);
//   while (input.read() == FrameInput::Got::bytes)
//     for (std::string message; input.take(message);) ...
//   if (!input.trouble().empty()) ... what came is no such frame: nothing can be read any more
//
// A message of more than mcp::message_bytes_max bytes is read over; left_out() tells of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::lsp {

class FrameInput {
 public:
  static constexpr std::size_t head_bytes_max = 4'096;  // the fields of one message
  static constexpr std::size_t length_digits_max = 12;

  explicit FrameInput(int descriptor) : descriptor_(descriptor) {}

  enum class Got : std::uint8_t { bytes, end };
  // Waits for bytes.
  Got read();
  // Whether bytes come, or the end does, within `wait_ms`.
  bool comes(int wait_ms) const;
  bool take(std::string& message);
  // One sentence; empty while all is well. Once the input has ended: also of a message that was cut.
  const std::string& trouble() const { return trouble_; }
  // The size of a message that was too long, once; 0: none.
  std::uint64_t left_out();

 private:
  bool read_head();

  int descriptor_;
  std::string bytes_;
  std::size_t from_ = 0;    // what was taken is before it
  std::uint64_t body_ = 0;  // bytes of the message whose fields have been read
  std::uint64_t skip_ = 0;  // bytes still to be read over
  std::uint64_t left_out_ = 0;
  bool has_head_ = false;
  std::string trouble_;
};

// A message with its fields.
std::string framed(std::string_view message);

}  // namespace plumb::lsp
