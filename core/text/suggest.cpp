// The distance is computed in a band of 2 * max + 1 cells around the diagonal: what lies outside is farther than max.
#include "core/text/suggest.hpp"

#include <algorithm>
#include <string>

#include "core/ascii.hpp"
#include "core/stable_sort.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t characters_max = 200;

// The characters of `text`, at most one more than are compared.
std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> out;
  std::size_t at = 0;
  while (at < text.size() && out.size() <= characters_max) {
    const Decoded next = decode(text.data() + at, text.data() + text.size());
    out.push_back(next.code_point);
    at += next.size;
  }
  return out;
}

std::uint32_t distance(const std::vector<char32_t>& a, const std::vector<char32_t>& b, std::uint32_t max) {
  const std::size_t longer = std::max(a.size(), b.size());
  const std::size_t shorter = std::min(a.size(), b.size());
  if (longer - shorter > max) {
    return max + 1;
  }
  const std::uint32_t far = max + 1;
  // Three rows of the matrix: [0] for i - 2, [1] for i - 1, [2] for i.
  std::vector<std::uint32_t> rows[3];
  for (std::vector<std::uint32_t>& row : rows) {
    row.assign(b.size() + 1, far);
  }
  for (std::size_t j = 0; j <= b.size(); ++j) {
    rows[2][j] = static_cast<std::uint32_t>(std::min<std::size_t>(j, far));
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    rows[0].swap(rows[1]);
    rows[1].swap(rows[2]);
    std::vector<std::uint32_t>& row = rows[2];
    const std::size_t from = i > max ? i - max : 1;
    const std::size_t to = std::min(b.size(), i + max);
    std::fill(row.begin(), row.end(), far);
    row[0] = static_cast<std::uint32_t>(std::min<std::size_t>(i, far));
    std::uint32_t least = row[0];
    for (std::size_t j = from; j <= to; ++j) {
      std::uint32_t cost = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      cost = std::min(cost, rows[1][j] + 1);
      cost = std::min(cost, row[j - 1] + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost = std::min(cost, rows[0][j - 2] + 1);
      }
      row[j] = std::min(cost, far);
      least = std::min(least, row[j]);
    }
    if (least > max) {
      return far;  // every way on costs at least that much
    }
  }
  return rows[2][b.size()];
}

std::uint32_t distance_max(std::size_t longer) {
  if (longer <= 2) {
    return 0;
  }
  return longer <= 4 ? 1 : longer <= 8 ? 2 : 3;
}

bool is_lower_or_digit(char c) { return ascii::is_lower(c) || ascii::is_digit(c); }

// The words of a name, sorted: cut at punctuation and white space of ASCII and where a lower-case letter or a digit is
// followed by an upper-case letter.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) {
      words.push_back(fold(word, Fold{false, true}));
      word.clear();
    }
  };
  char last = 0;
  for (const char c : name) {
    const bool separates = static_cast<unsigned char>(c) < 0x80 && !ascii::is_upper(c) && !is_lower_or_digit(c);
    if (separates || (ascii::is_upper(c) && is_lower_or_digit(last))) {
      finish();
    }
    if (!separates) {
      word.push_back(c);
    }
    last = c;
  }
  finish();
  stable_sort(words);
  return words;
}

// A word that is compared with many: what is needed of it is computed once.
class Wanted {
 public:
  explicit Wanted(std::string_view word) : word_(word) {
    const std::string_view start = word.substr(0, 4 * (characters_max + 1));
    folded_ = characters(fold(start, Fold{false, true}));
    words_ = words_of_name(start);
  }

  std::optional<std::uint32_t> rank_of(std::string_view candidate) const {
    if (candidate == word_) {
      return 0;
    }
    if (candidate.size() > 4 * characters_max || folded_.size() > characters_max) {
      return std::nullopt;
    }
    const std::vector<char32_t> other = characters(fold(candidate, Fold{false, true}));
    if (other.size() > characters_max || other.empty() || folded_.empty()) {
      return std::nullopt;
    }
    const std::uint32_t max = distance_max(std::max(folded_.size(), other.size()));
    const std::uint32_t apart = distance(folded_, other, max);
    if (apart == 0) {
      return 1;  // a difference of case
    }
    if (!words_.empty() && words_of_name(candidate) == words_) {
      return 1;
    }
    return apart <= max ? std::optional<std::uint32_t>(apart + 1) : std::nullopt;
  }

 private:
  std::string_view word_;
  std::vector<char32_t> folded_;
  std::vector<std::string> words_;
};

}  // namespace

std::uint32_t edit_distance(std::string_view a, std::string_view b, std::uint32_t max) {
  if (a == b) {
    return 0;
  }
  max = std::min<std::uint32_t>(max, characters_max);
  const std::vector<char32_t> left = characters(a);
  const std::vector<char32_t> right = characters(b);
  return left.size() > characters_max || right.size() > characters_max ? max + 1 : distance(left, right, max);
}

std::optional<std::uint32_t> near_miss(std::string_view word, std::string_view candidate) {
  return Wanted(word).rank_of(candidate);
}

std::optional<std::size_t> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  const Wanted wanted(word);
  std::optional<std::size_t> best;
  std::uint32_t best_rank = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::optional<std::uint32_t> rank = wanted.rank_of(candidates[i]);
    if (rank && (!best || *rank < best_rank)) {
      best = i;
      best_rank = *rank;
    }
  }
  return best;
}

std::vector<std::size_t> near_misses_first(std::string_view word, std::span<const std::string_view> allowed,
                                           std::size_t count_max) {
  const Wanted wanted(word);
  struct Near {
    std::uint32_t rank;
    std::size_t index;
  };
  std::vector<Near> near;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (const std::optional<std::uint32_t> rank = wanted.rank_of(allowed[i])) {
      near.push_back({*rank, i});
    } else if (others.size() < count_max) {
      others.push_back(i);
    }
  }
  stable_sort(near, [](const Near& a, const Near& b) { return a.rank < b.rank; });  // then by index, as given
  std::vector<std::size_t> out;
  for (const Near& one : near) {
    if (out.size() < count_max) {
      out.push_back(one.index);
    }
  }
  for (const std::size_t index : others) {
    if (out.size() < count_max) {
      out.push_back(index);
    }
  }
  return out;
}

}  // namespace plumb::text
