// Limits of a client key, a model or all calls together, and the price of tokens.
//
// Money is in whole nano-dollars, prices in whole micro-dollars per million tokens, so no sum depends on rounding.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::proxy {

struct Price {
  bool known = false;
  std::uint64_t input_micro_usd = 0;  // per million tokens
  std::uint64_t output_micro_usd = 0;
  std::uint64_t cached_micro_usd = 0;  // for input from the provider's cache
};

// The cost; `cached` tokens are part of `input`. Rounded up.
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

// A limit, with its name in plumb.yaml, the key file and --limit.
struct LimitField {
  std::string_view name;
  std::uint64_t Limits::*member;
  bool money;  // written as dollars, "1.50"
  std::string_view help;
};
inline constexpr std::array<LimitField, 7> limit_fields = {{
    {"requests_per_minute", &Limits::requests_per_minute, false, "requests in any 60 seconds"},
    {"requests_per_day", &Limits::requests_per_day, false, "requests in a day (UTC)"},
    {"tokens_per_minute", &Limits::tokens_per_minute, false, "input and output tokens in any 60 seconds"},
    {"tokens_per_day", &Limits::tokens_per_day, false, "input and output tokens in a day (UTC)"},
    {"usd_per_minute", &Limits::nano_usd_per_minute, true, "cost in any 60 seconds"},
    {"usd_per_day", &Limits::nano_usd_per_day, true, "cost in a day (UTC)"},
    {"calls_at_once", &Limits::calls_at_once, false, "calls in progress"},
}};
const LimitField* limit_field(std::string_view name);

// The number in a field; nothing if the text is not a number, or is 0 or too large.
std::optional<std::uint64_t> read_limit(const LimitField& field, std::string_view text);
std::string limit_text(const LimitField& field, std::uint64_t value);

// "2.50" in units of 10^-digits; nothing if it is not such a number, or has more digits.
std::optional<std::uint64_t> read_decimal(std::string_view text, unsigned digits);
// 2500000000 nano-dollars: "2.5".
std::string dollars_text(std::uint64_t nano_usd);

// Limits set in `own` override those in `usual`.
Limits limits_over(const Limits& own, const Limits& usual);

}  // namespace plumb::proxy
