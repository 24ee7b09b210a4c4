// Thompson's construction, from the end of the pattern to its start: every part is made knowing what follows it, so
// that nothing is patched. In front is the loop of the search, which for a pattern that begins with ^ is dead after
// the first character and found so by the analysis below, like everything else that leads nowhere.
//
// Alive: an instruction at a place is alive when acceptance can be reached from it. What comes before the place
// (start, word character, other) and after it (end, word character, other) is part of the question, so that assertions
// are taken exactly: in `a\bb` nothing is alive. A set of states without its dead members is empty exactly when no
// continuation can match. It is one backward pass over the instructions, nine bits each.
#include "core/text/pattern_program.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/require.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text::pattern {

namespace {

constexpr std::size_t insts_max = 60000;
constexpr std::size_t refine_steps_max = std::size_t{1} << 24U;
constexpr std::size_t member_bits_max = std::size_t{1} << 25U;

Ranges word_characters() { return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; }

// The intervals that begin where one of the sets begins, or what follows it.
std::vector<char32_t> intervals_of(const std::vector<Ranges>& sets, bool word_matters) {
  Ranges borders = {{0, 0}};
  const auto add_borders = [&borders](const Ranges& ranges) {
    for (const CodePointRange& range : ranges) {
      borders.push_back({range.first, 0});
      if (range.last < code_point_last) {
        borders.push_back({range.last + 1, 0});
      }
    }
  };
  for (const Ranges& ranges : sets) {
    add_borders(ranges);
  }
  if (word_matters) {
    add_borders(word_characters());
  }
  sort_ranges(borders);
  std::vector<char32_t> starts;
  for (const CodePointRange& border : borders) {
    if (starts.empty() || starts.back() != border.first) {
      starts.push_back(border.first);
    }
  }
  return starts;
}

// Intervals in classes, split by one set after the other.
class Partition {
 public:
  // Half open.
  using Spans = std::vector<std::pair<std::size_t, std::size_t>>;

  explicit Partition(const std::vector<char32_t>& starts)
      : starts_(starts), class_of_(starts.size(), 0), class_size_{static_cast<std::uint32_t>(starts.size())} {}

  std::size_t classes() const { return class_size_.size(); }
  std::uint32_t class_of(std::size_t interval) const { return class_of_[interval]; }

  // The intervals of a set. Both are sorted: sets with many ranges are merged, others searched.
  Spans spans_of(const Ranges& ranges) const {
    Spans spans;
    spans.reserve(ranges.size() + 1);
    const bool merge = ranges.size() * 16 > starts_.size();
    std::size_t at = 0;
    const auto interval_of = [&](char32_t c) {
      if (merge) {
        while (at < starts_.size() && starts_[at] < c) {
          ++at;
        }
      } else {
        at = static_cast<std::size_t>(std::lower_bound(starts_.begin(), starts_.end(), c) - starts_.begin());
      }
      return at;
    };
    for (const CodePointRange& range : ranges) {
      const std::size_t from = interval_of(range.first);
      spans.emplace_back(from, interval_of(range.last + 1));
    }
    return spans;
  }

  // Splits the classes that a set holds a part of. False: it takes too many steps, or makes too many classes.
  bool refine(const Ranges& ranges, std::size_t classes_max) {
    const Spans spans = smaller_side(spans_of(ranges));
    touched_size_.resize(class_size_.size(), 0);
    split_to_.resize(class_size_.size(), no_node);
    touched_.clear();
    for (const auto& [from, to] : spans) {
      for (std::size_t i = from; i < to; ++i) {
        if (touched_size_[class_of_[i]]++ == 0) {
          touched_.push_back(class_of_[i]);
        }
      }
    }
    for (const std::uint32_t c : touched_) {
      if (touched_size_[c] < class_size_[c]) {
        split_to_[c] = static_cast<std::uint32_t>(class_size_.size());
        class_size_[c] -= touched_size_[c];
        class_size_.push_back(touched_size_[c]);
      }
    }
    for (const auto& [from, to] : spans) {
      for (std::size_t i = from; i < to; ++i) {
        if (split_to_[class_of_[i]] != no_node) {
          class_of_[i] = split_to_[class_of_[i]];
        }
      }
    }
    for (const std::uint32_t c : touched_) {
      touched_size_[c] = 0;
      split_to_[c] = no_node;
    }
    return steps_ <= refine_steps_max && class_size_.size() < classes_max;
  }

