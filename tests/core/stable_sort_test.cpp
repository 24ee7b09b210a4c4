#include "core/stable_sort.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

// Numbers under `bound` without any order, the same on every machine.
std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t bound) {
  std::vector<std::uint32_t> all;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    all.push_back((state >> 8U) % bound);
  }
  return all;
}

}  // namespace

TEST_CASE("stable_sort: what std::stable_sort gives, for every size and for few and many equal items") {
  for (std::size_t count = 0; count <= 200; ++count) {
    for (const std::uint32_t bound : {1U, 2U, 7U, 1000U}) {
      std::vector<std::pair<std::uint32_t, std::size_t>> items;
      for (const std::uint32_t number : numbers(count, bound)) {
        items.emplace_back(number, items.size());
      }
      auto wanted = items;
      const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::stable_sort(wanted.begin(), wanted.end(), before);
      plumb::stable_sort(items, before);
      CHECK(items == wanted);
    }
  }
}

TEST_CASE("stable_sort: texts, which are moved and not copied, and a long list") {
  std::vector<std::string> texts;
  for (const std::uint32_t number : numbers(5000, 900)) {
    texts.push_back("a text that is longer than what a string holds in itself: " + std::to_string(number));
  }
  auto wanted = texts;
  std::stable_sort(wanted.begin(), wanted.end());
  plumb::stable_sort(texts);
  CHECK(texts == wanted);
  std::reverse(texts.begin(), texts.end());
  plumb::stable_sort(texts);
  CHECK(texts == wanted);
}

TEST_CASE("stable_sort: what is sorted already costs one comparison an item and a few for each run") {
  std::vector<std::uint32_t> items;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    items.push_back(i);
  }
  std::size_t compared = 0;
  plumb::stable_sort(items, [&compared](std::uint32_t a, std::uint32_t b) {
    ++compared;
    return a < b;
  });
  CHECK(std::is_sorted(items.begin(), items.end()));
  CHECK(compared < 2 * items.size());
}
