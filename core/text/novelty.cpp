// Scores are whole numbers, so that every build gives the same. Words are compared by a hash of 64 bits: two words with
// one hash would only make two texts a little more alike.
#include "core/text/novelty.hpp"

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/stable_sort.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/sentences.hpp"
#include "core/text/suggest.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

constexpr std::size_t words_max = 20000;
constexpr std::size_t characters_max = 100000;
constexpr std::uint32_t score_of_new_scope = 600;
constexpr std::size_t short_words_max = 24;
constexpr std::uint32_t score_of_new_order = 950;

// Words of a firm's legal form and of politeness: sorted.
constexpr std::string_view without_weight_list[] = {
    "ag",  "co",      "company", "corp", "corporation", "exact",  "exactly", "gmbh",
    "inc", "limited", "llc",     "ltd",  "plc",         "please", "sa",      "se",
};

constexpr WordList without_weight(without_weight_list);

// FNV-1a.
std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : word) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  return hash;
}

void sort_once(std::vector<std::uint64_t>& values) {
  stable_sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::size_t count_common(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t common = 0;
  std::size_t j = 0;
  for (const std::uint64_t value : a) {
    while (j < b.size() && b[j] < value) {
      ++j;
    }
    common += j < b.size() && b[j] == value ? 1 : 0;
  }
  return common;
}

// Whether all of `a` are in `b`.
bool all_in(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  return count_common(a, b) == a.size();
}

Earlier::Sketch sketch_of(std::string_view text) {
  const Words words(text, words_max);
  std::vector<char> first(words.size(), 0);  // begins a sentence
  std::size_t word = 0;
  const std::string_view seen = words.size() == 0 ? text.substr(0, 0) : text.substr(0, words.span(words.size() - 1).to);
  for (const TextSpan sentence : sentences(seen)) {
    while (word < words.size() && words.span(word).from < sentence.from) {
      ++word;
    }
    if (word < words.size()) {
      first[word] = 1;
    }
  }

  Earlier::Sketch sketch;
  bool small = false;  // a content word without a capital that could have one
  for (const bool with_function_words : {false, true}) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view folded = words.folded(i);
      const std::string_view stem = without_ending(folded);
      if (!with_function_words &&
          (is_function_word(folded) || (first[i] != 0 && is_request_word(folded)) || without_weight.contains(folded))) {
        continue;
      }
      const std::uint64_t hash = hash_of(stem);
      sketch.words.append(stem);
      sketch.words.push_back(' ');
      sketch.content.push_back(hash);
      const char c = folded.empty() ? ' ' : folded[0];
      bool digit = false;
      for (const char d : folded) {
        digit = digit || ascii::is_digit(d);
      }
      const std::string_view written = words.written(i);
      const Decoded head = decode(written.data(), written.data() + written.size());
      if (digit) {
        sketch.numbers.push_back(hash);
      } else if (is_upper_case(head.code_point) && first[i] == 0) {
        sketch.names.push_back(hash);
      }
      small = small || (!digit && c != ' ' && is_lower_case(head.code_point));
    }
    if (!sketch.words.empty()) {
      break;  // a text of nothing but function words is compared by them
    }
  }
  if (!small) {
    sketch.names.clear();
  }
  sort_once(sketch.content);
  sort_once(sketch.numbers);
  sort_once(sketch.names);

  // Threes of the content words, which are joined by single spaces.
  std::uint64_t three = ' ';
  std::size_t count = 0;
  for (std::size_t at = 0; at < sketch.words.size() && count < characters_max; ++count) {
    const Decoded c = decode(sketch.words.data() + at, sketch.words.data() + sketch.words.size());
    three = ((three << 21U) | c.code_point) & 0x7FFFFFFFFFFFFFFFU;
    if (count > 0) {
      sketch.threes.push_back(three);
    }
    at += c.size;
  }
  sort_once(sketch.threes);
  return sketch;
}

std::vector<std::string_view> split(std::string_view words) {
  std::vector<std::string_view> out;
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    out.push_back(words.substr(0, space));
    words.remove_prefix(space + 1);
  }
  return out;
}

// Takes out of `words` what `others` has too, or has with a typing error.
void remove_common(std::vector<std::string_view>& words, const std::vector<std::string_view>& others) {
  const auto is_there = [&others](std::string_view word) {
    const std::uint32_t errors_max = word.size() < 5 ? 0 : word.size() < 8 ? 1 : 2;
    return std::any_of(others.begin(), others.end(), [&](std::string_view other) {
      return other == word || (errors_max > 0 && edit_distance(word, other, errors_max) <= errors_max);
    });
  };
  words.erase(std::remove_if(words.begin(), words.end(), is_there), words.end());
}

// Whether each of two short texts has a content word that the other has not.
bool has_replaced_word(const Earlier::Sketch& a, const Earlier::Sketch& b) {
  if (a.content.size() > short_words_max || b.content.size() > short_words_max) {
    return false;
  }
  const std::vector<std::string_view> words_of_a = split(a.words);
  const std::vector<std::string_view> words_of_b = split(b.words);
  std::vector<std::string_view> only_a = words_of_a;
  std::vector<std::string_view> only_b = words_of_b;
  remove_common(only_a, words_of_b);
  remove_common(only_b, words_of_a);
  return !only_a.empty() && !only_b.empty();
}

