#include "core/text/format_pointer.hpp"

#include <cstddef>

#include "core/ascii.hpp"

namespace plumb::text {
namespace {

// Bytes of a number without leading zeros at the front; 0 when there is none.
std::size_t non_negative_integer(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && ascii::is_digit(text[size])) {
    ++size;
  }
  return size > 1 && text[0] == '0' ? 0 : size;
}

}  // namespace

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text[0] != '/') {
    return false;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '~' && (at + 1 >= text.size() || (text[at + 1] != '0' && text[at + 1] != '1'))) {
      return false;
    }
  }
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  const std::size_t levels = non_negative_integer(text);
  if (levels == 0) {
    return false;
  }
  text.remove_prefix(levels);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    text.remove_prefix(1);
    const std::size_t moved = non_negative_integer(text);
    if (moved == 0) {
      return false;
    }
    text.remove_prefix(moved);
  }
  return text == "#" || is_json_pointer(text);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) {
    return false;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool hyphen = at == 8 || at == 13 || at == 18 || at == 23;
    if (hyphen ? text[at] != '-' : !ascii::is_hex(text[at])) {
      return false;
    }
  }
  return true;
}

}  // namespace plumb::text
