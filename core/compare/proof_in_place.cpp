// Schemas at the same value: references, allOf, anyOf, oneOf, not, if; rules of our own; and sets that nothing keeps.
#include <algorithm>

#include "core/compare/proof.hpp"

namespace plumb::compare {

namespace {

constexpr std::string_view only_same = "it is compared only where both contracts have the same";

}  // namespace

bool Proof::in_place(const Goal& goal) {
  bool all = true;
  for (const InPlace& in : schemas_.node(goal.wanted).in_place) {
    all = one(goal, in) && all;
  }
  return all;
}

bool Proof::one(const Goal& goal, const InPlace& in) {
  const auto follows = [&](const Node* node) { return this->goal(goal.given, schemas_.id(node), goal.sort, {}); };
  switch (in.form) {
    case InPlaceForm::reference:
    case InPlaceForm::dynamic: {
      const SchemaId to = schemas_.target(goal.wanted, in);
      return to == no_schema ? leave(goal, in.kw, "what it leads to depends on the way to it")
                             : this->goal(goal.given, to, goal.sort, {});
    }
    case InPlaceForm::all:
      return follows(in.node);
    case InPlaceForm::alternatives: {
      if (in.kw == Kw::one_of) {
        return one_of(goal, in);
      }
      const Marks before = marks();
      if (std::any_of(in.branches.begin(), in.branches.end(), follows)) {
        forget_open(before);
        return true;
      }
      open_.resize(before.open);  // that of this branch and that of another would tell nothing
      more_open_ = before.more;
      return leave(goal, in.kw, "none of its alternatives was shown to hold");
    }
    case InPlaceForm::negation:
      return excludes(goal.given, schemas_.id(in.node), goal.sort) ||
             std::any_of(goal.given.begin(), goal.given.end(),
                         [&](SchemaId id) {
                           const Node& given = schemas_.node(id);
                           return schemas_.refuses(id) &&
                                  std::any_of(given.in_place.begin(), given.in_place.end(), [&](const InPlace& other) {
                                    return other.form == InPlaceForm::negation &&
                                           same_.same(schemas_.id(other.node), schemas_.id(in.node));
                                  });
                         }) ||
             leave(goal, in.kw, only_same);
    case InPlaceForm::condition:
      return condition(goal, in);
    case InPlaceForm::dependent: {
      if (goal.sort != Sort::object) {
        return true;
      }
      const Given there = member_given(schemas_, goal.given, in.key);
      if (std::any_of(there.begin(), there.end(), [&](SchemaId id) { return schemas_.node(id).never; })) {
        return true;
      }
      Given with = goal.given;  // where the member is there, so is what other schemas want then
      for (const SchemaId id : goal.given) {
        for (const InPlace& other : schemas_.node(id).in_place) {
          if (other.form == InPlaceForm::dependent && other.key == in.key) {
            add(with, schemas_.id(other.node));
          }
        }
      }
      return this->goal(with, schemas_.id(in.node), goal.sort, {});
    }
    default:
      return leave(goal, in.kw, "this keyword is not compared");
  }
}

bool Proof::one_of(const Goal& goal, const InPlace& in) {
  for (const SchemaId id : goal.given) {
    for (const InPlace& other : schemas_.node(id).in_place) {
      if (other.kw != Kw::one_of || !schemas_.refuses(id) || other.branches.size() != in.branches.size()) {
        continue;
      }
      bool all = true;
      for (std::size_t i = 0; i < in.branches.size(); ++i) {
        all = all && same_.same(schemas_.id(other.branches[i]), schemas_.id(in.branches[i]));
      }
      if (all) {
        return true;
      }
    }
  }
  // One that holds, where none of the others can.
  const Marks before = marks();
  for (const Node* branch : in.branches) {
    if (!this->goal(goal.given, schemas_.id(branch), goal.sort, {})) {
      continue;
    }
    const bool alone = std::all_of(in.branches.begin(), in.branches.end(), [&](const Node* other) {
      return other == branch || excludes(goal.given, schemas_.id(other), goal.sort);
    });
    if (alone) {
      forget_open(before);
      return true;
    }
  }
  open_.resize(std::min(open_.size(), before.open));
  more_open_ = before.more;
  return leave(goal, in.kw, "not shown that exactly one of its alternatives holds");
}

bool Proof::condition(const Goal& goal, const InPlace& in) {
  const SchemaId asked = schemas_.id(in.node);
  for (const SchemaId id : goal.given) {
    for (const InPlace& other : schemas_.node(id).in_place) {
      const auto alike = [&](const Node* x, const Node* y) {
        return x == nullptr || y == nullptr ? y == nullptr : same_.same(schemas_.id(x), schemas_.id(y));
      };
      if (other.form == InPlaceForm::condition && same_.same(schemas_.id(other.node), asked) &&
          alike(other.then_node, in.then_node) && alike(other.else_node, in.else_node)) {
        return true;
      }
    }
  }
  bool all = true;
  if (in.then_node != nullptr && !excludes(goal.given, asked, goal.sort)) {
    Given with = goal.given;
    add(with, asked);
    all = this->goal(with, schemas_.id(in.then_node), goal.sort, {}) && all;
  }
  if (in.else_node != nullptr && !in.node->always && !has(goal.given, asked)) {
    all = this->goal(goal.given, schemas_.id(in.else_node), goal.sort, {}) && all;
  }
  return all;
}

// What the vocabulary of our own asks: only where the same is given.
bool Proof::our_rules(const Goal& goal) {
  const Node& node = schemas_.node(goal.wanted);
  if (!node.extra) {
    return true;
  }
  const contract::ExtraPart& extra = *node.extra;
  const auto given_by = [&](const auto& test) {
    return std::any_of(goal.given.begin(), goal.given.end(), [&](SchemaId id) {
      const Node& given = schemas_.node(id);
      return given.extra && test(id, given);
    });
  };
  bool all = true;
  if (schemas_.refuses(goal.wanted)) {
    const auto keyword = [&](Kw kw, const auto& list_of) {
      const bool kept = given_by([&](SchemaId id, const Node& given) {
        const auto& list = list_of(*given.extra);
        return schemas_.refuses(id) && Sameness::same_member(given, node, kw) &&
               std::any_of(list.begin(), list.end(), [kw](const auto& one) { return one.kw == kw; });
      });
      all = kept ? all : leave(goal, kw, only_same);
    };
    for (const contract::CrossRule& rule : extra.cross) {
      keyword(
          rule.kw, [](const contract::ExtraPart& part) -> const auto& { return part.cross; });
    }
    for (const contract::DistinctPart& tree : extra.trees) {
      keyword(
          tree.kw, [](const contract::ExtraPart& part) -> const auto& { return part.trees; });
    }
  }
  for (const contract::PointedSchema& pointed : extra.pointed) {
    if (pointed.rule != contract::none32 || pointed.node->always) {
      continue;  // those of rules come with the rule
    }
    const bool kept = given_by([&](SchemaId id, const Node& given) {
      return std::any_of(given.extra->pointed.begin(), given.extra->pointed.end(),
                         [&](const auto& other) { return same_.same_pointed(id, other, goal.wanted, pointed); });
    });
    all = kept ? all : leave(goal, Kw::pointers, only_same);
  }
  for (const contract::Rule& rule : extra.rules) {
    if (rule.severity != Severity::error || rule.check == nullptr) {
      continue;  // only warns, or only asks
    }
    const bool kept = given_by([&](SchemaId id, const Node& given) {
      return std::any_of(given.extra->rules.begin(), given.extra->rules.end(),
                         [&](const auto& other) { return same_.same_rule(id, other, goal.wanted, rule); });
    });
    if (!kept && rule.each) {
      all = leave(goal, Kw::rules, only_same);
    } else if (!kept) {
      all = this->goal(goal.given, schemas_.id(rule.check), goal.sort, {}) && all;
    }
  }
  return all;
}

// ---- sets that nothing keeps

bool Proof::excludes(const Given& given, SchemaId other, Sort sort) {
  Given with = given;
  add(with, other);
  const Closed all = closed(schemas_, with, sort);
  return all.never || impossible(all.ids, sort, 2);
}

bool Proof::impossible(const Given& given, Sort sort, unsigned depth) {
  if (!goes_on()) {
    return false;
  }
  if (const auto values = few_values(schemas_, given, sort)) {
    const bool none = std::none_of(values->begin(), values->end(), [&](const std::string& value) {
      return std::none_of(given.begin(), given.end(),
                          [&](SchemaId id) { return schemas_.judge(id, value) == Three::no; });
    });
    // How numbers within are spelled may matter.
    const bool spelled =
        (sort == Sort::array || sort == Sort::object) &&
        std::any_of(given.begin(), given.end(), [&](SchemaId id) { return schemas_.spelling_counts(id); });
    if (none && !spelled) {
      return true;
    }
  }
  for (const SchemaId id : given) {  // not X, and X
    for (const InPlace& in : schemas_.node(id).in_place) {
      if (in.form == InPlaceForm::negation && schemas_.refuses(id) &&
          (in.node->always || std::any_of(given.begin(), given.end(),
                                          [&](SchemaId other) { return same_.same(other, schemas_.id(in.node)); }))) {
        return true;
      }
    }
  }
  switch (sort) {
    case Sort::integer:
    case Sort::odd_integer:
    case Sort::fraction: {
      const NumberFacts facts = number_facts(schemas_, given, sort);
      // A multiple of a whole number is one.
      return facts.none() ||
             (sort == Sort::fraction && std::any_of(facts.multiples.begin(), facts.multiples.end(),
                                                    [](const json::Decimal& one) { return one.is_integer(); }));
    }
    case Sort::string: {
      const StringFacts facts = string_facts(schemas_, given);
      return facts.min > facts.max;
    }
    case Sort::array: {
      const ArrayFacts facts = array_facts(schemas_, given);
      return facts.min > facts.max;
    }
    case Sort::object:
      return impossible_members(given, depth);
    default:
      return false;
  }
}

// Too few members are allowed, or one that must be there cannot be.
bool Proof::impossible_members(const Given& given, unsigned depth) {
  const ObjectFacts facts = object_facts(schemas_, given);
  if (facts.min > facts.max) {
    return true;
  }
  return std::any_of(facts.required.begin(), facts.required.end(), [&](std::string_view name) {
    const Given there = member_given(schemas_, given, name);
    if (there.empty()) {
      return false;
    }
    return std::all_of(std::begin(sorts), std::end(sorts), [&](Sort sort) {
      const Closed all = closed(schemas_, there, sort);
      return all.never || (depth > 0 && impossible(all.ids, sort, depth - 1));
    });
  });
}

}  // namespace plumb::compare
