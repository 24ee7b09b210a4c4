// Limits of a client key, a model or all calls together, and what tokens cost.
//
// Money is whole nano-dollars, prices whole micro-dollars for a million tokens: no sum depends on rounding.
#pragma once

#include <cstdint>

namespace plumb::proxy {

struct Price {
  bool known = false;
  std::uint64_t input_micro_usd = 0;  // for a million tokens
  std::uint64_t output_micro_usd = 0;
  std::uint64_t cached_micro_usd = 0;  // of input that came from the provider's cache
};

// Of `cached` tokens among the input as the price says; rounded up.
std::uint64_t cost_nano_usd(const Price& price, std::uint64_t input, std::uint64_t cached, std::uint64_t output);

// 0: no limit.
struct Limits {
  std::uint64_t requests_per_minute = 0;
  std::uint64_t requests_per_day = 0;
  std::uint64_t tokens_per_minute = 0;
  std::uint64_t tokens_per_day = 0;
  std::uint64_t nano_usd_per_minute = 0;
  std::uint64_t nano_usd_per_day = 0;
  std::uint64_t calls_at_once = 0;
  bool any() const;
  bool operator==(const Limits&) const = default;
};

}  // namespace plumb::proxy
