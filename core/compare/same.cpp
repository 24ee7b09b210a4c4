// Sameness: a walk over pairs of schemas. Where no pair differs by itself, all of them are the same (a bisimulation),
// so references in circles need no bound.
#include <algorithm>
#include <set>

#include "core/compare/schemas.hpp"
#include "core/json/equality.hpp"

namespace plumb::compare {

using contract::ArrayPart;
using contract::none32;
using contract::NumberPart;
using contract::ScalarPart;
using contract::StringPart;

namespace {

bool holds_all(const ScalarPart& a, const ScalarPart& b) {
  return std::all_of(a.members.begin(), a.members.end(), [&](const contract::Value& x) {
    return std::any_of(b.members.begin(), b.members.end(),
                       [&](const contract::Value& y) { return json::equal(x.value, y.value); });
  });
}

bool same_values(const Node& a, const Node& b) {
  if (!a.scalar || !b.scalar) {
    return !a.scalar && !b.scalar;
  }
  if (a.more_scalars.size() != b.more_scalars.size() || !holds_all(*a.scalar, *b.scalar) ||
      !holds_all(*b.scalar, *a.scalar)) {
    return false;
  }
  for (std::size_t i = 0; i < a.more_scalars.size(); ++i) {
    if (!holds_all(*a.more_scalars[i], *b.more_scalars[i]) || !holds_all(*b.more_scalars[i], *a.more_scalars[i])) {
      return false;
    }
  }
  return true;
}

bool same_bounds(const Node& a, const Node& b) {
  if (!a.number || !b.number) {
    return !a.number && !b.number;
  }
  const auto within = [](const NumberPart& x, const NumberPart& y) {
    return std::all_of(x.bounds.begin(), x.bounds.end(), [&](const NumberPart::Bound& one) {
      return std::any_of(y.bounds.begin(), y.bounds.end(), [&](const NumberPart::Bound& other) {
        return one.kw == other.kw && one.limit == other.limit;
      });
    });
  };
  return within(*a.number, *b.number) && within(*b.number, *a.number);
}

bool same_strings(const Node& a, const Node& b) {
  static const StringPart none{};
  const StringPart& x = a.string ? *a.string : none;
  const StringPart& y = b.string ? *b.string : none;
  if (x.min_length != y.min_length || x.max_length != y.max_length || x.not_blank != y.not_blank ||
      x.format != y.format || x.has_length != y.has_length || (x.pattern == none32) != (y.pattern == none32) ||
      x.text_rules.size() != y.text_rules.size()) {
    return false;
  }
  if (x.pattern != none32 && !json::equal(*a.schema->find("pattern"), *b.schema->find("pattern"))) {
    return false;
  }
  if (x.has_length && !Sameness::same_member(a, b, Kw::length)) {
    return false;
  }
  return std::all_of(x.text_rules.begin(), x.text_rules.end(),
                     [&](const contract::TextRule& rule) { return Sameness::same_member(a, b, rule.kw); });
}

}  // namespace

bool Sameness::same_member(const Node& a, const Node& b, Kw kw) {
  const json::Value* x = a.schema->find(contract::kw_name(kw));
  const json::Value* y = b.schema->find(contract::kw_name(kw));
  return x == nullptr || y == nullptr ? x == y : json::equal(*x, *y);
}

bool Sameness::same(SchemaId a, SchemaId b) {
  if (a == b) {
    return true;
  }
  if (const auto found = known_.find({a, b}); found != known_.end()) {
    return found->second;
  }
  std::set<std::pair<SchemaId, SchemaId>> seen = {{a, b}};
  Pairs open = {{a, b}};
  Pairs next;
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    next.clear();
    if (!alike(x, y, next)) {
      known_[{a, b}] = false;
      return false;
    }
    for (const auto& one : next) {
      if (one.first != one.second && seen.insert(one).second) {
        open.push_back(one);
      }
    }
  }
  for (const auto& both : seen) {
    known_[both] = true;
  }
  return true;
}

