// Tests of texts for a walk: does its plan accept a text, may a text that has only begun continue, and was a text
// there before.

#include "core/contract/engine/fast_path.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/distinct.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

// A pattern is tried again and again only on an unfinished text up to this size.
constexpr std::size_t pattern_bytes = 256;
constexpr std::size_t pairs_max = 12;  // up to this many texts are compared in pairs

// Gives a text to the rules above that collect it. False if one of them has seen it before.
bool fast_collect(Engine& engine, const Plan& plan, std::string_view text) {
  for (const auto& [rule, origin] : plan.collect_rules) {
    const std::uint32_t owner = engine.memory.readings[engine.walk.readings + origin].owner;
    FastCollector* collector = nullptr;
    for (FastCollector& known : engine.walk.collectors) {
      if (known.rule == rule && known.owner == owner) {
        collector = &known;
      }
    }
    if (collector == nullptr) {
      const Node& node = *engine.evaluations[owner].node;
      const std::uint32_t tree = rule & ~tree_collect_flag;
      const bool in_tree = (rule & tree_collect_flag) != 0;
      FastCollector added;
      added.rule = rule;
      added.owner = owner;
      added.part = in_tree ? &node.extra->trees[tree] : &node.array->distinct[rule];
      added.set = &seen_set(engine, engine.evaluations[owner], in_tree ? tree_set_number(node, tree) : 1 + rule);
      added.entries = added.set->entries.size();
      engine.walk.collectors.push_back(added);
      collector = &engine.walk.collectors.back();
    }
    bool fresh = true;
    insert(engine, *collector->set, Kind::string, text, false, nullptr, collector->part, fresh);
    if (!fresh) {
      return false;
    }
  }
  return true;
}

// The same with a set for each rule, made when there are too many texts to compare in pairs.
bool fast_fresh_among_many(Engine& engine, const ArrayPart& array, std::size_t first, std::string_view text) {
  std::vector<SeenSet>& sets = engine.walk.sets;
  const std::size_t rules = array.distinct.size() + (array.unique ? 1U : 0U);
  if (sets.size() < rules) {
    sets.resize(rules);
  }
  bool fresh = true;
  for (std::size_t i = 0; i < rules && fresh; ++i) {
    const DistinctPart* part = i < array.distinct.size() ? &array.distinct[i] : nullptr;
    if (engine.walk.texts.size() - first == pairs_max) {
      sets[i].clear();
      for (std::size_t k = first; k < engine.walk.texts.size(); ++k) {
        insert(engine, sets[i], Kind::string, engine.walk.texts[k], false, nullptr, part, fresh);
      }
    }
    insert(engine, sets[i], Kind::string, text, false, nullptr, part, fresh);
  }
  return fresh;
}

}  // namespace

bool fast_accepts(Engine& engine, const Plan& plan, std::string_view text) {
  if (plan.blank_only) {
    const char first = text.empty() ? ' ' : text.front();
    if ((first <= ' ' || first > '~') && text::is_blank(text)) {
      return false;
    }
  } else if (!plan.free_string && !accepts_string(engine, *plan.node, text)) {
    return false;
  }
  return !plan.collects || fast_collect(engine, plan, text);
}

bool fast_may_go_on(Engine& engine, const Plan& plan, std::string_view text, bool escapes) {
  const Node& node = *plan.node;
  if (node.scalar) {
    const auto& members = node.scalar->members;
    return !escapes && std::any_of(node.scalar->strings.begin(), node.scalar->strings.end(),
                                   [&](std::uint32_t i) { return members[i].value.str().starts_with(text); });
  }
  const StringPart& s = *node.string;
  if (!lengths_may_go_on(s, text)) {
    return false;
  }
  if (s.pattern == none32) {
    return true;
  }
  if (escapes || text.size() > pattern_bytes) {
    return false;
  }
  text::Matcher& m = matcher_of(engine, s.pattern);
  m.start();
  std::size_t after = 0;
  const bool decided = m.status() != text::Status::undecided;
  return (decided ? m.status() : m.feed(text, after)) != text::Status::impossible;
}

bool fast_fresh(Engine& engine, const Plan& plan, std::size_t first, std::string_view text) {
  const ArrayPart& array = *plan.node->array;
  const std::vector<std::string_view>& texts = engine.walk.texts;
  if (texts.size() - first >= pairs_max) {
    return fast_fresh_among_many(engine, array, first, text);
  }
  // If a text begins with a character that is not blank, folding leaves such characters in place, as long as
  // everything before them is ASCII. So texts differ if they differ there by more than case, or if one of them ends
  // there.
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

}  // namespace plumb::contract
