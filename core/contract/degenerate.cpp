#include "core/contract/degenerate.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/ascii.hpp"
#include "core/json/scan_simd.hpp"

namespace plumb::contract {

namespace {

constexpr std::size_t plain_window = 1024;
constexpr std::size_t period_max = 256;

std::uint64_t load8(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

template <class Test>
bool all(std::string_view text, Test test) {
  return std::all_of(text.rbegin(), text.rend(), test);  // from the end: a run that has ended has usually just ended
}

// True if the window repeats with a short period. The candidate is the distance to an earlier copy of its last bytes.
bool repeats(std::string_view tail) {
  const char* const end = tail.data() + tail.size();
  const std::uint64_t mark = load8(end - 8);
  for (std::size_t period = 1; period <= period_max; ++period) {
    if (load8(end - 8 - period) == mark && tail.substr(period) == tail.substr(0, tail.size() - period)) {
      return true;
    }
  }
  return false;
}

}  // namespace

const char* DegenerateWatch::look(std::string_view bytes, bool last) {
  if (said_) {
    return nullptr;
  }
  const std::uint64_t start = bytes_;
  const std::uint64_t end = bytes_ + bytes.size();
  bytes_ = end;
  std::size_t remembered = 0;  // number of bytes of this piece
  for (std::uint64_t at = (start / step + 1) * step; at <= end; at += step) {
    const auto in_piece = static_cast<std::size_t>(at - start);
    const char final = bytes[in_piece - 1];
    const bool space = ascii::is_space(final);
    const bool digit = ascii::is_digit(final);
    const bool plain = at >= plain_window && (space || digit);
    const bool full = at % window == 0;
    if (!plain && !full) {
      continue;
    }
    // The bytes before `at`: from this piece alone, or from it and those before it.
    const std::size_t wanted = full ? window : plain_window;
    std::string_view early;
    std::string_view late;
    if (in_piece >= wanted) {
      late = bytes.substr(in_piece - wanted, wanted);
    } else {
      remember(bytes.substr(remembered, in_piece - remembered), start + remembered);
      remembered = in_piece;
      const auto stop = static_cast<std::size_t>((at - 1) % window) + 1;
      const std::size_t size = std::min(stop, wanted);
      late = {recent_.data() + stop - size, size};
      if (size < wanted) {
        early = {recent_.data() + window - (wanted - size), wanted - size};
      }
    }
    const auto all_are = [&](auto test) {
      const std::size_t size = std::min(late.size(), plain_window);
      return all(late.substr(late.size() - size), test) && (size == plain_window || all(early, test));
    };
    const char* what = nullptr;
    if (plain && space && all_are(ascii::is_space<char>)) {
      what = "white space without end";
    } else if (plain && digit && all_are(ascii::is_digit<char>)) {
      what = "digits without end";
    } else if (full && repeats(late)) {
      what = "the same text again and again";
    }
    if (what != nullptr) {
      said_ = true;
      at_ = at;
      return what;
    }
  }
  if (!last) {
    remember(bytes.substr(remembered), start + remembered);
  }
  return nullptr;
}

// Remembers bytes that begin at `from` in the text.
void DegenerateWatch::remember(std::string_view bytes, std::uint64_t from) {
  if (bytes.size() > window) {
    from += bytes.size() - window;
    bytes = bytes.substr(bytes.size() - window);
  }
  const auto at = static_cast<std::size_t>(from % window);
  const std::size_t first = std::min(bytes.size(), window - at);
  // Most texts are short. A text that has filled the window, or may soon, gets room for all of it.
  const std::size_t room = from + bytes.size() >= window ? window : at + first;
  if (recent_.size() < room) {
    recent_.resize(std::min(window, std::max<std::size_t>(2 * room, 512)));
  }
  std::copy_n(bytes.begin(), first, recent_.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end(), recent_.begin());
}

}  // namespace plumb::contract
