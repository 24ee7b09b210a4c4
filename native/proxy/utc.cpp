#include "native/proxy/utc.hpp"

#include <algorithm>
#include <charconv>

#include "core/run/stamp.hpp"

namespace plumb::proxy {

namespace {

// The number that `digits` characters of text from `at` are.
std::optional<unsigned> part(std::string_view text, std::size_t at, std::size_t digits) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return value;
}

bool is_leap(unsigned year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

std::optional<std::uint64_t> days_of(unsigned year, unsigned month, unsigned day) {
  constexpr std::array<unsigned, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1970 || year > 9999 || month < 1 || month > 12 || day < 1) {
    return std::nullopt;
  }
  const auto length = [&](unsigned m) { return lengths[m - 1] + (m == 2 && is_leap(year) ? 1U : 0U); };
  if (day > length(month)) {
    return std::nullopt;
  }
  std::uint64_t days = day - 1;
  for (unsigned y = 1970; y < year; ++y) {
    days += is_leap(y) ? 366 : 365;
  }
  for (unsigned m = 1; m < month; ++m) {
    days += length(m);
  }
  return days;
}

}  // namespace

std::optional<std::uint64_t> read_utc(std::string_view text) {
  const auto year = part(text, 0, 4);
  const auto month = part(text, 5, 2);
  const auto day = part(text, 8, 2);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-') {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> days = days_of(*year, *month, *day);
  if (!days || text.size() == 10) {
    return days ? std::optional(*days * day_ms) : std::nullopt;
  }
  const auto hour = part(text, 11, 2);
  const auto minute = part(text, 14, 2);
  const auto second = part(text, 17, 2);
  if (text.size() != 20 || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59 ||
      text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z') {
    return std::nullopt;
  }
  return *days * day_ms + ((*hour * 60ULL + *minute) * 60 + *second) * 1000;
}

std::optional<std::uint64_t> read_duration(std::string_view text) {
  constexpr std::uint64_t days_max = 36'500;
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end + 1 != text.data() + text.size() || value == 0) {
    return std::nullopt;
  }
  const std::uint64_t unit = *end == 'd' ? day_ms : *end == 'h' ? 3'600'000 : *end == 'm' ? 60'000 : 0;
  if (unit == 0 || value > days_max * (day_ms / unit)) {
    return std::nullopt;
  }
  return value * unit;
}

std::string utc_text_ms(std::uint64_t at_ms) {
  constexpr std::size_t seconds = 19;
  const std::array<char, 4> fraction = fraction_text(at_ms);
  std::string text(seconds + fraction.size() + 1, 'Z');
  run::iso_time(at_ms).copy(text.data(), seconds);
  std::copy(fraction.begin(), fraction.end(), text.begin() + seconds);
  return text;
}

std::array<char, 4> fraction_text(std::uint64_t thousandths) {
  const std::uint64_t rest = thousandths % 1'000;
  return {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
          static_cast<char>('0' + rest % 10)};
}

}  // namespace plumb::proxy