// Both, or none of them; what is there is a further pair.
bool Sameness::pair(const Node* a, const Node* b, Pairs& next) const {
  if (a == nullptr || b == nullptr) {
    return a == b;
  }
  next.emplace_back(schemas_.id(a), schemas_.id(b));
  return true;
}

bool Sameness::alike(SchemaId a, SchemaId b, Pairs& next) const {
  const Node& x = schemas_.node(a);
  const Node& y = schemas_.node(b);
  const auto counts_spelling = [](const Node& node) {
    return node.plain_integer && (node.types & contract::type_integer) != 0;
  };
  return x.always == y.always && x.never == y.never && x.types == y.types && x.severity == y.severity &&
         counts_spelling(x) == counts_spelling(y) && same_values(x, y) && same_bounds(x, y) && same_strings(x, y) &&
         alike_arrays(x, y, next) && alike_objects(a, b, next) && alike_in_place(a, b, next) && alike_extra(a, b, next);
}

bool Sameness::alike_arrays(const Node& a, const Node& b, Pairs& next) const {
  static const ArrayPart none{};
  const ArrayPart& x = a.array ? *a.array : none;
  const ArrayPart& y = b.array ? *b.array : none;
  if (x.min_items != y.min_items || x.max_items != y.max_items || x.unique != y.unique ||
      x.prefix.size() != y.prefix.size() || x.distinct.size() != y.distinct.size() ||
      (!x.distinct.empty() && !same_member(a, b, Kw::distinct)) || !pair(x.items, y.items, next) ||
      !pair(x.unevaluated, y.unevaluated, next)) {
    return false;
  }
  for (std::size_t i = 0; i < x.prefix.size(); ++i) {
    pair(x.prefix[i], y.prefix[i], next);
  }
  const bool counts_x = x.contains && x.contains->node != nullptr;
  const bool counts_y = y.contains && y.contains->node != nullptr;
  if (!counts_x || !counts_y) {
    return counts_x == counts_y;
  }
  return x.contains->min == y.contains->min && x.contains->max == y.contains->max &&
         x.contains_evaluates == y.contains_evaluates && pair(x.contains->node, y.contains->node, next);
}

bool Sameness::alike_objects(SchemaId a, SchemaId b, Pairs& next) const {
  static const ObjectPart none{};
  const Node& of_a = schemas_.node(a);
  const Node& of_b = schemas_.node(b);
  const ObjectPart& x = of_a.object ? *of_a.object : none;
  const ObjectPart& y = of_b.object ? *of_b.object : none;
  if (x.min_properties != y.min_properties || x.max_properties != y.max_properties ||
      x.required.size() != y.required.size() || x.dependents.size() != y.dependents.size() ||
      x.pattern_properties.size() != y.pattern_properties.size() || !pair(x.additional, y.additional, next) ||
      !pair(x.names, y.names, next) || !pair(x.unevaluated, y.unevaluated, next)) {
    return false;
  }
  const auto covers = [&](const ObjectPart& p, const ObjectPart& q, bool pairs) {
    for (const Slot& slot : p.slots) {
      const Slot* other = slot_of(q, slot.key);
      const bool same_required = (slot.required != none32) == (other != nullptr && other->required != none32);
      if (!same_required || (slot.node != nullptr) != (other != nullptr && other->node != nullptr)) {
        return false;
      }
      if (pairs && slot.node != nullptr) {
        pair(slot.node, other->node, next);
      }
    }
    return true;
  };
  if (!covers(x, y, true) || !covers(y, x, false)) {
    return false;
  }
  for (std::size_t i = 0; i < x.pattern_properties.size(); ++i) {
    if (pattern_source(of_a, x.pattern_properties[i]) != pattern_source(of_b, y.pattern_properties[i])) {
      return false;
    }
    pair(x.pattern_properties[i].node, y.pattern_properties[i].node, next);
  }
  for (std::size_t i = 0; i < x.dependents.size(); ++i) {
    if (x.dependents[i].key != y.dependents[i].key || x.dependents[i].required != y.dependents[i].required) {
      return false;
    }
  }
  return true;
}

