// What the fuzz targets share: a way to say that a property is broken, and numbers that follow from the input alone.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::fuzz {

// Ends the run, so that libFuzzer keeps the input.
[[noreturn]] inline void property_broken(std::string_view what, std::string_view a = {}, std::string_view b = {}) {
  std::fprintf(stderr, "property broken: %.*s\n", static_cast<int>(what.size()), what.data());
  if (!a.empty() || !b.empty()) {
    std::fprintf(stderr, "--- one\n%.*s\n--- other\n%.*s\n", static_cast<int>(a.size()), a.data(),
                 static_cast<int>(b.size()), b.data());
  }
  std::abort();
}

inline void expect(bool holds, std::string_view what, std::string_view a = {}, std::string_view b = {}) {
  if (!holds) {
    property_broken(what, a, b);
  }
}

class Numbers {
 public:
  explicit Numbers(std::string_view seed) {
    for (const char c : seed) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
  }
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = (state_ ^ (state_ >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

// The text in pieces: `way` 0 is the whole, 1 byte by byte, more are pieces of random sizes, some of them empty.
inline std::vector<std::string_view> pieces_of(std::string_view text, unsigned way) {
  if (way == 0) {
    return {text};
  }
  Numbers numbers(text);
  for (unsigned i = 0; i < way; ++i) {
    numbers.next();
  }
  const std::size_t longest = way == 1 ? 1 : way == 2 ? 5 : 61;
  std::vector<std::string_view> pieces;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t size = way == 1 ? 1 : numbers.below(longest + 1);
    pieces.push_back(text.substr(from, size));
    from += size;
  }
  return pieces;
}
inline constexpr unsigned ways = 5;

// Each piece in memory of its own, so that a read beyond its end is seen.
class OwnPiece {
 public:
  explicit OwnPiece(std::string_view piece) : bytes_(piece.begin(), piece.end()) { bytes_.shrink_to_fit(); }
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

}  // namespace plumb::fuzz
