// BoundedText: a text of which it is known beforehand how long it is at most. Each piece is then a copy, and does not
// ask for memory: for what is written with each call.
//
//   BoundedText out(32 + name.size());
//   out.add("name: ").add(name).add(", ").number(5);
//   std::string text = out.take();
//
// What does not fit is a broken assumption (core/require.hpp), never written.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "core/require.hpp"

namespace plumb {

class BoundedText {
 public:
  explicit BoundedText(std::size_t bytes_max) : text_(bytes_max, '\0') {}

  // Where the next `size` bytes are to be written.
  char* space(std::size_t size) {
    PLUMB_REQUIRE(size <= text_.size() - size_, "a bounded text has the bytes that it was made for");
    char* const at = text_.data() + size_;
    size_ += size;
    return at;
  }
  BoundedText& add(std::string_view piece) {
    std::memcpy(space(piece.size()), piece.data(), piece.size());
    return *this;
  }
  BoundedText& number(std::uint64_t value) {
    std::array<char, 20> digits;
    const std::to_chars_result end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return add({digits.data(), static_cast<std::size_t>(end.ptr - digits.data())});
  }
  std::string take() {
    text_.resize(size_);
    return std::move(text_);
  }

 private:
  std::string text_;
  std::size_t size_ = 0;
};

}  // namespace plumb
