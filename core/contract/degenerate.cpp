#include "core/contract/degenerate.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "core/json/scan_simd.hpp"

namespace plumb::contract {

namespace {

constexpr std::size_t window = 4096;
constexpr std::size_t plain_window = 1024;
constexpr std::size_t period_max = 256;

std::uint64_t load8(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class Test>
bool all(std::string_view tail, Test test) {
  if (tail.size() < plain_window || !test(tail.back())) {
    return false;
  }
  for (std::size_t i = tail.size() - plain_window; i < tail.size(); ++i) {
    if (!test(tail[i])) {
      return false;
    }
  }
  return true;
}

// Does the window repeat with a short period? The distance to an earlier copy of its last bytes is the candidate.
bool repeats(std::string_view tail) {
  const char* end = tail.data() + window;
  const std::uint64_t mark = load8(end - 8);
  for (std::size_t period = 1; period <= period_max; ++period) {
    if (load8(end - 8 - period) == mark && tail.substr(period) == tail.substr(0, window - period)) {
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
  std::string joined;
  for (std::uint64_t at = (start / step + 1) * step; at <= end; at += step) {
    // The last `window` bytes before `at`: from this piece, or from it and the ones before.
    std::string_view tail;
    const auto in_piece = static_cast<std::size_t>(at - start);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(at, window));
    const char final = bytes[in_piece - 1];
    if (at % window != 0 && !json::is_space(final) && !is_digit(final)) {
      continue;
    }
    if (in_piece >= wanted) {
      tail = bytes.substr(in_piece - wanted, wanted);
    } else {
      const std::size_t from_before = std::min(wanted - in_piece, recent_size_);
      joined.assign(recent_.data() + recent_size_ - from_before, from_before);
      joined.append(bytes.substr(0, in_piece));
      tail = joined;
    }
    const char* what = nullptr;
    if (all(tail, [](char c) { return json::is_space(c); })) {
      what = "white space without end";
    } else if (all(tail, is_digit)) {
      what = "digits without end";
    } else if (at % window == 0 && tail.size() == window && repeats(tail)) {
      what = "the same text again and again";
    }
    if (what != nullptr) {
      said_ = true;
      at_ = at;
      return what;
    }
  }
  if (!last) {
    remember(bytes);
  }
  return nullptr;
}

void DegenerateWatch::remember(std::string_view bytes) {
  bytes = bytes.substr(bytes.size() - std::min(bytes.size(), window));
  if (recent_size_ + bytes.size() > recent_.size()) {
    const std::size_t kept = std::min(recent_size_, window);
    if (kept + bytes.size() > recent_.size()) {
      recent_.resize(std::min(2 * window, std::max<std::size_t>(2 * (kept + bytes.size()), 512)));
    }
    std::copy(recent_.begin() + static_cast<std::ptrdiff_t>(recent_size_ - kept),
              recent_.begin() + static_cast<std::ptrdiff_t>(recent_size_), recent_.begin());
    recent_size_ = kept;
  }
  std::copy(bytes.begin(), bytes.end(), recent_.begin() + static_cast<std::ptrdiff_t>(recent_size_));
  recent_size_ += bytes.size();
}

}  // namespace plumb::contract
