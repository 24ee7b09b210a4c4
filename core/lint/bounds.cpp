// What can never hold, what can never break, and what speaks of another kind of value.
#include <algorithm>
#include <optional>

#include "core/contract/keywords/bounds.hpp"
#include "core/json/equality.hpp"
#include "core/json/number_text.hpp"
#include "core/lint/looking.hpp"
#include "core/text/pattern.hpp"

namespace plumb::lint {

using contract::InPlace;
using contract::no_bound;
using json::Decimal;
using json::Kind;

namespace {

// The schemas that hold together with `node`: itself, what it refers to and its allOf.
std::vector<const Node*> together(const Node& node) {
  constexpr std::size_t nodes_max = 200;
  std::vector<const Node*> out{&node};
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const InPlace& in : out[i]->in_place) {
      const bool joins = in.joins();
      if (joins && in.node != nullptr && out.size() < nodes_max &&
          std::find(out.begin(), out.end(), in.node) == out.end()) {
        out.push_back(in.node);
      }
    }
  }
  return out;
}

struct Contradiction {
  std::string message;
  std::string_view keyword;  // of the first schema, where it is there
};

std::string range(std::string_view low, std::uint64_t min, std::string_view high, std::uint64_t max) {
  return std::string(low) + " is " + json::uint_text(min) + " and " + std::string(high) + " is " + json::uint_text(max);
}

std::optional<Contradiction> numbers(const std::vector<const Node*>& nodes) {
  const contract::NumberPart::Bound* low = nullptr;
  const contract::NumberPart::Bound* high = nullptr;
  for (const Node* node : nodes) {
    for (std::size_t i = 0; node->number && i < node->number->bounds.size(); ++i) {
      const contract::NumberPart::Bound& bound = node->number->bounds[i];
      const contract::BoundFacets& facets = bound_facets(bound.kw);
      if (facets.side == contract::BoundSide::step) {
        continue;
      }
      const bool is_low = facets.side == contract::BoundSide::low;
      const contract::NumberPart::Bound*& narrowest = is_low ? low : high;
      const int order = narrowest == nullptr ? 0 : compare(bound.limit, narrowest->limit);
      if (narrowest == nullptr || (is_low ? order > 0 : order < 0) || (order == 0 && facets.open)) {
        narrowest = &bound;
      }
    }
  }
  if (low == nullptr || high == nullptr) {
    return std::nullopt;
  }
  const int order = compare(low->limit, high->limit);
  const bool open = bound_facets(low->kw).open || bound_facets(high->kw).open;
  if (order < 0 || (order == 0 && !open)) {
    return std::nullopt;
  }
  return Contradiction{"no number fits: " + std::string(contract::kw_name(low->kw)) + " is " + low->limit.canonical() +
                           " and " + std::string(contract::kw_name(high->kw)) + " is " + high->limit.canonical(),
                       contract::kw_name(low->kw)};
}

std::optional<Contradiction> texts(const std::vector<const Node*>& nodes) {
  std::uint64_t min = 0;
  std::uint64_t max = no_bound;
  std::string_view low;
  std::string_view high;
  for (const Node* node : nodes) {
    if (!node->string) {
      continue;
    }
    const contract::StringPart& s = *node->string;
    const auto at_least = [&](std::uint64_t value, std::string_view name) {
      low = value > min ? name : low;
      min = std::max(min, value);
    };
    const auto at_most = [&](std::uint64_t value, std::string_view name) {
      high = value < max ? name : high;
      max = std::min(max, value);
    };
    at_least(s.min_length, "minLength");
    at_most(s.max_length, "maxLength");
    if (s.has_length) {
      at_least(s.length_min, "length");
      if (!s.length_fold.trim || s.length_min > s.length_max) {
        at_most(s.length_max, "length");
      }
    }
    if (s.not_blank) {
      at_least(1, "notBlank");
    }
  }
  if (min <= max) {
    return std::nullopt;
  }
  return Contradiction{"no text fits: by " + std::string(low) + " it has at least " + json::uint_text(min) +
                           " characters, and by " + std::string(high) + " at most " + json::uint_text(max),
                       low};
}

