// A walk over the tree writes one text: of a set the most readable character, of a repeat as many as a budget allows.
// What the walk cannot see (look-ahead, word boundaries, the surroundings) the matcher tells, and another text is
// tried.
#include "core/sample/pattern_text.hpp"

#include <algorithm>
#include <vector>

#include "core/ascii.hpp"
#include "core/sample/words.hpp"
#include "core/text/pattern.hpp"
#include "core/text/pattern_parse.hpp"
#include "core/text/utf8.hpp"

namespace plumb::sample {

namespace {

using text::pattern::Kind;
using text::pattern::no_node;
using text::pattern::Node;
using text::pattern::Ranges;
using text::pattern::Tree;
using text::pattern::unbounded;

constexpr std::size_t tries_max = 48;

class Walk {
 public:
  Walk(const Tree& tree, Random& random, std::uint64_t generosity, std::uint64_t points_max)
      : tree_(tree), random_(random), generosity_(generosity), points_max_(points_max) {}

  std::string text() {
    node(tree_.root, 0);
    return std::move(out_);
  }
  bool begins() const { return begins_; }
  bool ends() const { return ends_; }

 private:
  static bool holds(const Ranges& ranges, char32_t c) {
    return std::any_of(ranges.begin(), ranges.end(), [c](const auto& r) { return r.first <= c && c <= r.last; });
  }

  bool all_lower(const Ranges& ranges) const { return holds(ranges, 'a') && holds(ranges, 'm') && holds(ranges, 'z'); }

  void set(const Ranges& ranges) {
    if (ranges.empty() || points_ >= points_max_) {
      return;
    }
    ++points_;
    if (all_lower(ranges)) {
      out_ += static_cast<char>('a' + random_.below(26));
      return;
    }
    for (const auto& [first, last] : {std::pair<char, char>('a', 'z'), {'A', 'Z'}, {'0', '9'}, {' ', '~'}}) {
      char candidates[96];
      std::size_t count = 0;
      for (char c = first; c <= last; ++c) {
        if (holds(ranges, static_cast<char32_t>(c))) {
          candidates[count++] = c;
        }
      }
      if (count > 0) {
        out_ += candidates[random_.below(count)];
        return;
      }
    }
    const auto& range = ranges[random_.below(ranges.size())];
    char32_t c = range.first + static_cast<char32_t>(random_.below(range.last - range.first + 1U));
    if (text::is_surrogate(c)) {
      c = range.first < 0xD800 ? range.first : range.last > 0xDFFF ? range.last : c;
    }
    if (!text::is_surrogate(c)) {
      text::append_utf8(out_, c);
    }
  }

  void node(std::uint32_t index, unsigned depth) {
    if (index == no_node || depth > text::Pattern::nesting_max * 4 || points_ > points_max_) {
      return;
    }
    const Node& n = tree_.nodes[index];
    switch (n.kind) {
      case Kind::empty:
        break;
      case Kind::look:
        if (!n.negative && !n.behind && random_.chance(1, 3)) {
          const std::string before = out_;
          node(n.child, depth + 1);
          if (random_.chance(1, 2)) {
            out_ = before;
          }
        }
        break;
      case Kind::assertion:
        if (n.assertion == text::pattern::Assertion::begin && out_.empty()) {
          begins_ = true;
        }
        if (n.assertion == text::pattern::Assertion::end) {
          ends_ = true;
        }
        break;
      case Kind::set:
        set(tree_.sets[n.set]);
        break;
      case Kind::concat:
        for (std::uint32_t child = n.child; child != no_node; child = tree_.nodes[child].next) {
          node(child, depth + 1);
        }
        break;
      case Kind::alternate: {
        std::size_t count = 0;
        for (std::uint32_t child = n.child; child != no_node; child = tree_.nodes[child].next) {
          ++count;
        }
        std::size_t chosen = random_.below(count);
        for (std::uint32_t child = n.child; child != no_node; child = tree_.nodes[child].next) {
          if (chosen-- == 0) {
            node(child, depth + 1);
            break;
          }
        }
        break;
      }
      case Kind::repeat:
        repeat(n, depth);
        break;
    }
  }

