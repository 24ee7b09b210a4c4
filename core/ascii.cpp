#include "core/ascii.hpp"

#include <algorithm>

namespace plumb::ascii {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = lower(c);
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = upper(c);
  }
  return out;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return x == y || lower(x) == lower(y); });
}

bool ends_in_any_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && equal_in_any_case(text.substr(text.size() - end.size()), end);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2])) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string_view trim_front(std::string_view text, std::string_view set) {
  text.remove_prefix(std::min(text.find_first_not_of(set), text.size()));
  return text;
}

std::string_view trim_back(std::string_view text, std::string_view set) {
  return text.substr(0, text.find_last_not_of(set) + 1);
}

std::string_view trim(std::string_view text, std::string_view set) { return trim_back(trim_front(text, set), set); }

}  // namespace plumb::ascii
