// token_features <TEXTS >COUNTS: what the estimate counts in each text, for tests/bench/tokens/fit.mjs. A text is its
// size in bytes in decimal, a line end, and its bytes; its counts are one line "feature:count ...". A first line says
// how many features there are.
#include <cstdio>
#include <map>
#include <string>

#include "core/text/token_features.hpp"

int main() {
  namespace features = plumb::text::features;
  std::printf("%u\n", static_cast<unsigned>(features::count));
  std::string text;
  unsigned long size = 0;
  while (std::scanf("%lu", &size) == 1 && std::getchar() == '\n') {
    text.resize(size);
    if (std::fread(text.data(), 1, size, stdin) != size) {
      return 1;
    }
    std::map<std::uint32_t, unsigned> counts;
    features::read_features(text, [&counts](std::uint32_t feature) { ++counts[feature]; });
    for (const auto& [feature, count] : counts) {
      std::printf("%u:%u ", feature, count);
    }
    std::putchar('\n');
  }
  return 0;
}