 private:
  // A set and its complement split alike, so the smaller one is walked.
  Spans smaller_side(Spans spans) {
    std::size_t covered = 0;
    for (const auto& [from, to] : spans) {
      covered += to - from;
    }
    if (covered > starts_.size() / 2) {
      Spans others;
      others.reserve(spans.size() + 1);
      std::size_t from = 0;
      for (const auto& [a, b] : spans) {
        others.emplace_back(from, a);
        from = b;
      }
      others.emplace_back(from, starts_.size());
      spans.swap(others);
      covered = starts_.size() - covered;
    }
    steps_ += covered + spans.size();
    return spans;
  }

  const std::vector<char32_t>& starts_;
  std::vector<std::uint32_t> class_of_;
  std::vector<std::uint32_t> class_size_;
  std::vector<std::uint32_t> touched_size_;
  std::vector<std::uint32_t> split_to_;
  std::vector<std::uint32_t> touched_;
  std::size_t steps_ = 0;
};

}  // namespace

// --- Character classes ---

std::uint32_t CharClasses::search(char32_t c) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), c);
  return classes_[static_cast<std::size_t>(after - starts_.begin()) - 1];
}

bool CharClasses::build(const std::vector<Ranges>& sets, bool word_matters) {
  starts_ = intervals_of(sets, word_matters);
  Partition partition(starts_);
  for (const Ranges& ranges : sets) {
    if (!partition.refine(ranges, mixed)) {
      return false;
    }
  }
  if (word_matters && !partition.refine(word_characters(), mixed)) {
    return false;
  }

  size_ = static_cast<std::uint32_t>(partition.classes());
  words_ = (size_ + 63U) / 64U;
  if (words_ * 64 * sets.size() > member_bits_max) {
    return false;
  }
  classes_.resize(starts_.size());
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    classes_[i] = static_cast<std::uint16_t>(partition.class_of(i));
  }
  members_.assign(words_ * sets.size(), 0);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const auto& [from, to] : partition.spans_of(sets[s])) {
      for (std::size_t i = from; i < to; ++i) {
        members_[s * words_ + classes_[i] / 64U] |= std::uint64_t{1} << (classes_[i] % 64U);
      }
    }
  }
  join_neighbours();
  index(word_matters);
  return true;
}

// Neighbours of one class are one interval from here on.
void CharClasses::join_neighbours() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    if (kept == 0 || classes_[kept - 1] != classes_[i]) {
      starts_[kept] = starts_[i];
      classes_[kept++] = classes_[i];
    }
  }
  starts_.resize(kept);
  classes_.resize(kept);
}

// What tells the class of most characters without a search.
void CharClasses::index(bool word_matters) {
  std::size_t at = 0;
  for (std::uint32_t c = 0; c < 128; ++c) {
    while (at + 1 < starts_.size() && starts_[at + 1] <= c) {
      ++at;
    }
    ascii_[c] = classes_[at];
  }
  word_.assign(size_, 0);
  if (word_matters) {
    for (const CodePointRange& range : word_characters()) {
      for (char32_t c = range.first; c <= range.last; ++c) {
        word_[ascii_[c]] = 1;
      }
    }
  }
  pages_.clear();
  if (starts_.back() >= 0x80) {  // else everything beyond ASCII is one class
    pages_.assign(0x10000 / 64, mixed);
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : std::size_t{0x10000};
      const std::size_t page_end = std::min<std::size_t>(end, 0x10000) / 64;
      for (std::size_t page = (starts_[i] + std::size_t{63}) / 64; page < page_end; ++page) {
        pages_[page] = classes_[i];
      }
    }
  }
}

