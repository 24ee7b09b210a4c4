// Shares: divides a budget for documents by severity (seed 004, "Budget Allocation by Severity").
//
//   error 50 %, warning 35 %, info 15 % of the tokens that remain after all parents
//
// Parents (summary and requirements) are always included. If they alone exceed the budget, this is reported as
// `overrun`, and nothing is cut silently (004-9). Chunks of a source are taken whole, in the order of their index.
// Sources of one severity take turns, a chunk each. Tokens that a severity does not use, because it has no more chunks
// or the next one does not fit, pass to error, then warning, then info. The worked example of 004-9: 8,000 tokens in
// all and three parents of 500 leave 6,500: 3,250, 2,275, 975.
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
  Tokens left = 0;                          // after all severities have taken what fits
  std::vector<std::uint32_t> chunks_taken;  // for each source, from its first chunk on
};

// The sum of the shares must be at most the whole. Tokens that they leave over are passed on too.
Shares share_out(Tokens budget, std::span<const Source> sources,
                 const SeverityShares& shares = severity_shares_default);

}  // namespace plumb::budget
