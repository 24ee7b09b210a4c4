#include "core/text/format_address.hpp"

#include <cstddef>

#include "core/ascii.hpp"

namespace plumb::text {
bool is_ipv4(std::string_view text) {
  std::size_t at = 0;
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (at >= text.size() || text[at] != '.') {
        return false;
      }
      ++at;
    }
    const std::size_t from = at;
    int value = 0;
    while (at < text.size() && ascii::is_digit(text[at]) && at - from < 3) {
      value = value * 10 + (text[at] - '0');
      ++at;
    }
    const std::size_t digits = at - from;
    if (digits == 0 || value > 255 || (digits > 1 && text[from] == '0')) {
      return false;
    }
  }
  return at == text.size();
}

bool is_ipv6(std::string_view text) {
  constexpr std::size_t longest = 45;  // six groups of four digits and an IPv4 address
  if (text.size() > longest) {
    return false;
  }
  int groups = 0;
  bool elided = false;
  std::size_t at = 0;
  if (text.size() >= 2 && text[0] == ':' && text[1] == ':') {
    elided = true;
    at = 2;
    if (at == text.size()) {
      return true;
    }
  }
  for (;;) {
    const std::size_t from = at;
    while (at < text.size() && ascii::is_hex(text[at])) {
      ++at;
    }
    if (at < text.size() && text[at] == '.') {
      groups += 2;
      return is_ipv4(text.substr(from)) && (elided ? groups <= 7 : groups == 8);
    }
    if (at == from || at - from > 4) {
      return false;
    }
    ++groups;
    if (at == text.size()) {
      return elided ? groups <= 7 : groups == 8;
    }
    if (text[at] != ':') {
      return false;
    }
    ++at;
    if (at < text.size() && text[at] == ':') {
      if (elided) {
        return false;
      }
      elided = true;
      ++at;
      if (at == text.size()) {
        return groups <= 7;
      }
    } else if (at == text.size()) {
      return false;
    }
  }
}

}  // namespace plumb::text
