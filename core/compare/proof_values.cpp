// What a schema's own keywords ask of a value, held against what is given.
#include <algorithm>

#include "core/compare/proof.hpp"
#include "core/contract/keywords/bounds.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"

namespace plumb::compare {

using contract::ArrayPart;
using contract::NumberPart;
using contract::StringPart;
using json::Decimal;

namespace {

constexpr std::string_view not_implied = "nothing that is accepted there was shown to keep it";
constexpr std::string_view only_same = "it is compared only where both contracts have the same";

// Short texts of a length, to be tried.
std::string text_of_length(std::uint64_t length) {
  return "\"" + std::string(static_cast<std::size_t>(std::min<std::uint64_t>(length, 300)), 'x') + "\"";
}

// Whether the bound follows from what is given on its side.
bool keeps(const NumberFacts& facts, const NumberPart::Bound& bound, bool whole) {
  const contract::BoundFacets& asked = bound_facets(bound.kw);
  if (asked.side == contract::BoundSide::step) {
    return std::any_of(facts.multiples.begin(), facts.multiples.end(),
                       [&](const Decimal& one) { return one.is_multiple_of(bound.limit); });
  }
  const bool is_low = asked.side == contract::BoundSide::low;
  const std::optional<Limit>& given = is_low ? facts.low : facts.high;
  if (!given) {
    return false;
  }
  const int order = json::compare(given->at, bound.limit);
  if (order != 0) {
    return is_low ? order > 0 : order < 0;
  }
  return !asked.open || given->open || (whole && !bound.limit.is_integer());  // the limit itself is no integer
}

}  // namespace

// enum and const: the values that are left were looked at already, where they are few.
bool Proof::own_values(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  if (!node.scalar) {
    return true;
  }
  const auto subset = [&](const contract::ScalarPart& part) {
    return std::any_of(goal.given.begin(), goal.given.end(), [&](SchemaId id) {
      const Node& given = schemas_.node(id);
      return schemas_.refuses(id) && given.scalar &&
             std::all_of(given.scalar->members.begin(), given.scalar->members.end(), [&](const contract::Value& x) {
               return !x.value.is(kind_of(goal.sort)) ||
                      std::any_of(part.members.begin(), part.members.end(),
                                  [&](const contract::Value& y) { return json::equal(x.value, y.value); });
             });
    });
  };
  bool all = subset(*node.scalar);
  for (const auto& more : node.more_scalars) {
    all = all && subset(*more);
  }
  return all || leave(goal, node.scalar->is_const ? Kw::const_ : Kw::enum_,
                      "values that are not listed were not shown to be refused");
}

bool Proof::number(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  if (!node.number || !schemas_.refuses(goal.wanted)) {
    return true;
  }
  const NumberFacts facts = number_facts(schemas_, goal.given, goal.sort);
  const bool whole = goal.sort != Sort::fraction;
  bool all = true;
  for (const NumberPart::Bound& bound : node.number->bounds) {
    if (!keeps(facts, bound, whole)) {
      std::vector<std::string> values;
      for (const std::optional<Limit>* limit : {&facts.low, &facts.high}) {
        if (*limit) {
          values.push_back((*limit)->at.canonical());
        }
      }
      for (const Decimal& one : facts.multiples) {
        values.push_back(one.canonical());
      }
      all = leave(goal, bound.kw, not_implied, std::move(values));
    }
  }
  return all;
}

bool Proof::string(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  if (!node.string || !schemas_.refuses(goal.wanted)) {
    return true;
  }
  const StringPart& s = *node.string;
  const StringFacts facts = string_facts(schemas_, goal.given);
  const std::vector<std::string> values = {text_of_length(facts.min),
                                           text_of_length(std::min<std::uint64_t>(facts.max, facts.min + 300))};
  const auto with_same = [&](Kw kw, const auto& uses) {
    return std::any_of(goal.given.begin(), goal.given.end(), [&](SchemaId id) {
      const Node& given = schemas_.node(id);
      return schemas_.refuses(id) && given.string && uses(*given.string) && Sameness::same_member(given, node, kw);
    });
  };
  bool all = true;
  if (facts.min < s.min_length) {
    all = leave(goal, Kw::min_length, not_implied, values);
  }
  if (facts.max > s.max_length) {
    all = leave(goal, Kw::max_length, not_implied, values);
  }
  if (s.not_blank && !facts.not_blank) {
    all = leave(goal, Kw::not_blank, not_implied, {"\"\"", "\" \""});
  }
  if (s.format && std::find(facts.formats.begin(), facts.formats.end(), *s.format) == facts.formats.end()) {
    all = leave(goal, Kw::format, only_same, values);
  }
  if (s.pattern != contract::none32 && std::find(facts.patterns.begin(), facts.patterns.end(),
                                                 node.schema->find("pattern")->str()) == facts.patterns.end()) {
    all = leave(goal, Kw::pattern, only_same, values);
  }
  if (s.has_length) {
    const bool kept = std::any_of(goal.given.begin(), goal.given.end(), [&](SchemaId id) {
      const Node& given = schemas_.node(id);
      return schemas_.refuses(id) && given.string && given.string->has_length &&
             given.string->length_fold.trim == s.length_fold.trim &&
             given.string->length_fold.lowercase == s.length_fold.lowercase &&
             given.string->length_min >= s.length_min && given.string->length_max <= s.length_max;
    });
    all = kept ? all : leave(goal, Kw::length, not_implied, values);
  }
  for (const contract::TextRule& rule : s.text_rules) {
    const auto uses = [&](const StringPart& part) {
      return std::any_of(part.text_rules.begin(), part.text_rules.end(),
                         [&](const contract::TextRule& other) { return other.kw == rule.kw; });
    };
    all = with_same(rule.kw, uses) ? all : leave(goal, rule.kw, only_same);
  }
  return all;
}

bool Proof::array(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  if (!node.array) {
    return true;
  }
  const ArrayPart& a = *node.array;
  const ArrayFacts facts = array_facts(schemas_, goal.given);
  bool all = true;
  if (schemas_.refuses(goal.wanted)) {
    if (facts.min < a.min_items) {
      all = leave(goal, Kw::min_items, not_implied);
    }
    if (facts.max > a.max_items) {
      all = leave(goal, Kw::max_items, not_implied);
    }
    if (a.unique && !facts.unique && facts.max > 1) {
      all = leave(goal, Kw::unique_items, not_implied);
    }
    const bool distinct = std::any_of(goal.given.begin(), goal.given.end(), [&](SchemaId id) {
      const Node& given = schemas_.node(id);
      return schemas_.refuses(id) && given.array && given.array->distinct.size() == a.distinct.size() &&
             Sameness::same_member(given, node, Kw::distinct);
    });
    if (!a.distinct.empty() && !distinct && facts.max > 1) {
      all = leave(goal, Kw::distinct, only_same);
    }
  }
  if (a.unevaluated != nullptr && !a.unevaluated->always) {
    all = leave(goal, Kw::unevaluated_items, only_same);
  }
  all = contains(goal, facts.min, facts.max) && all;
  return items(goal, facts.max) && all;
}

bool Proof::items(const Goal& goal, std::uint64_t max) {
  const ArrayPart& a = *schemas_.node(goal.wanted).array;
  const std::size_t prefix = std::max(a.prefix.size(), array_facts(schemas_, goal.given).prefix);
  bool all = true;
  for (std::size_t i = 0; i <= prefix && i < max; ++i) {
    const Node* wanted = i < a.prefix.size() ? a.prefix[i] : a.items;
    if (wanted != nullptr && !wanted->always) {
      Step step{std::to_string(i), i == prefix};
      all = below(std::move(step), item_given(schemas_, goal.given, i), schemas_.id(wanted)) && all;
    }
  }
  return all;
}

bool Proof::contains(const Goal& goal, std::uint64_t min, std::uint64_t max) {
  const ArrayPart& a = *schemas_.node(goal.wanted).array;
  if (!a.contains || a.contains->node == nullptr) {
    return true;
  }
  const SchemaId wanted = schemas_.id(a.contains->node);
  bool enough = a.contains->min == 0;
  bool not_too_many = max <= a.contains->max;
  for (const SchemaId id : goal.given) {
    const Node& given = schemas_.node(id);
    if (!schemas_.refuses(id) || !given.array || !given.array->contains || given.array->contains->node == nullptr) {
      continue;
    }
    const contract::ContainsPart& other = *given.array->contains;
    const bool same = same_.same(schemas_.id(other.node), wanted);
    not_too_many = not_too_many || (same && other.max <= a.contains->max);
    if (!enough && other.min >= a.contains->min) {
      const Marks before = marks();
      enough = same || below({{}, true}, {schemas_.id(other.node)}, wanted);
      forget_open(before);
    }
  }
  if (!enough && min >= a.contains->min) {  // all items that there are, and there are enough
    const Marks before = marks();
    const std::size_t prefix = array_facts(schemas_, goal.given).prefix;
    enough = true;
    for (std::size_t i = 0; i <= prefix && i < max && enough; ++i) {
      enough = below({{}, true}, item_given(schemas_, goal.given, i), wanted);
    }
    forget_open(before);
  }
  bool all = enough || leave(goal, Kw::contains, not_implied);
  return (not_too_many || leave(goal, Kw::max_contains, only_same)) && all;
}

bool Proof::object(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  if (!node.object) {
    return true;
  }
  const ObjectPart& o = *node.object;
  const ObjectFacts facts = object_facts(schemas_, goal.given);
  bool all = true;
  if (schemas_.refuses(goal.wanted)) {
    for (const std::uint32_t slot : o.required) {
      if (!facts.requires_member(o.slots[slot].key)) {
        all = leave(goal, Kw::required, "the member '" + std::string(o.slots[slot].key) + "' may be missing");
      }
    }
    if (facts.min < o.min_properties) {
      all = leave(goal, Kw::min_properties, not_implied);
    }
    if (facts.max > o.max_properties) {
      all = leave(goal, Kw::max_properties, not_implied);
    }
    all = dependents(goal) && all;
  }
  if (o.unevaluated != nullptr && !o.unevaluated->always) {
    all = leave(goal, Kw::unevaluated_properties, only_same);
  }
  all = names(goal) && all;
  return members(goal) && all;
}

bool Proof::dependents(const Goal& goal) {
  const ObjectPart& o = *schemas_.node(goal.wanted).object;
  const ObjectFacts facts = object_facts(schemas_, goal.given);
  bool all = true;
  for (const contract::Dependent& dependent : o.dependents) {
    const Given there = member_given(schemas_, goal.given, dependent.key);
    const bool never = std::any_of(there.begin(), there.end(), [&](SchemaId id) { return schemas_.node(id).never; });
    for (const std::string_view key : dependent.required) {
      bool kept = never || facts.requires_member(key);
      for (const SchemaId id : goal.given) {
        const Node& given = schemas_.node(id);
        for (std::size_t i = 0; !kept && schemas_.refuses(id) && given.object && i < given.object->dependents.size();
             ++i) {
          const contract::Dependent& other = given.object->dependents[i];
          kept = other.key == dependent.key &&
                 std::find(other.required.begin(), other.required.end(), key) != other.required.end();
        }
      }
      if (!kept) {
        all = leave(goal, dependent.kw, "the member '" + std::string(key) + "' may be missing");
      }
    }
  }
  return all;
}

bool Proof::names(const Goal& goal) {
  const ObjectPart& o = *schemas_.node(goal.wanted).object;
  if (o.names == nullptr || o.names->always) {
    return true;
  }
  const SchemaId wanted = schemas_.id(o.names);
  const ObjectFacts facts = object_facts(schemas_, goal.given);
  if (facts.max == 0) {
    return true;
  }
  if (facts.closed && std::all_of(facts.allowed.begin(), facts.allowed.end(), [&](std::string_view name) {
        std::string text;
        json::append_string(text, name);
        return schemas_.judge(wanted, text) == Three::yes;
      })) {
    return true;
  }
  way_.push_back({{}, true});
  const bool all = this->goal(name_given(schemas_, goal.given), wanted, Sort::string, {});
  way_.pop_back();
  return all;
}

// Members by their names: those that some schema knows, then all others.
bool Proof::members(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  const ObjectPart& o = *node.object;
  std::vector<std::string_view> known;
  const auto collect = [&](const Node& of) {
    for (std::size_t i = 0; of.object && i < of.object->slots.size(); ++i) {
      if (of.object->slots[i].node != nullptr) {
        known.push_back(of.object->slots[i].key);
      }
    }
  };
  collect(node);
  if (o.additional != nullptr || !o.pattern_properties.empty()) {
    for (const SchemaId id : goal.given) {
      collect(schemas_.node(id));
    }
  }
  stable_sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  bool all = true;
  for (const std::string_view name : known) {
    const Given wanted = member_given(schemas_, {goal.wanted}, name);
    if (wanted.empty()) {
      continue;
    }
    const Given given = member_given(schemas_, goal.given, name);
    for (const SchemaId one : wanted) {
      all = below({std::string(name), false}, given, one) && all;
    }
  }
  if (object_facts(schemas_, goal.given).closed) {
    return all;  // there are no others
  }
  return other_members(goal) && all;
}

bool Proof::other_members(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  const ObjectPart& o = *node.object;
  bool all = true;
  const auto each = [&](const Node* schema, std::string_view matched, const std::vector<std::string_view>& unmatched,
                        Kw kw) {
    if (schema == nullptr || schema->always) {
      return;
    }
    const std::optional<std::vector<Given>> alternatives = other_given(schemas_, goal.given, matched, unmatched);
    if (!alternatives) {
      all = leave(goal, kw, "there are too many ways in which patterns may match a name");
      return;
    }
    for (const Given& given : *alternatives) {
      all = below({{}, true}, given, schemas_.id(schema)) && all;
    }
  };
  std::vector<std::string_view> patterns;
  for (const ObjectPart::PatternProperty& one : o.pattern_properties) {
    patterns.push_back(pattern_source(node, one));
    each(one.node, patterns.back(), {}, Kw::pattern_properties);
  }
  each(o.additional, {}, patterns, Kw::additional_properties);
  return all;
}

}  // namespace plumb::compare