struct Likeness {
  std::uint32_t score = 0;
  bool same = false;
};

Likeness compare(const Earlier::Sketch& text, const Earlier::Sketch& earlier) {
  if (text.words.empty() || earlier.words.empty()) {
    return {};
  }
  if (text.words == earlier.words) {
    return {1000, true};
  }
  const std::size_t common = count_common(text.content, earlier.content);
  const std::size_t either = text.content.size() + earlier.content.size() - common;
  const std::size_t threes = count_common(text.threes, earlier.threes);
  const std::size_t sum = text.threes.size() + earlier.threes.size();
  const std::size_t of_words = common * 1000 / either;
  const std::size_t of_threes = sum == 0 ? of_words : threes * 2000 / sum;
  auto score = static_cast<std::uint32_t>((of_words + of_threes) / 2);
  if (common == either) {
    score = std::min(score, score_of_new_order);
  }
  if (score > score_of_new_scope && has_replaced_word(text, earlier)) {
    score = score_of_new_scope;
  }
  if (!all_in(text.numbers, earlier.content) || !all_in(text.names, earlier.content)) {
    score = std::min(score, score_of_new_scope);
  }
  return {score, false};
}

NoveltyResult verdict_of(const Likeness& likeness, std::size_t index) {
  NoveltyResult result;
  result.nearest = index;
  result.score = likeness.score;
  if (likeness.same || likeness.score >= duplicate_score) {
    result.novelty = Novelty::duplicate;
  } else if (likeness.score >= near_duplicate_score) {
    result.novelty = Novelty::near_duplicate;
  }
  return result;
}

}  // namespace

std::string_view novelty_name(Novelty novelty) {
  switch (novelty) {
    case Novelty::fresh:
      return "new";
    case Novelty::near_duplicate:
      return "near_duplicate";
    case Novelty::duplicate:
      break;
  }
  return "duplicate";
}

void Earlier::add(std::string_view text) {
  const auto number = static_cast<std::uint32_t>(sketches_.size());
  sketches_.push_back(sketch_of(text));
  for (const std::uint64_t word : sketches_.back().content) {
    fresh_.push_back({word, number});
  }
  constexpr std::size_t fresh_min = 64;
  if (fresh_.size() > fresh_min + sorted_.size() / 2) {
    sorted_.insert(sorted_.end(), fresh_.begin(), fresh_.end());
    fresh_.clear();
    stable_sort(sorted_, [](const Posting& a, const Posting& b) { return a.word < b.word; });
  }
}

void Earlier::count_shared(const std::vector<std::uint64_t>& content, std::vector<std::uint32_t>& shared) const {
  shared.assign(sketches_.size(), 0);
  for (const std::uint64_t word : content) {
    auto it = std::lower_bound(sorted_.begin(), sorted_.end(), word,
                               [](const Posting& posting, std::uint64_t value) { return posting.word < value; });
    for (; it != sorted_.end() && it->word == word; ++it) {
      ++shared[it->text];
    }
  }
  for (const Posting& posting : fresh_) {
    if (std::binary_search(content.begin(), content.end(), posting.word)) {
      ++shared[posting.text];
    }
  }
}

NoveltyResult Earlier::judge(std::string_view text) const {
  const std::vector<NoveltyResult> first = nearest(text, 1);
  return first.empty() ? NoveltyResult() : first.front();
}

std::vector<NoveltyResult> Earlier::nearest(std::string_view text, std::size_t count_max) const {
  const Sketch sketch = sketch_of(text);
  std::vector<std::uint32_t> shared;
  count_shared(sketch.content, shared);
  std::vector<NoveltyResult> best;  // by falling score, equals by index
  const auto consider = [&](std::size_t i) {
    best.push_back(verdict_of(compare(sketch, sketches_[i]), i));
    for (std::size_t at = best.size() - 1; at > 0 && best[at].score > best[at - 1].score; --at) {
      std::swap(best[at], best[at - 1]);
    }
    if (best.size() > count_max) {
      best.pop_back();
    }
  };
  for (std::size_t i = 0; i < sketches_.size(); ++i) {
    if (shared[i] == 0) {
      continue;
    }
    // What the score can be at most, with every three of characters shared.
    const std::size_t either = sketch.content.size() + sketches_[i].content.size() - shared[i];
    const std::size_t most = (std::size_t{shared[i]} * 1000 / either + 1000) / 2;
    if (best.size() < count_max || most > best.back().score) {
      consider(i);
    }
  }
  for (std::size_t i = 0; i < sketches_.size() && best.size() < count_max; ++i) {
    if (shared[i] == 0) {
      consider(i);
    }
  }
  return best;
}

NoveltyResult judge_novelty(std::string_view text, std::span<const std::string_view> earlier) {
  Earlier all;
  for (const std::string_view one : earlier) {
    all.add(one);
  }
  return all.judge(text);
}

}  // namespace plumb::text
