// The other side of tests/core/pattern_oracle.mjs: reads lines "PATTERN TEXT TEXT ..." in hexadecimal from standard
// input and writes one line for each: 0 or 1 for each text, or "S MESSAGE" (no regular expression), "R MESSAGE"
// (refused).
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>

#include "core/text/pattern.hpp"

namespace {

std::string bytes_of(std::string_view hexadecimal) {
  const std::string_view digits = "0123456789abcdef";
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    bytes += static_cast<char>(digits.find(hexadecimal[i]) * 16 + digits.find(hexadecimal[i + 1]));
  }
  return bytes;
}

}  // namespace

int main() {
  using plumb::text::Matcher;
  using plumb::text::Pattern;
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::size_t first = line.find(' ');
    const plumb::Result<Pattern> pattern = Pattern::compile(bytes_of(std::string_view(line).substr(0, first)));
    if (!pattern) {
      std::cout << (pattern.error().code == plumb::ErrorCode::limit ? "R " : "S ") << pattern.error().message << '\n';
      continue;
    }
    Matcher matcher(pattern.value());
    for (std::size_t from = first; from < line.size();) {
      const std::size_t to = std::min(line.find(' ', from + 1), line.size());
      std::cout << (matcher.search(bytes_of(std::string_view(line).substr(from + 1, to - from - 1))) ? '1' : '0');
      from = to;
    }
    std::cout << '\n';
  }
}