bool Sameness::alike_in_place(SchemaId a, SchemaId b, Pairs& next) const {
  const Node& x = schemas_.node(a);
  const Node& y = schemas_.node(b);
  if (x.in_place.size() != y.in_place.size()) {
    return false;
  }
  for (std::size_t i = 0; i < x.in_place.size(); ++i) {
    const InPlace& p = x.in_place[i];
    const InPlace& q = y.in_place[i];
    // What a dynamic reference leads to depends on the way to it: that is the same where all of the text is.
    const bool dynamic = !p.anchor.empty() || !q.anchor.empty();
    if (p.kw != q.kw || p.key != q.key || p.anchor != q.anchor || p.branches.size() != q.branches.size() ||
        (dynamic && !schemas_.same_text() &&
         (schemas_.target(a, p) == no_schema || schemas_.target(b, q) == no_schema)) ||
        !pair(p.node, q.node, next) || !pair(p.then_node, q.then_node, next) || !pair(p.else_node, q.else_node, next)) {
      return false;
    }
    for (std::size_t j = 0; j < p.branches.size(); ++j) {
      pair(p.branches[j], q.branches[j], next);
    }
  }
  return true;
}

bool Sameness::alike_extra(SchemaId a, SchemaId b, Pairs& next) const {
  static const contract::ExtraPart none{};
  const Node& of_a = schemas_.node(a);
  const Node& of_b = schemas_.node(b);
  const contract::ExtraPart& x = of_a.extra ? *of_a.extra : none;
  const contract::ExtraPart& y = of_b.extra ? *of_b.extra : none;
  if (x.cross.size() != y.cross.size() || x.pointed.size() != y.pointed.size() || x.rules.size() != y.rules.size() ||
      x.trees.size() != y.trees.size()) {
    return false;
  }
  for (const contract::CrossRule& rule : x.cross) {
    if (!same_member(of_a, of_b, rule.kw)) {
      return false;
    }
  }
  for (const contract::DistinctPart& tree : x.trees) {
    if (!same_member(of_a, of_b, tree.kw)) {
      return false;
    }
  }
  const auto pointer = [this](SchemaId id, std::uint32_t pattern) {
    return pattern == none32 ? std::string() : schemas_.program(id).pointer_patterns[pattern].text();
  };
  for (std::size_t i = 0; i < x.pointed.size(); ++i) {
    if (x.pointed[i].kw != y.pointed[i].kw || x.pointed[i].rule != y.pointed[i].rule ||
        pointer(a, x.pointed[i].pattern) != pointer(b, y.pointed[i].pattern) ||
        !pair(x.pointed[i].node, y.pointed[i].node, next)) {
      return false;
    }
  }
  for (std::size_t i = 0; i < x.rules.size(); ++i) {
    if (x.rules[i].severity != y.rules[i].severity || x.rules[i].each != y.rules[i].each ||
        pointer(a, x.rules[i].each_pattern) != pointer(b, y.rules[i].each_pattern) ||
        !pair(x.rules[i].check, y.rules[i].check, next)) {
      return false;
    }
  }
  return true;
}

bool Sameness::same_rule(SchemaId a, const contract::Rule& x, SchemaId b, const contract::Rule& y) {
  const auto pointer = [this](SchemaId id, std::uint32_t pattern) {
    return pattern == none32 ? std::string() : schemas_.program(id).pointer_patterns[pattern].text();
  };
  return x.severity == y.severity && x.each == y.each && x.check != nullptr && y.check != nullptr &&
         pointer(a, x.each_pattern) == pointer(b, y.each_pattern) && same(schemas_.id(x.check), schemas_.id(y.check));
}

bool Sameness::same_pointed(SchemaId a, const contract::PointedSchema& x, SchemaId b,
                            const contract::PointedSchema& y) {
  return x.kw == y.kw &&
         schemas_.program(a).pointer_patterns[x.pattern].text() ==
             schemas_.program(b).pointer_patterns[y.pattern].text() &&
         same(schemas_.id(x.node), schemas_.id(y.node));
}

}  // namespace plumb::compare
