// token_features <TEXTS >COUNTS: what the estimate counts in each text, for tests/bench/tokens/fit.mjs. A text is its
// size in bytes in decimal, a line end, and its bytes; its counts are one line "feature:count ...". A first line says
// how many features there are, a second what each is taken to cost, in tokens, until texts say otherwise, a third how
// firmly.
#include <cstdio>
#include <map>
#include <span>
#include <string>

#include "core/text/token_features.hpp"

namespace {

namespace features = plumb::text::features;

double expected_cost(std::uint32_t feature) {
  struct From {
    std::uint32_t first;
    double cost;
  };
  constexpr From costs[] = {
      {features::base, 0},           {features::word, 0.7},
      {features::word_more, 0.25},   {features::hump, 0.5},
      {features::marked_word, 0.7},  {features::marked_letter, 0.7},
      {features::pair, 0.15},        {features::digits, 1},
      {features::glue, 0},           {features::mark, 0.8},
      {features::mark_pair, 0.6},    {features::blanks, 1},
      {features::script_word, 0},    {features::script_letter, 1.5},
      {features::han, 1.3},          {features::cyrillic_pair, 0.2},
      {features::symbol, 1.5},       {features::blanks_more, 1},
      {features::encoded, 0.75},     {features::encoded_start, 0},
      {features::own_letter, 0},     {features::same_other, 1},
      {features::same_other + 1, 2}, {features::same_other + 2, 2},
      {features::lines, 1},
  };
  double cost = 0;
  for (const From& one : costs) {
    cost = feature >= one.first ? one.cost : cost;
  }
  // A token a byte.
  for (std::uint32_t bytes = 2; bytes <= 4; ++bytes) {
    cost = feature == features::script_letter + 5 * features::bytes_script + bytes - 2 ? bytes : cost;
  }
  return cost;
}

struct Counts {
  std::map<std::uint32_t, unsigned> of;

  void operator()(std::uint32_t feature) { ++of[feature]; }

  void letter_pairs(std::span<const std::uint32_t> pairs) {
    for (const std::uint32_t pair : pairs) {
      ++of[pair];
    }
  }
};

}  // namespace

int main() {
  std::printf("%u\n", static_cast<unsigned>(features::count));
  for (std::uint32_t feature = 0; feature < features::count; ++feature) {
    std::printf("%g ", expected_cost(feature));
  }
  std::putchar('\n');
  for (std::uint32_t feature = 0; feature < features::count; ++feature) {
    // The letters of scripts of which there are few texts.
    std::printf("%d ", feature >= features::own_letter && feature < features::same_other ? 3 : 1);
  }
  std::putchar('\n');
  std::string text;
  unsigned long size = 0;
  while (std::scanf("%lu", &size) == 1 && std::getchar() == '\n') {
    text.resize(size);
    if (std::fread(text.data(), 1, size, stdin) != size) {
      return 1;
    }
    Counts counts;
    features::read_features(text, counts);
    for (const auto& [feature, count] : counts.of) {
      std::printf("%u:%u ", feature, count);
    }
    std::putchar('\n');
  }
  return 0;
}