bool assertion_holds(Assertion assertion, std::uint32_t before, std::uint32_t after) {
  switch (assertion) {
    case Assertion::begin:
      return before == before_begin;
    case Assertion::end:
      return after == after_end;
    case Assertion::word:
      return (before == before_word) != (after == after_word);
    case Assertion::not_word:
      return (before == before_word) == (after == after_word);
  }
  return false;
}

// --- Automata ---

namespace {

class Builder {
 public:
  Builder(const Tree& tree, std::uint32_t set_any) : tree_(tree), set_any_(set_any) {}

  // The automaton for the nodes `items` one after the other, with a ^ in front where `anchored`.
  bool build(const std::vector<std::uint32_t>& items, bool anchored, Component& out) {
    component_ = &out;
    const std::uint16_t accept = add({Op::accept, Assertion::begin, 0, 0, 0});
    std::uint16_t entry = accept;
    for (std::size_t i = items.size(); i-- != 0;) {
      entry = emit(items[i], entry);
    }
    if (anchored) {
      entry = add({Op::assertion, Assertion::begin, 0, entry, 0});
    }
    // The loop of the search: any character, then the choice again.
    const std::uint16_t choice = add({Op::split, Assertion::begin, 0, entry, 0});
    const std::uint16_t any = add({Op::set, Assertion::begin, static_cast<std::uint16_t>(set_any_), choice, 0});
    if (full_) {
      return false;
    }
    out.insts[choice].out2 = any;
    out.entry = choice;
    return true;
  }

 private:
  std::uint16_t add(const Inst& inst) {
    if (component_->insts.size() >= insts_max) {
      full_ = true;
      return 0;
    }
    component_->insts.push_back(inst);
    return static_cast<std::uint16_t>(component_->insts.size() - 1);
  }

  // The entry of what matches `id` and goes on at `next`.
  std::uint16_t emit(std::uint32_t id, std::uint16_t next) {
    const Node& node = tree_.nodes[id];
    if (full_) {
      return next;
    }
    switch (node.kind) {
      case Kind::empty:
        return next;
      case Kind::set:
        return add({Op::set, Assertion::begin, static_cast<std::uint16_t>(node.set), next, 0});
      case Kind::assertion:
        component_->word_matters =
            component_->word_matters || node.assertion == Assertion::word || node.assertion == Assertion::not_word;
        return add({Op::assertion, node.assertion, 0, next, 0});
      case Kind::concat: {
        std::vector<std::uint32_t> items;
        for (std::uint32_t item = node.child; item != no_node; item = tree_.nodes[item].next) {
          items.push_back(item);
        }
        for (std::size_t i = items.size(); i-- != 0;) {
          next = emit(items[i], next);
        }
        return next;
      }
      case Kind::alternate: {
        std::uint16_t entry = emit(node.child, next);
        for (std::uint32_t item = tree_.nodes[node.child].next; item != no_node; item = tree_.nodes[item].next) {
          const std::uint16_t other = emit(item, next);
          entry = add({Op::split, Assertion::begin, 0, entry, other});
        }
        return entry;
      }
      case Kind::repeat:
        return repeat(node, next);
      case Kind::look:
        break;
    }
    PLUMB_REQUIRE(false, "looks are taken out of the tree before it is emitted");
    return next;
  }

