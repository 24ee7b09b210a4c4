// Text from pieces: texts, characters and whole numbers, one after the other.
//
//   concat("run ", id, ": ", calls, " calls")        "run r1: 3 calls"
//   fixed(0.25, 1)                                   "0.2" (as printf's %.1f: to the nearest, a tie to the even digit)
//   general(0.0025)                                  "0.0025" (as %g: 6 digits at most)
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace plumb {

template <class Piece>
void append_piece(std::string& out, const Piece& piece) {
  if constexpr (std::is_same_v<Piece, char>) {
    out += piece;
  } else if constexpr (std::is_integral_v<Piece>) {
    static_assert(!std::is_same_v<Piece, bool>, "write the word that is meant");
    out += std::to_string(piece);
  } else {
    out += std::string_view(piece);
  }
}

template <class... Pieces>
[[nodiscard]] std::string concat(const Pieces&... pieces) {
  std::string out;
  (append_piece(out, pieces), ...);
  return out;
}

// `digits` (at most 17) after the point.
[[nodiscard]] inline std::string fixed(double value, int digits) {
  std::array<char, 400> text{};  // the largest double has 309 digits before its point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return std::string(text.data(), end.ptr);
}

[[nodiscard]] inline std::string general(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
  return std::string(text.data(), end.ptr);
}

}  // namespace plumb
