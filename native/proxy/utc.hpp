// Times in UTC as people write them, without a clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::proxy {

inline constexpr std::uint64_t day_ms = 86'400'000;

// Reads "2026-12-31" (its first moment) or "2026-12-31T23:59:59Z" as milliseconds since 1970; nothing if it is
// neither.
std::optional<std::uint64_t> read_utc(std::string_view text);
// Reads "90d", "12h" or "30m" as milliseconds.
std::optional<std::uint64_t> read_duration(std::string_view text);
// "2026-12-31T23:59:59.123Z"
std::string utc_text_ms(std::uint64_t at_ms);
// ".045" for 12045: the part below whole units, with three digits.
std::array<char, 4> fraction_text(std::uint64_t thousandths);

}  // namespace plumb::proxy