std::optional<Contradiction> lists(const std::vector<const Node*>& nodes) {
  std::uint64_t min = 0;
  std::uint64_t max = no_bound;
  std::uint64_t different = no_bound;
  std::string_view low = "minItems";
  bool unique = false;
  for (const Node* node : nodes) {
    if (!node->array) {
      continue;
    }
    const contract::ArrayPart& a = *node->array;
    min = std::max(min, a.min_items);
    max = std::min(max, a.max_items);
    unique = unique || a.unique;
    if (a.contains && a.contains->node != nullptr) {
      if (a.contains->min > a.contains->max) {
        return Contradiction{"no list fits: " + range("minContains", a.contains->min, "maxContains", a.contains->max),
                             "minContains"};
      }
      if (a.contains->min > min) {
        min = a.contains->min;
        low = a.contains->has_min ? "minContains" : "contains";
      }
    }
    if (a.items != nullptr && a.prefix.empty() && a.items->scalar) {
      different = std::min<std::uint64_t>(different, a.items->scalar->members.size());
    }
  }
  if (min > max) {
    return Contradiction{"no list fits: " + range(low, min, "maxItems", max), low};
  }
  if (unique && min > different) {
    return Contradiction{"no list fits: its items are different, at least " + json::uint_text(min) +
                             " of them, and there are only " + json::uint_text(different) + " values to choose from",
                         "uniqueItems"};
  }
  return std::nullopt;
}

bool knows(const Program& program, const contract::ObjectPart& o, std::string_view key) {
  for (const contract::Slot& slot : o.slots) {
    if (slot.node != nullptr && slot.key == key) {
      return true;
    }
  }
  return std::any_of(o.pattern_properties.begin(), o.pattern_properties.end(), [&](const auto& pattern) {
    text::Matcher matcher(program.patterns[pattern.pattern]);
    return matcher.search(key);
  });
}

std::optional<Contradiction> objects(const Program& program, const std::vector<const Node*>& nodes) {
  std::uint64_t min = 0;
  std::uint64_t max = no_bound;
  std::vector<std::string_view> required;
  for (const Node* node : nodes) {
    if (!node->object) {
      continue;
    }
    min = std::max(min, node->object->min_properties);
    max = std::min(max, node->object->max_properties);
    for (const std::uint32_t r : node->object->required) {
      const std::string_view key = node->object->slots[r].key;
      if (std::find(required.begin(), required.end(), key) == required.end()) {
        required.push_back(key);
      }
    }
  }
  if (min > max) {
    return Contradiction{"no object fits: " + range("minProperties", min, "maxProperties", max), "minProperties"};
  }
  if (required.size() > max) {
    return Contradiction{"no object fits: " + json::uint_text(required.size()) +
                             " members are required and maxProperties is " + json::uint_text(max),
                         "required"};
  }
  for (const std::string_view key : required) {
    for (const Node* node : nodes) {
      if (!node->object) {
        continue;
      }
      const contract::ObjectPart& o = *node->object;
      const bool forbidden =
          std::any_of(o.slots.begin(), o.slots.end(),
                      [&](const contract::Slot& s) { return s.key == key && s.node != nullptr && s.node->never; }) ||
          (o.additional != nullptr && o.additional->never && !knows(program, o, key));
      if (forbidden) {
        return Contradiction{"no object fits: '" + std::string(key) + "' is required and may not be there", "required"};
      }
    }
  }
  return std::nullopt;
}

std::optional<Contradiction> types(const std::vector<const Node*>& nodes) {
  unsigned mask = contract::type_any | contract::type_integer;
  for (const Node* node : nodes) {
    unsigned own = node->types;
    own |= (own & contract::type_number) != 0 ? unsigned{contract::type_integer} : 0U;
    mask &= own;
  }
  if (mask != 0) {
    return std::nullopt;
  }
  return Contradiction{"no value fits: the types that must hold together exclude each other", "type"};
}

// Items of one kind, and `contains` that wants one of another.
std::optional<Contradiction> contained(const std::vector<const Node*>& nodes) {
  for (const Node* node : nodes) {
    if (node->array && node->array->contains && node->array->contains->node != nullptr &&
        node->array->contains->min > 0 && node->array->items != nullptr && node->array->prefix.empty() &&
        types({node->array->items, node->array->contains->node})) {
      return Contradiction{"no list fits: what `contains` wants is a kind of item that `items` refuses", "contains"};
    }
  }
  return std::nullopt;
}