  std::uint16_t repeat(const Node& node, std::uint16_t next) {
    std::uint32_t copies = node.min;
    std::uint16_t entry = next;
    if (node.max == unbounded) {
      const std::uint16_t split = add({Op::split, Assertion::begin, 0, 0, next});
      const std::uint16_t body = emit(node.child, split);
      component_->insts[split].out = body;
      entry = split;
      if (copies > 0) {  // the last copy that must be there and the loop are one
        entry = body;
        --copies;
      }
    } else {
      for (std::uint32_t i = node.min; i < node.max && !full_; ++i) {
        const std::uint16_t body = emit(node.child, entry);
        entry = add({Op::split, Assertion::begin, 0, body, next});
      }
    }
    for (; copies > 0 && !full_; --copies) {
      entry = emit(node.child, entry);
    }
    return entry;
  }

  const Tree& tree_;
  std::uint32_t set_any_;
  Component* component_ = nullptr;
  bool full_ = false;
};

void analyze(const CharClasses& classes, std::size_t sets, Component& component) {
  // For each set, whether it has word characters (bit 1) and others (bit 2): the bits of `After`.
  std::vector<std::uint8_t> set_after(sets, 0);
  std::vector<std::uint8_t> set_known(sets, 0);
  const auto after_of = [&](std::uint32_t set) {
    if (set_known[set] == 0) {
      set_known[set] = 1;
      for (std::uint32_t c = 0; c < classes.size() && set_after[set] != 6; ++c) {
        if (classes.holds(set, c)) {
          set_after[set] |= static_cast<std::uint8_t>(
              1U << (component.word_matters && classes.is_word(c) ? after_word : after_other));
        }
      }
    }
    return set_after[set];
  };

  const std::vector<Inst>& insts = component.insts;
  const std::size_t size = insts.size();
  // Who leads to an instruction, as lists in one array.
  std::vector<std::uint32_t> first(size + 1, 0);
  const auto each_edge = [&](auto visit) {
    for (std::size_t i = 0; i < size; ++i) {
      if (insts[i].op != Op::accept) {
        visit(i, insts[i].out);
      }
      if (insts[i].op == Op::split) {
        visit(i, insts[i].out2);
      }
    }
  };
  each_edge([&](std::size_t, std::uint16_t to) { ++first[to + 1U]; });
  for (std::size_t i = 0; i < size; ++i) {
    first[i + 1] += first[i];
  }
  std::vector<std::uint16_t> sources(first[size]);
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  each_edge([&](std::size_t from, std::uint16_t to) { sources[fill[to]++] = static_cast<std::uint16_t>(from); });

  component.alive.assign(size, 0);
  std::vector<std::uint16_t> work;
  for (std::size_t i = 0; i < size; ++i) {
    if (insts[i].op == Op::accept) {
      component.alive[i] = 0x1FF;
      work.push_back(static_cast<std::uint16_t>(i));
    }
  }
  const auto value = [&](const Inst& inst) -> std::uint32_t {
    const std::uint32_t out = component.alive[inst.out];
    switch (inst.op) {
      case Op::accept:
        return 0x1FF;
      case Op::split:
        return out | component.alive[inst.out2];
      case Op::assertion: {
        std::uint32_t bits = 0;
        for (std::uint32_t before = 0; before < 3; ++before) {
          for (std::uint32_t after = 0; after < 3; ++after) {
            if (assertion_holds(inst.assertion, before, after)) {
              bits |= out & 1U << (before * 3 + after);
            }
          }
        }
        return bits;
      }
      case Op::set: {
        // The character after this place is before the next one: after_word turns into before_word.
        const std::uint32_t possible = after_of(inst.set);
        std::uint32_t bits = 0;
        for (std::uint32_t after = after_word; after <= after_other; ++after) {
          if ((possible >> after & 1U) != 0 && (out >> (after * 3) & 7U) != 0) {
            bits |= 1U << after;
          }
        }
        return bits | bits << 3U | bits << 6U;
      }
    }
    return 0;
  };
  while (!work.empty()) {
    const std::uint16_t changed = work.back();
    work.pop_back();
    for (std::uint32_t k = first[changed]; k < first[changed + 1U]; ++k) {
      const std::uint16_t i = sources[k];
      const std::uint32_t bits = component.alive[i] | value(insts[i]);
      if (bits != component.alive[i]) {
        component.alive[i] = static_cast<std::uint16_t>(bits);
        work.push_back(i);
      }
    }
  }
}

// The first look of the source that is not one of `allowed`, or no_node.
std::uint32_t find_look(const Tree& tree, std::uint32_t root, const std::vector<std::uint32_t>& allowed) {
  std::uint32_t found = no_node;
  std::vector<std::uint32_t> work = {root};
  while (!work.empty()) {
    const std::uint32_t id = work.back();
    work.pop_back();
    const Node& node = tree.nodes[id];
    if (node.kind == Kind::look && std::find(allowed.begin(), allowed.end(), id) == allowed.end() &&
        (found == no_node || node.offset < tree.nodes[found].offset)) {
      found = id;
    }
    for (std::uint32_t child = node.child; child != no_node; child = tree.nodes[child].next) {
      work.push_back(child);
    }
  }
  return found;
}

}  // namespace

