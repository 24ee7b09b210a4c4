// The watch on degenerate streams: has a text become white space or digits without end, or one short piece again and
// again?
//
//   DegenerateWatch watch;
//   if (const char* what = watch.next(bytes)) { ... what at watch.at() ... }      // any pieces, split anywhere
//
// It looks every 256 bytes: at the last 1,024 for white space and digits, at the last 4,096 for what is repeated (a
// period of at most 256). It says so once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/json/copy_short.hpp"

namespace plumb::contract {

class DegenerateWatch {
 public:
  // What the text has become, in a few words; nullptr as long as it is fine, and once it has been said. `last`: nothing
  // will follow, and nothing need be remembered.
  const char* next(std::string_view bytes, bool last = false) {
    if (!said_ && !last && bytes_ / step == (bytes_ + bytes.size()) / step) {  // a short piece: nothing to look at yet
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
  // After how many bytes it was certain.
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
  std::vector<char> recent_;  // the last bytes, each at its place in the text modulo the window
};

}  // namespace plumb::contract
