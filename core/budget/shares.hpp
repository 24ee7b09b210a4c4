// How a budget for documents is shared out by severity (seed 004, "Budget Allocation by Severity").
//
//   error 50 %, warning 35 %, info 15 % of what is left when every parent is in
//
// A parent (summary and requirements) is always included; when parents alone exceed the budget, that is reported as
// `overrun` and nothing is cut silently (004-9). Chunks of one source are taken in the order of their index, whole,
// from the first on; sources of one severity take turns, a chunk each. What a severity does not use, for want of chunks
// or because the next does not fit, is handed on: to error, then warning, then info (004-9, worked example: 8,000 in
// all, three parents of 500, 6,500 left: 3,250, 2,275, 975).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/tokens_of.hpp"

namespace plumb::budget {

enum class Severity : std::uint8_t { error, warning, info };
constexpr std::string_view severity_names[] = {"error", "warning", "info"};
constexpr std::string_view severity_name(Severity severity) {
  return severity_names[static_cast<std::uint8_t>(severity)];
}

struct Source {
  Severity severity = Severity::info;
  Tokens parent = 0;           // summary and requirements
  std::vector<Tokens> chunks;  // in the order of chunk_index
};

using SeverityShares = std::array<Share, 3>;
constexpr SeverityShares severity_shares_default = {percent(50), percent(35), percent(15)};

struct Shares {
  bool too_large = false;
  Tokens overrun = 0;  // of the parents
  Tokens parents = 0;
  Tokens remaining = 0;              // for chunks
  std::array<Tokens, 3> share = {};  // each rounded down
  std::array<Tokens, 3> used = {};
  Tokens left = 0;                          // when all have taken what they can
  std::vector<std::uint32_t> chunks_taken;  // of each source, from its first on
};

// The shares sum up to at most the whole; what they leave is handed on too.
Shares share_out(Tokens budget, std::span<const Source> sources,
                 const SeverityShares& shares = severity_shares_default);

}  // namespace plumb::budget
