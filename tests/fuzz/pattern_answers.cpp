// Answers about patterns, for a program that asks another engine the same: reads lines of two hexadecimal texts, pattern
// and text, and writes 1, 0, `refused` (a pattern that we do not run) or `invalid` (no regular expression) for each.
#include <iostream>
#include <string>

#include "core/text/pattern.hpp"

namespace {

bool from_hex(const std::string& hex, std::string& out) {
  out.clear();
  if (hex.size() % 2 != 0) {
    return false;
  }
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return true;
}

}  // namespace

int main() {
  std::string line;
  std::string source;
  std::string text;
  while (std::getline(std::cin, line)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos || !from_hex(line.substr(0, space), source) ||
        !from_hex(line.substr(space + 1), text)) {
      std::cerr << "not a line of two hexadecimal texts: " << line << "\n";
      return 2;
    }
    auto pattern = plumb::text::Pattern::compile(source);
    if (!pattern) {
      std::cout << (pattern.error().code == plumb::ErrorCode::limit ? "refused\n" : "invalid\n");
      continue;
    }
    plumb::text::Matcher matcher(pattern.value());
    std::cout << (matcher.search(text) ? "1\n" : "0\n");
  }
  return 0;
}
