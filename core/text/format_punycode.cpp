// The algorithms of RFC 3492, sections 6.1 to 6.3. Sums stay below 2^32: they are held in 64 bits and checked.
#include "core/text/format_punycode.hpp"

#include <algorithm>
#include <cstdint>

#include "core/ascii.hpp"

namespace plumb::text {
namespace {

constexpr std::uint64_t base = 36;
constexpr std::uint64_t t_min = 1;
constexpr std::uint64_t t_max = 26;
constexpr std::uint64_t skew = 38;
constexpr std::uint64_t damp = 700;
constexpr std::uint64_t initial_bias = 72;
constexpr std::uint64_t initial_n = 128;
constexpr std::uint64_t last_code_point = 0x10FFFF;
constexpr std::uint64_t sum_max = 0xFFFFFFFF;

std::uint64_t adapt(std::uint64_t delta, std::uint64_t count, bool first) {
  delta = first ? delta / damp : delta / 2;
  delta += delta / count;
  std::uint64_t k = 0;
  while (delta > (base - t_min) * t_max / 2) {
    delta /= base - t_min;
    k += base;
  }
  return k + (base - t_min + 1) * delta / (delta + skew);
}

std::uint64_t threshold(std::uint64_t k, std::uint64_t bias) {
  return k <= bias ? t_min : k >= bias + t_max ? t_max : k - bias;
}

// `base` for a character that is no digit.
std::uint64_t digit_value(char c) {
  if (ascii::is_lower(c)) {
    return static_cast<std::uint64_t>(c - 'a');
  }
  if (ascii::is_upper(c)) {
    return static_cast<std::uint64_t>(c - 'A');
  }
  return ascii::is_digit(c) ? static_cast<std::uint64_t>(c - '0') + 26 : base;
}

char digit(std::uint64_t value) {
  return static_cast<char>(value < 26 ? value + static_cast<std::uint64_t>('a')
                                      : value - 26 + static_cast<std::uint64_t>('0'));
}

}  // namespace

bool punycode_decode(std::string_view text, std::vector<char32_t>& out) {
  out.clear();
  if (text.size() > punycode_size_max) {
    return false;
  }
  const std::size_t delimiter = text.rfind('-');
  std::size_t at = 0;
  if (delimiter != std::string_view::npos && delimiter > 0) {
    for (const char c : text.substr(0, delimiter)) {
      if (static_cast<unsigned char>(c) >= 0x80) {
        return false;
      }
      out.push_back(static_cast<char32_t>(c));
    }
    at = delimiter + 1;
  }
  std::uint64_t n = initial_n;
  std::uint64_t i = 0;
  std::uint64_t bias = initial_bias;
  while (at < text.size()) {
    const std::uint64_t old_i = i;
    std::uint64_t weight = 1;
    for (std::uint64_t k = base;; k += base) {
      if (at >= text.size()) {
        return false;
      }
      const std::uint64_t value = digit_value(text[at++]);
      if (value >= base) {
        return false;
      }
      i += value * weight;
      if (i > sum_max) {
        return false;
      }
      const std::uint64_t t = threshold(k, bias);
      if (value < t) {
        break;
      }
      weight *= base - t;
      if (weight > sum_max) {
        return false;
      }
    }
    const std::uint64_t count = out.size() + 1;
    bias = adapt(i - old_i, count, old_i == 0);
    n += i / count;
    i %= count;
    if (n > last_code_point) {
      return false;
    }
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), static_cast<char32_t>(n));
    ++i;
  }
  return true;
}

std::string punycode_encode(const std::vector<char32_t>& code_points) {
  if (code_points.size() > punycode_size_max) {
    return {};
  }
  std::string out;
  for (const char32_t c : code_points) {
    if (c < 0x80) {
      out.push_back(static_cast<char>(c));
    }
  }
  const std::uint64_t basic = out.size();
  std::uint64_t handled = basic;
  if (basic > 0) {
    out.push_back('-');
  }
  std::uint64_t n = initial_n;
  std::uint64_t delta = 0;
  std::uint64_t bias = initial_bias;
  while (handled < code_points.size()) {
    std::uint64_t next = last_code_point;
    for (const char32_t c : code_points) {
      if (c >= n) {
        next = std::min<std::uint64_t>(next, c);
      }
    }
    delta += (next - n) * (handled + 1);  // below 2^29: at most 255 code points, each below 2^21
    n = next;
    for (const char32_t c : code_points) {
      if (c < n) {
        ++delta;
      } else if (c == n) {
        std::uint64_t q = delta;
        for (std::uint64_t k = base;; k += base) {
          const std::uint64_t t = threshold(k, bias);
          if (q < t) {
            break;
          }
          out.push_back(digit(t + (q - t) % (base - t)));
          q = (q - t) / (base - t);
        }
        out.push_back(digit(q));
        bias = adapt(delta, handled + 1, handled == basic);
        delta = 0;
        ++handled;
      }
    }
    ++delta;
    ++n;
  }
  return out.size() <= punycode_size_max ? out : std::string();
}

}  // namespace plumb::text
