#include "native/proxy/limits.hpp"

#include <algorithm>
#include <limits>

namespace plumb::proxy {

namespace {

constexpr std::uint64_t tokens_counted_max = 1'000'000'000;
constexpr std::uint64_t limit_max = 1'000'000'000'000'000;  // a million dollars, in nano-dollars
constexpr unsigned nano_digits = 9;

std::uint64_t times(std::uint64_t tokens, std::uint64_t price) {
  const std::uint64_t counted = std::min(tokens, tokens_counted_max);
  return price != 0 && counted > std::numeric_limits<std::uint64_t>::max() / 4 / price
             ? std::numeric_limits<std::uint64_t>::max() / 4
             : counted * price;
}

}  // namespace

std::uint64_t cost_nano_usd(const Price& price, std::uint64_t input, std::uint64_t cached, std::uint64_t output) {
  const std::uint64_t from_cache = std::min(input, cached);
  const std::uint64_t sum = times(input - from_cache, price.input_micro_usd) +
                            times(from_cache, price.cached_micro_usd) + times(output, price.output_micro_usd);
  return sum / 1000 + (sum % 1000 == 0 ? 0 : 1);
}

bool Limits::any() const {
  return std::any_of(limit_fields.begin(), limit_fields.end(),
                     [this](const LimitField& field) { return this->*field.member != 0; });
}

const LimitField* limit_field(std::string_view name) {
  for (const LimitField& field : limit_fields) {
    if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

std::optional<std::uint64_t> read_decimal(std::string_view text, unsigned digits) {
  std::uint64_t value = 0;
  bool point = false;
  bool any = false;
  for (const char c : text) {
    if (c == '.' && !point && any) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || value > std::numeric_limits<std::uint64_t>::max() / 100) {
      return std::nullopt;
    }
    if (point && digits-- == 0) {
      return std::nullopt;
    }
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
    any = true;
  }
  if (!any || text.back() == '.') {
    return std::nullopt;
  }
  for (; digits > 0; --digits) {
    if (value > std::numeric_limits<std::uint64_t>::max() / 10) {
      return std::nullopt;
    }
    value *= 10;
  }
  return value;
}

std::optional<std::uint64_t> read_limit(const LimitField& field, std::string_view text) {
  const std::optional<std::uint64_t> value = read_decimal(text, field.money ? nano_digits : 0);
  return value && *value != 0 && *value <= limit_max ? value : std::nullopt;
}

std::string dollars_text(std::uint64_t nano_usd) {
  std::string text = std::to_string(nano_usd);
  if (text.size() <= nano_digits) {
    text.insert(0, nano_digits + 1 - text.size(), '0');
  }
  text.insert(text.size() - nano_digits, 1, '.');
  while (text.back() == '0') {
    text.pop_back();
  }
  if (text.back() == '.') {
    text.pop_back();
  }
  return text;
}

std::string limit_text(const LimitField& field, std::uint64_t value) {
  return field.money ? dollars_text(value) : std::to_string(value);
}

Limits limits_over(const Limits& own, const Limits& usual) {
  Limits out = usual;
  for (const LimitField& field : limit_fields) {
    if (own.*field.member != 0) {
      out.*field.member = own.*field.member;
    }
  }
  return out;
}

}  // namespace plumb::proxy
