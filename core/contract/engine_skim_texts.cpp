// What a walk asks of texts: whether its plan accepts one, whether one that has only begun may go on, and whether it
// has been there before.

#include <algorithm>
#include <utility>

#include "core/contract/engine.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::size_t pattern_bytes = 256;  // of an unfinished text that a pattern is tried on again and again
constexpr std::size_t pairs_max = 12;       // as many texts are compared each with each

}  // namespace

bool Engine::skim_accepts(const Plan& plan, std::string_view text) {
  if (plan.blank_only) {
    const char first = text.empty() ? ' ' : text.front();
    if ((first <= ' ' || first > '~') && text::is_blank(text)) {
      return false;
    }
  } else if (!plan.free_string && !quick_string(*plan.node, text)) {
    return false;
  }
  return !plan.collects || skim_collect(plan, text);
}

// Whether nothing can be certain about a string that has begun like this, beyond what is calm. `text` is as written, up
// to a whole character; with escapes in it, it is longer than what it says.
bool Engine::skim_may_go_on(const Plan& plan, std::string_view text, bool escapes) {
  const Node& node = *plan.node;
  if (node.scalar) {
    const auto& members = node.scalar->members;
    return !escapes && std::any_of(node.scalar->strings.begin(), node.scalar->strings.end(), [&](std::uint32_t i) {
      return members[i].value.str().substr(0, text.size()) == text;
    });
  }
  const StringPart& s = *node.string;
  const std::uint64_t most = s.has_length ? std::min(s.max_length, s.length_max) : s.max_length;
  if (text.size() > most && text::code_points(text) > most) {
    return false;
  }
  if (s.pattern == none32) {
    return true;
  }
  if (escapes || text.size() > pattern_bytes) {
    return false;
  }
  text::Matcher& m = matcher(s.pattern);
  m.start();
  std::size_t after = 0;
  const bool decided = m.status() != text::Status::undecided;
  return (decided ? m.status() : m.feed(text, after)) != text::Status::impossible;
}

// Gives a text to the rules above that collect it. False when one of them has seen it.
bool Engine::skim_collect(const Plan& plan, std::string_view text) {
  for (const auto& [rule, origin] : plan.collect_rules) {
    const std::uint32_t owner = readings_[walk_.readings + origin].owner;
    SkimCollector* collector = nullptr;
    for (SkimCollector& known : walk_.collectors) {
      if (known.rule == rule && known.owner == owner) {
        collector = &known;
      }
    }
    if (collector == nullptr) {
      const Node& node = *evaluations_[owner].node;
      const std::uint32_t tree = rule & ~tree_collect_flag;
      const bool in_tree = (rule & tree_collect_flag) != 0;
      SkimCollector added;
      added.rule = rule;
      added.owner = owner;
      added.part = in_tree ? &node.extra->trees[tree] : &node.array->distinct[rule];
      added.set = &seen_set(evaluations_[owner], in_tree ? tree_set_number(node, tree) : 1 + rule);
      added.entries = added.set->entries.size();
      walk_.collectors.push_back(added);
      collector = &walk_.collectors.back();
    }
    bool fresh = true;
    insert(*collector->set, Kind::string, text, false, nullptr, collector->part, fresh);
    if (!fresh) {
      return false;
    }
  }
  return true;
}

// Whether a text differs from those from `first` on, as uniqueItems and `distinct` want it.
bool Engine::skim_fresh(const Plan& plan, std::size_t first, std::string_view text) {
  const ArrayPart& array = *plan.node->array;
  const std::vector<std::string_view>& texts = walk_.texts;
  if (texts.size() - first >= pairs_max) {
    return skim_fresh_among_many(array, first, text);
  }
  // Folding leaves what is not blank at its place in a text that begins with such a character, as long as all before is
  // ASCII; so texts differ where they differ there by more than case, or where one of them ends.
  auto solid = [](char c) { return c > ' ' && c <= '~'; };
  auto apart = [&](std::string_view a, std::string_view b) {
    if (a.empty() || b.empty() || !solid(a.front()) || !solid(b.front())) {
      return false;
    }
    if (a.size() > b.size()) {
      std::swap(a, b);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (static_cast<signed char>(a[i] | b[i]) < 0) {
        return false;
      }
      if (((a[i] ^ b[i]) & ~0x20) != 0) {
        return solid(a[i]) || solid(b[i]);
      }
    }
    return a.size() < b.size() && solid(b.back());
  };
  auto same = [&](std::string_view other) {
    return (array.unique && other == text) ||
           std::any_of(array.distinct.begin(), array.distinct.end(), [&](const DistinctPart& part) {
             return text::fold(other, part.fold) == text::fold(text, part.fold);
           });
  };
  return std::none_of(texts.begin() + static_cast<std::ptrdiff_t>(first), texts.end(),
                      [&](std::string_view other) { return !apart(other, text) && same(other); });
}

// The same with a set for each rule, made when there are as many texts as are compared each with each.
bool Engine::skim_fresh_among_many(const ArrayPart& array, std::size_t first, std::string_view text) {
  std::vector<SeenSet>& sets = walk_.sets;
  const std::size_t rules = array.distinct.size() + (array.unique ? 1U : 0U);
  if (sets.size() < rules) {
    sets.resize(rules);
  }
  bool fresh = true;
  for (std::size_t i = 0; i < rules && fresh; ++i) {
    const DistinctPart* part = i < array.distinct.size() ? &array.distinct[i] : nullptr;
    if (walk_.texts.size() - first == pairs_max) {
      sets[i].clear();
      for (std::size_t k = first; k < walk_.texts.size(); ++k) {
        insert(sets[i], Kind::string, walk_.texts[k], false, nullptr, part, fresh);
      }
    }
    insert(sets[i], Kind::string, text, false, nullptr, part, fresh);
  }
  return fresh;
}

}  // namespace plumb::contract