// A schema that says no to everything: `false`, or by what it applies to the same value. As a member or item that may
// be missing this is how one forbids it; where there surely is a value, nothing fits.
std::optional<Contradiction> refuses_all(const Node& node) {
  if (node.schema->is(Kind::boolean) && node.never) {
    return Contradiction{"no value fits: the schema is `false`", {}};
  }
  for (const contract::InPlace& in : node.in_place) {
    if (in.form == InPlaceForm::negation && in.node->always) {
      return Contradiction{"no value fits: `not` refuses what anything is", "not"};
    }
    if (in.form == InPlaceForm::all && in.node->never) {
      return Contradiction{"no value fits: `allOf` has a schema that is `false`", "allOf"};
    }
    if (in.form == InPlaceForm::alternatives &&
        std::all_of(in.branches.begin(), in.branches.end(), [](const Node* b) { return b->never; })) {
      return Contradiction{"no value fits: every alternative is `false`", contract::kw_name(in.kw)};
    }
  }
  return std::nullopt;
}

void never_holds(Looking& looking, const Node& node) {
  const auto first = [&](const std::vector<const Node*>& nodes) {
    std::optional<Contradiction> out = types(nodes);
    out = out ? out : contained(nodes);
    for (auto* look : {&numbers, &texts, &lists}) {
      out = out ? out : look(nodes);
    }
    return out ? out : objects(looking.program, nodes);
  };
  if (const std::optional<Contradiction> own = first({&node})) {
    looking.add("never-holds", node, own->keyword, own->message);
    return;
  }
  const std::vector<const Node*> all = together(node);
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (first({all[i]})) {
      return;  // reported where it is
    }
  }
  if (all.size() > 1) {
    if (const std::optional<Contradiction> own = first(all)) {
      const char* keyword = Looking::member(node, "allOf") != nullptr ? "allOf" : "$ref";
      looking.add("never-holds", node, keyword, own->message);
    }
  }
}

// ---------------------------------------------------------------- keywords of another kind

struct KindOf {
  std::string_view keyword;
  std::uint8_t types;
  std::string_view speaks_of;
};

constexpr std::uint8_t of_numbers = contract::type_number | contract::type_integer;
constexpr KindOf kinds[] = {
    {"multipleOf", of_numbers, "numbers"},
    {"maximum", of_numbers, "numbers"},
    {"exclusiveMaximum", of_numbers, "numbers"},
    {"minimum", of_numbers, "numbers"},
    {"exclusiveMinimum", of_numbers, "numbers"},
    {"maxLength", contract::type_string, "texts"},
    {"minLength", contract::type_string, "texts"},
    {"pattern", contract::type_string, "texts"},
    {"format", contract::type_string, "texts"},
    {"notBlank", contract::type_string, "texts"},
    {"length", contract::type_string, "texts"},
    {"maxSentences", contract::type_string, "texts"},
    {"avoids", contract::type_string, "texts"},
    {"singleUnknown", contract::type_string, "texts"},
    {"mentions", contract::type_string, "texts"},
    {"facts", contract::type_string, "texts"},
    {"novel", contract::type_string, "texts"},
    {"quotedFrom", contract::type_string, "texts"},
    {"prefixItems", contract::type_array, "lists"},
    {"items", contract::type_array, "lists"},
    {"contains", contract::type_array, "lists"},
    {"minItems", contract::type_array, "lists"},
    {"maxItems", contract::type_array, "lists"},
    {"uniqueItems", contract::type_array, "lists"},
    {"unevaluatedItems", contract::type_array, "lists"},
    {"sameSetAs", contract::type_array, "lists"},
    {"properties", contract::type_object, "objects"},
    {"patternProperties", contract::type_object, "objects"},
    {"additionalProperties", contract::type_object, "objects"},
    {"propertyNames", contract::type_object, "objects"},
    {"minProperties", contract::type_object, "objects"},
    {"maxProperties", contract::type_object, "objects"},
    {"required", contract::type_object, "objects"},
    {"dependentRequired", contract::type_object, "objects"},
    {"dependentSchemas", contract::type_object, "objects"},
    {"unevaluatedProperties", contract::type_object, "objects"},
};

