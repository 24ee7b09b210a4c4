#include "core/text/code_names.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::text {

namespace {

constexpr std::size_t names_max = 1'000;
constexpr std::string_view before = " \t\r\n`'\"([{<|,;=";
constexpr std::string_view ends = " \t\r\n`'\"()[]{}<>|,;=";

// "--purge", "-y", "/etc", "~/": what the text begins with at `at`.
bool begins(std::string_view rest) {
  if (rest.size() < 2) {
    return false;
  }
  switch (rest[0]) {
    case '-':
      return ascii::is_letter(rest[1]) || (rest[1] == '-' && rest.size() > 2 && ascii::is_letter(rest[2]));
    case '/':
      return ascii::is_letter(rest[1]) || rest[1] == '.';
    case '~':
      return rest[1] == '/';
    default:
      return false;
  }
}

}  // namespace

std::vector<TextSpan> code_names(std::string_view text) {
  std::vector<TextSpan> out;
  for (std::size_t at = 0; at < text.size() && out.size() < names_max; ++at) {
    const bool open = at == 0 || before.find(text[at - 1]) != std::string_view::npos;
    if (!open || !begins(text.substr(at))) {
      continue;
    }
    std::size_t end = std::min(text.find_first_of(ends, at), text.size());
    while (end > at && std::string_view(".:!?").find(text[end - 1]) != std::string_view::npos) {
      --end;
    }
    if (end > at + 1) {
      out.push_back({at, end});
      at = end - 1;
    }
  }
  return out;
}

}  // namespace plumb::text
