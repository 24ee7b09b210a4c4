// What a client allows its call to cost, from the header x-plumb-budget.
//
//   Result<SpendCap> cap = read_spend_cap("attempts=2, tokens=4000");   // either, or both
#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.hpp"

namespace plumb::proxy {

// 0: no bound of its own.
struct SpendCap {
  std::uint64_t attempts = 0;  // upstream calls, repairs and judgements included
  std::uint64_t tokens = 0;    // of all of them; none is begun that might exceed it
};

Result<SpendCap> read_spend_cap(std::string_view text);

}  // namespace plumb::proxy