  void repeat(const Node& n, unsigned depth) {
    const Node& child = tree_.nodes[n.child];
    const std::uint64_t more = n.max == unbounded ? generosity_ : std::min<std::uint64_t>(generosity_, n.max - n.min);
    if (child.kind == Kind::set && all_lower(tree_.sets[child.set]) && n.min <= 8 && n.min + more >= 3 && more < 12) {
      std::string chosen = word(random_);
      if (chosen.size() > n.min + more) {
        chosen.resize(static_cast<std::size_t>(n.min + more));
      }
      if (chosen.size() >= n.min) {
        out_ += chosen;
        points_ += chosen.size();
        return;
      }
    }
    const std::uint64_t count = n.min + (more == 0 ? 0 : random_.below(static_cast<std::size_t>(more) + 1));
    for (std::uint64_t i = 0; i < count && points_ <= points_max_; ++i) {
      const std::size_t before = out_.size();
      node(n.child, depth + 1);
      if (out_.size() == before && i >= n.min) {
        break;
      }
    }
  }

  const Tree& tree_;
  Random& random_;
  std::uint64_t generosity_;
  std::uint64_t points_max_;
  std::uint64_t points_ = 0;
  std::string out_;
  bool begins_ = false;
  bool ends_ = false;
};

}  // namespace

std::optional<std::string> matching_text(std::string_view pattern, Random& random, TextBounds bounds) {
  const Result<Tree> tree = text::pattern::parse(pattern);
  Result<text::Pattern> compiled = text::Pattern::compile(pattern);
  if (!tree || !compiled) {
    return std::nullopt;
  }
  text::Matcher matcher(compiled.value());
  for (std::size_t i = 0; i < tries_max; ++i) {
    const std::uint64_t generosity = i < 8 ? i : bounds.code_points_min + random.below(i * 4);
    Walk walk(tree.value(), random, generosity, bounds.code_points_max);
    std::string out = walk.text();
    std::size_t points = text::code_points(out);
    if (points < bounds.code_points_min && !(walk.begins() && walk.ends())) {
      // The pattern is searched: text may come before or after what it matches.
      const std::uint64_t missing = bounds.code_points_min - points;
      std::string beside = missing < 2 ? "s" : sized(random, missing - 1, missing - 1);
      out = walk.ends() ? beside + (missing < 2 ? "" : " ") + out : out + (missing < 2 ? "" : " ") + beside;
      points = text::code_points(out);
    }
    if (points >= bounds.code_points_min && points <= bounds.code_points_max && text::is_utf8(out) &&
        matcher.search(out)) {
      return out;
    }
  }
  return std::nullopt;
}

std::optional<std::string> other_text(std::string_view pattern, std::string_view text, Random& random,
                                      std::size_t which) {
  Result<text::Pattern> compiled = text::Pattern::compile(pattern);
  if (!compiled) {
    return std::nullopt;
  }
  std::vector<std::string> tries;
  const std::string own(text);
  tries.push_back(own + "1");
  tries.push_back(own + "!");
  tries.push_back("?" + own);
  tries.push_back(word(random));
  tries.push_back(phrase(random, 2));
  if (!own.empty()) {
    std::string shorter = own;
    while (!shorter.empty() && text::is_continuation(shorter.back())) {
      shorter.pop_back();
    }
    if (!shorter.empty()) {
      shorter.pop_back();
    }
    tries.push_back(shorter);
    std::string swapped = own;
    for (char& c : swapped) {
      c = ascii::is_lower(c) ? ascii::upper(c) : ascii::lower(c);
    }
    tries.push_back(swapped);
    std::string masked = own;
    for (char& c : masked) {
      c = static_cast<unsigned char>(c) < 0x80 ? (ascii::is_digit(c) ? 'x' : '7') : c;
    }
    tries.push_back(masked);
    std::string marked = own;
    for (char& c : marked) {
      c = static_cast<unsigned char>(c) < 0x80 ? '?' : c;
    }
    tries.push_back(marked);
  }
  tries.emplace_back("7");
  tries.emplace_back("?");
  tries.push_back(sentence(random));
  tries.emplace_back("");
  tries.emplace_back(" ");
  tries.emplace_back("\n");
  text::Matcher matcher(compiled.value());
  for (const std::string& one : tries) {
    if (text::is_utf8(one) && !matcher.search(one)) {
      if (which == 0) {
        return one;
      }
      --which;
    }
  }
  return std::nullopt;
}

}  // namespace plumb::sample
