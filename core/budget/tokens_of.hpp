// Token counts, in requests and answers of budgets.
//
// A count is at most tokens_max, so that sums and products within one request never overflow. Larger counts are
// refused when they are read (core/budget/request.hpp). Shares are whole hundredths of a percent: 15 % is 1500.
// Thresholds are compared without rounding.
#pragma once

#include <cstdint>

namespace plumb::budget {

using Tokens = std::uint64_t;
constexpr Tokens tokens_max = 1'000'000'000'000;

using Share = std::uint32_t;  // hundredths of a percent
constexpr Share share_whole = 10'000;
constexpr Share percent(std::uint32_t number) { return number * 100; }

// The part of `tokens` that is `share`, rounded down or up.
constexpr Tokens part_down(Tokens tokens, Share share) { return tokens * share / share_whole; }
constexpr Tokens part_up(Tokens tokens, Share share) { return (tokens * share + share_whole - 1) / share_whole; }

// The part of `tokens` that `used` is, in hundredths of a percent, rounded down. `tokens` must not be 0.
constexpr std::uint64_t share_of(Tokens used, Tokens tokens) { return used * share_whole / tokens; }

// Compare used / tokens with a share, exactly.
constexpr bool reaches(Tokens used, Tokens tokens, Share share) { return used * share_whole >= tokens * share; }
constexpr bool exceeds(Tokens used, Tokens tokens, Share share) { return used * share_whole > tokens * share; }

}  // namespace plumb::budget
