#include "core/json/number_text.hpp"

#include <charconv>
#include <cstddef>
#include <limits>

namespace plumb::json {

void append_uint(std::string& out, std::uint64_t number) {
  constexpr std::size_t digits_max = 20;
  char digits[digits_max];
  const std::to_chars_result end = std::to_chars(digits, digits + digits_max, number);
  out.append(digits, end.ptr);
}

void append_int(std::string& out, std::int64_t number) {
  auto magnitude = static_cast<std::uint64_t>(number);
  if (number < 0) {
    out.push_back('-');
    magnitude = 0 - magnitude;  // well defined for the smallest number too
  }
  append_uint(out, magnitude);
}

std::string uint_text(std::uint64_t number) {
  std::string out;
  append_uint(out, number);
  return out;
}

bool read_uint(std::string_view text, std::uint64_t& number) {
  if (text.empty() || text.size() > 20 || (text[0] == '0' && text.size() > 1)) {
    return false;
  }
  constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      return false;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (max - digit) / 10) {
      return false;
    }
    value = value * 10 + digit;
  }
  number = value;
  return true;
}

}  // namespace plumb::json
