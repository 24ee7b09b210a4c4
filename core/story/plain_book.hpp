// A book as it is played: numbers in place of names, and what is held as bits of the codewords that something asks for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/story/book.hpp"

namespace plumb::story {

inline constexpr std::uint32_t none = ~std::uint32_t{0};

struct Mask {
  std::uint64_t need = 0, lack = 0;
  bool holds(std::uint64_t held) const { return (held & need) == need && (held & lack) == 0; }
};

struct PlainRoute {
  std::uint32_t to = none;
  std::vector<Mask> when;
  std::vector<std::vector<Mask>> unless;
  std::uint64_t add = 0, take = 0;
  bool unread = false;

  static bool any(const std::vector<Mask>& all, std::uint64_t held) {
    return std::any_of(all.begin(), all.end(), [held](const Mask& one) { return one.holds(held); });
  }
  bool open(std::uint64_t held) const {
    return (when.empty() || any(when, held)) &&
           std::none_of(unless.begin(), unless.end(), [held](const auto& one) { return any(one, held); });
  }
};

// The book with numbers in place of names, and only the codewords that something asks for.
struct PlainBook {
  std::vector<std::vector<std::vector<PlainRoute>>> ways;  // passage, way, route
  std::vector<std::uint64_t> add, take;                    // of each passage, on arrival
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  std::vector<std::string> words;
  std::map<std::string, std::size_t, std::less<>> word_numbers;
  std::vector<std::vector<bool>> forced;  // passage, way
  std::uint64_t begin = 0;
  std::uint32_t start = none;

  std::uint64_t bits(const Texts& texts) const {
    std::uint64_t out = 0;
    for (const std::string& one : texts) {
      const auto at = word_numbers.find(one);
      out |= at == word_numbers.end() ? 0 : std::uint64_t{1} << at->second;
    }
    return out;
  }
  std::vector<Mask> masks(const Condition& condition) const {
    std::vector<Mask> out;
    for (const Clause& one : condition) {
      out.push_back({bits(one.held), bits(one.lacking)});
    }
    return out;
  }
};

std::set<std::string> asked_words(const Book& book);
// `words`: at most 64.
PlainBook plain_of(const Book& book, const std::set<std::string>& words);

}  // namespace plumb::story