void other_kind(Looking& looking, const Node& node) {
  if (Looking::member(node, "type") == nullptr) {
    return;
  }
  for (const KindOf& kind : kinds) {
    if (Looking::member(node, kind.keyword) != nullptr && (node.types & kind.types) == 0) {
      LintFinding& finding =
          looking.add("other-kind", node, kind.keyword,
                      "'" + std::string(kind.keyword) + "' speaks of " + std::string(kind.speaks_of) +
                          " and `type` allows none: it is never looked at");
      Looking::remove(finding, node, kind.keyword);
    }
  }
}

// ---------------------------------------------------------------- what never breaks

void never_breaks(Looking& looking, const Node& node) {
  const auto tell = [&](std::string_view keyword, std::string_view reason, bool certain = true) {
    if (Looking::member(node, keyword) != nullptr) {
      LintFinding& finding = looking.add("never-breaks", node, keyword,
                                         "'" + std::string(keyword) + "' never breaks: " + std::string(reason));
      Looking::remove(finding, node, keyword, certain);
    }
  };
  const auto zero = [&](std::string_view keyword) {
    const json::Member* member = Looking::member(node, keyword);
    return member != nullptr && member->value.is(Kind::number) && json::numbers_equal(member->value.str(), "0");
  };
  const auto off = [&](std::string_view keyword) {
    const json::Member* member = Looking::member(node, keyword);
    return member != nullptr && member->value.is(Kind::boolean) && !member->value.boolean;
  };
  for (const std::string_view keyword : {"minLength", "minItems", "minProperties"}) {
    if (zero(keyword)) {
      tell(keyword, "nothing has fewer than 0");
    }
  }
  for (const std::string_view keyword : {"uniqueItems", "notBlank", "singleUnknown"}) {
    if (off(keyword)) {
      tell(keyword, "it is switched off");
    }
  }
  const json::Member* required = Looking::member(node, "required");
  if (required != nullptr && required->value.is(Kind::array) && required->value.size == 0) {
    tell("required", "it names no member");
  }
  if (zero("minContains") && Looking::member(node, "contains") != nullptr &&
      Looking::member(node, "maxContains") == nullptr) {
    LintFinding& finding =
        looking.add("never-breaks", node, "contains", "'contains' never breaks: minContains is 0, and no maxContains");
    (void)finding;
  }
  if (node.number) {
    const auto bound = [&](Kw kw) -> const Decimal* {
      for (const contract::NumberPart::Bound& one : node.number->bounds) {
        if (one.kw == kw) {
          return &one.limit;
        }
      }
      return nullptr;
    };
    const Decimal* minimum = bound(Kw::minimum);
    const Decimal* above = bound(Kw::exclusive_minimum);
    if (minimum != nullptr && above != nullptr) {
      compare(*minimum, *above) <= 0 ? tell("minimum", "exclusiveMinimum breaks first", false)
                                     : tell("exclusiveMinimum", "minimum breaks first", false);
    }
    const Decimal* maximum = bound(Kw::maximum);
    const Decimal* under = bound(Kw::exclusive_maximum);
    if (maximum != nullptr && under != nullptr) {
      compare(*maximum, *under) >= 0 ? tell("maximum", "exclusiveMaximum breaks first", false)
                                     : tell("exclusiveMaximum", "maximum breaks first", false);
    }
  }
}

}  // namespace

void look_at_bounds(Looking& looking) {
  for (const Seen& seen : looking.seen) {
    const std::optional<Contradiction> nothing = seen.surely ? refuses_all(*seen.node) : std::nullopt;
    if (nothing) {
      looking.add("never-holds", *seen.node, nothing->keyword, nothing->message);
    }
    if (!seen.node->schema->is(Kind::object)) {
      continue;
    }
    never_holds(looking, *seen.node);
    other_kind(looking, *seen.node);
    never_breaks(looking, *seen.node);
  }
}

}  // namespace plumb::lint
