#include "core/json/token_end.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "core/ascii.hpp"

namespace plumb::json {

const char* number_end(const char* p, const char* end) {
  constexpr std::ptrdiff_t size_max = 1000;
  const char* const from = p;
  auto digits = [&] {
    const char* first = p;
    while (p != end && ascii::is_digit(*p)) {
      ++p;
    }
    return p != first || p == end;
  };
  if (*p == '-') {
    ++p;
  }
  if (p != end && *p == '0') {
    ++p;
  } else if (!digits()) {
    return nullptr;
  }
  if (p != end && *p == '.') {
    ++p;
    if (!digits()) {
      return nullptr;
    }
  }
  return (p != end && (*p == 'e' || *p == 'E')) || p - from > size_max ? nullptr : p;
}

const char* literal_end(const char* p, const char* end) {
  const std::string_view word = *p == 't' ? "true" : *p == 'f' ? "false" : "null";
  const std::size_t size = std::min(word.size(), static_cast<std::size_t>(end - p));
  return std::memcmp(p, word.data(), size) == 0 ? p + size : nullptr;
}

int escape_size(const char* p, const char* end) {
  const auto size = static_cast<std::size_t>(end - p);
  if (size < 2) {
    return 0;
  }
  if (p[1] != 'u') {
    return std::string_view("\"\\/bfnrt").find(p[1]) == std::string_view::npos ? -1 : 2;
  }
  for (std::size_t i = 2; i < 6; ++i) {
    if (i >= size) {
      return 0;
    }
    if (!ascii::is_hex(p[i])) {
      return -1;
    }
  }
  const bool surrogate = (p[2] == 'd' || p[2] == 'D') && p[3] >= '8';
  if (!surrogate) {
    return 6;
  }
  if (p[3] != '8' && p[3] != '9' && (p[3] | 0x20) != 'a' && (p[3] | 0x20) != 'b') {
    return -1;
  }
  for (std::size_t i = 6; i < 12; ++i) {
    if (i >= size) {
      return 0;
    }
    const char c = p[i];
    const bool good = i == 6   ? c == '\\'
                      : i == 7 ? c == 'u'
                      : i == 8 ? (c | 0x20) == 'd'
                      : i == 9 ? (c | 0x20) >= 'c' && (c | 0x20) <= 'f'
                               : ascii::is_hex(c);
    if (!good) {
      return -1;
    }
  }
  return 12;
}

}  // namespace plumb::json