Result<Program> build_program(const Tree& tree, std::string_view source) {
  // What comes first: ^ and look-aheads, in any order. They and the rest are separate automata that must all hold.
  constexpr std::size_t looks_max = 50;
  std::vector<std::uint32_t> items;
  if (tree.nodes[tree.root].kind == Kind::concat) {
    for (std::uint32_t item = tree.nodes[tree.root].child; item != no_node; item = tree.nodes[item].next) {
      items.push_back(item);
    }
  } else {
    items.push_back(tree.root);
  }
  std::size_t front = 0;
  bool anchored = false;
  std::vector<std::uint32_t> looks;
  for (; front < items.size(); ++front) {
    const Node& node = tree.nodes[items[front]];
    if (node.kind == Kind::look && !node.behind && looks.size() < looks_max) {
      looks.push_back(items[front]);
    } else if (node.kind == Kind::assertion && node.assertion == Assertion::begin) {
      anchored = true;
    } else {
      break;
    }
  }
  if (!anchored) {
    looks.clear();
    front = 0;
  }
  const std::uint32_t stray = find_look(tree, tree.root, looks);
  if (stray != no_node) {
    return error_at(ErrorCode::limit,
                    looks.size() == looks_max
                        ? "the pattern has more than 50 look-aheads"
                        : "look-ahead can only be run at the start of the pattern, beside a ^ as in ^(?=...)",
                    source, tree.nodes[stray].offset);
  }

  Program program;
  program.warnings = tree.warnings;
  std::vector<Ranges> sets = tree.sets;
  const Ranges any = {{0, code_point_last}};
  auto set_any = static_cast<std::uint32_t>(std::find(sets.begin(), sets.end(), any) - sets.begin());
  if (set_any == sets.size()) {
    sets.push_back(any);
  }

  bool built = true;
  Builder builder(tree, set_any);
  for (const std::uint32_t look : looks) {
    Component& component = program.components.emplace_back();
    component.negative = tree.nodes[look].negative;
    built = built && builder.build({tree.nodes[look].child}, true, component);
  }
  built = built && builder.build({items.begin() + static_cast<std::ptrdiff_t>(front), items.end()}, anchored,
                                 program.components.emplace_back());
  if (!built) {
    return error_at(ErrorCode::limit, "the pattern needs more than 10,000 states", source, 0);
  }
  bool word_matters = false;
  for (const Component& component : program.components) {
    word_matters = word_matters || component.word_matters;
  }
  if (!program.classes.build(sets, word_matters)) {
    return error_at(ErrorCode::limit, "the classes of the pattern tell too many characters apart", source, 0);
  }
  for (Component& component : program.components) {
    analyze(program.classes, sets.size(), component);
  }
  return program;
}

}  // namespace plumb::text::pattern
