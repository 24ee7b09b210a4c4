// DegenerateWatch: notices that a stream has become degenerate: white space or digits without end, or one short piece
// repeated again and again.
//
//   DegenerateWatch watch;
//   if (const char* what = watch.next(bytes)) { ... what at watch.at() ... }      // any pieces, split anywhere
//
// It looks every 256 bytes: at the last 1,024 bytes for white space and digits, and at the last 4,096 for repetition
// with a period of at most 256. It reports once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/json/copy_short.hpp"

namespace plumb::contract {

class DegenerateWatch {
 public:
  // Takes the next bytes. Returns what the text has become, in a few words; nullptr if the text is fine, or has been
  // reported already. `last`: no bytes will follow, so nothing is remembered.
  const char* next(std::string_view bytes, bool last = false) {
    if (!said_ && !last && bytes_ / step == (bytes_ + bytes.size()) / step) {  // a short piece, which reaches no step
      const auto at = static_cast<std::size_t>(bytes_ % window);
      if (at + bytes.size() <= recent_.size()) {
        json::copy_short(recent_.data() + at, bytes.data(), bytes.size());
      } else {
        remember(bytes, bytes_);
      }
      bytes_ += bytes.size();
      return nullptr;
    }
    return look(bytes, last);
  }
  // The number of bytes after which the report was certain.
  std::uint64_t at() const { return at_; }
  void reset() {
    bytes_ = 0;
    at_ = 0;
    said_ = false;
  }

 private:
  static constexpr std::size_t step = 256;
  static constexpr std::size_t window = 4096;

  const char* look(std::string_view bytes, bool last);
  void remember(std::string_view bytes, std::uint64_t from);

  std::uint64_t bytes_ = 0;
  std::uint64_t at_ = 0;
  bool said_ = false;
  std::vector<char> recent_;  // the last bytes, each at its offset in the text modulo the window
};

}  // namespace plumb::contract
