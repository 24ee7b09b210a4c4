#include "core/compare/facts.hpp"

#include <algorithm>

#include "core/contract/keywords/bounds.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"

namespace plumb::compare {

using contract::NumberPart;
using contract::ScalarPart;
using contract::StringPart;
using json::Decimal;
using json::Kind;

namespace {

constexpr std::size_t alternatives_max = 32;
constexpr std::uint64_t integers_max = 64;  // in a range that is taken for a list
constexpr std::size_t values_max = 2000;

Decimal decimal(std::string_view text) {
  Decimal out;
  return Decimal::read(text, Decimal::exponent_max_default, out) == json::DecimalStatus::ok ? out : Decimal();
}

// In the spelling of the sort; empty where there is none (1.5 is no integer, 1e400 is not written without exponent).
std::string spelled(std::string_view number, Sort sort) {
  const Decimal value = decimal(number);
  if (value.is_integer() != (sort != Sort::fraction)) {
    return {};
  }
  if (sort == Sort::fraction) {
    return std::string(number);
  }
  const bool plain = number.find_first_of(".eE") == std::string_view::npos;
  if (sort == Sort::odd_integer) {
    return plain ? std::string(number) + ".0" : std::string(number);
  }
  const std::string text = plain ? std::string(number) : value.canonical();
  return text.find_first_of(".eE") == std::string::npos ? text : std::string();
}

bool small_integer(const Decimal& number, std::int64_t& out) {
  const std::string text = number.canonical();
  std::uint64_t magnitude = 0;
  const bool negative = text.starts_with('-');
  if (text.size() > 16 || !json::read_uint(std::string_view(text).substr(negative ? 1 : 0), magnitude)) {
    return false;
  }
  out = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  return true;
}

// The integers of a short range.
std::optional<std::vector<std::string>> few_integers(const Schemas& schemas, const Given& given, Sort sort) {
  const NumberFacts facts = number_facts(schemas, given, sort);
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (!facts.low || !facts.high || !small_integer(facts.low->at, low) || !small_integer(facts.high->at, high)) {
    return std::nullopt;
  }
  low += facts.low->open ? 1 : 0;
  high -= facts.high->open ? 1 : 0;
  if (high >= low && static_cast<std::uint64_t>(high - low) >= integers_max) {
    return std::nullopt;
  }
  std::vector<std::string> out;
  for (std::int64_t i = low; i <= high; ++i) {
    std::string text;
    json::append_int(text, i);
    out.push_back(sort == Sort::odd_integer ? text + ".0" : text);
  }
  return out;
}

// Those that bounds alone leave.
std::optional<std::vector<std::string>> values_in_bounds(const Schemas& schemas, const Given& given, Sort sort) {
  std::vector<std::string> only;
  switch (sort) {
    case Sort::integer:
    case Sort::odd_integer:
      return few_integers(schemas, given, sort);
    case Sort::string:
      only = {"\"\""};
      return string_facts(schemas, given).max == 0 ? std::optional(only) : std::nullopt;
    case Sort::array:
      only = {"[]"};
      return array_facts(schemas, given).max == 0 ? std::optional(only) : std::nullopt;
    case Sort::object:
      only = {"{}"};
      return object_facts(schemas, given).max == 0 ? std::optional(only) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<std::string>> few_values(const Schemas& schemas, const Given& given, Sort sort) {
  if (sort == Sort::null) {
    return std::vector<std::string>{"null"};
  }
  if (sort == Sort::boolean) {
    return std::vector<std::string>{"true", "false"};
  }
  const ScalarPart* smallest = nullptr;
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!schemas.refuses(id) || !node.scalar) {
      continue;
    }
    const auto consider = [&](const ScalarPart& part) {
      smallest = smallest == nullptr || part.members.size() < smallest->members.size() ? &part : smallest;
    };
    consider(*node.scalar);
    for (const auto& more : node.more_scalars) {
      consider(*more);
    }
  }
  if (smallest == nullptr || smallest->members.size() > values_max) {
    return values_in_bounds(schemas, given, sort);
  }
  std::vector<std::string> out;
  for (const contract::Value& value : smallest->members) {
    if (!value.value.is(kind_of(sort))) {
      continue;
    }
    if (!value.value.is(Kind::number)) {
      out.push_back(value.text);
      continue;
    }
    const std::string_view number = value.value.str();
    if (decimal(number).is_integer() == (sort != Sort::fraction)) {
      std::string text = spelled(number, sort);
      if (text.empty()) {
        return std::nullopt;
      }
      out.push_back(std::move(text));
    }
  }
  return out;
}

// ---- numbers and strings

bool NumberFacts::none() const {
  if (!low || !high) {
    return false;
  }
  const int order = json::compare(low->at, high->at);
  return order > 0 || (order == 0 && (low->open || high->open));
}

NumberFacts number_facts(const Schemas& schemas, const Given& given, Sort sort) {
  NumberFacts out;
  const bool whole = sort == Sort::integer || sort == Sort::odd_integer;
  const auto tighten = [&](std::optional<Limit>& limit, Limit by, int direction) {
    if (whole && by.open && by.at.is_integer()) {  // of integers, those beyond 3 begin with 4
      Decimal next;
      if (by.at.add(Decimal::from_int64(direction), Decimal::exponent_max_default, next) == json::DecimalStatus::ok) {
        by = {next, false};
      }
    }
    const int order = limit ? json::compare(by.at, limit->at) * direction : 1;
    if (order > 0 || (order == 0 && by.open)) {
      limit = by;
    }
  };
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!schemas.refuses(id) || !node.number) {
      continue;
    }
    for (const NumberPart::Bound& bound : node.number->bounds) {
      const contract::BoundFacets& facets = bound_facets(bound.kw);
      if (facets.side == contract::BoundSide::step) {
        out.multiples.push_back(bound.limit);
      } else {
        const bool is_low = facets.side == contract::BoundSide::low;
        tighten(is_low ? out.low : out.high, {bound.limit, facets.open}, is_low ? 1 : -1);
      }
    }
  }
  if (whole) {
    out.multiples.push_back(Decimal::from_int64(1));
  }
  return out;
}

StringFacts string_facts(const Schemas& schemas, const Given& given) {
  StringFacts out;
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!schemas.refuses(id) || !node.string) {
      continue;
    }
    const StringPart& s = *node.string;
    out.min = std::max(out.min, s.min_length);
    out.max = std::min(out.max, s.max_length);
    // At least one character is left when white space has been taken off both ends.
    out.not_blank = out.not_blank || s.not_blank || (s.has_length && s.length_fold.trim && s.length_min > 0);
    if (s.pattern != contract::none32) {
      out.patterns.push_back(node.schema->find("pattern")->str());
    }
    if (s.format) {
      out.formats.push_back(*s.format);
    }
  }
  return out;
}

// ---- arrays

Given item_given(const Schemas& schemas, const Given& given, std::size_t index) {
  Given out;
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!node.array) {
      continue;
    }
    const Node* of_item = index < node.array->prefix.size() ? node.array->prefix[index] : node.array->items;
    if (of_item != nullptr && !of_item->always) {
      add(out, schemas.id(of_item));
    }
  }
  return out;
}

ArrayFacts array_facts(const Schemas& schemas, const Given& given) {
  ArrayFacts out;
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!node.array) {
      continue;
    }
    const contract::ArrayPart& a = *node.array;
    out.prefix = std::max(out.prefix, a.prefix.size());
    if (schemas.refuses(id)) {
      out.min = std::max(out.min, a.min_items);
      out.max = std::min(out.max, a.max_items);
      out.unique = out.unique || a.unique;
      if (a.contains && a.contains->node != nullptr) {
        out.min = std::max(out.min, a.contains->min);
      }
    }
    for (std::size_t i = 0; i <= a.prefix.size(); ++i) {
      const Node* item = i < a.prefix.size() ? a.prefix[i] : a.items;
      if (item != nullptr && item->never) {
        out.max = std::min<std::uint64_t>(out.max, i);
      }
    }
  }
  return out;
}

// ---- objects

bool ObjectFacts::requires_member(std::string_view name) const {
  return std::binary_search(required.begin(), required.end(), name);
}

ObjectFacts object_facts(const Schemas& schemas, const Given& given) {
  ObjectFacts out;
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!node.object) {
      continue;
    }
    const ObjectPart& o = *node.object;
    if (schemas.refuses(id)) {
      out.min = std::max(out.min, o.min_properties);
      out.max = std::min(out.max, o.max_properties);
      for (const std::uint32_t slot : o.required) {
        out.required.push_back(o.slots[slot].key);
      }
    }
    if (o.additional != nullptr && o.additional->never && schemas.refuses(id) && o.pattern_properties.empty()) {
      std::vector<std::string_view> names;
      for (const Slot& slot : o.slots) {
        if (slot.node != nullptr && !slot.node->never) {
          names.push_back(slot.key);
        }
      }
      stable_sort(names);
      if (!out.closed || names.size() < out.allowed.size()) {
        out.allowed = std::move(names);
      }
      out.closed = true;
    }
  }
  stable_sort(out.required);
  out.required.erase(std::unique(out.required.begin(), out.required.end()), out.required.end());
  out.min = std::max<std::uint64_t>(out.min, out.required.size());
  if (out.closed) {
    out.max = std::min<std::uint64_t>(out.max, out.allowed.size());
  }
  return out;
}

// What only warns of other members lets them through.
static const Node* additional_of(const Schemas& schemas, SchemaId id) {
  const Node* additional = schemas.node(id).object->additional;
  return additional != nullptr && additional->never && !schemas.refuses(id) ? nullptr : additional;
}

Given member_given(const Schemas& schemas, const Given& given, std::string_view name) {
  Given out;
  const auto take = [&](const Node* node) {
    if (node != nullptr && !node->always) {
      add(out, schemas.id(node));
    }
  };
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!node.object) {
      continue;
    }
    const Slot* slot = slot_of(*node.object, name);
    bool known = slot != nullptr && slot->node != nullptr;
    if (known) {
      take(slot->node);
    }
    for (const ObjectPart::PatternProperty& one : node.object->pattern_properties) {
      if (matches(schemas.program(id), one.pattern, name)) {
        known = true;
        take(one.node);
      }
    }
    if (!known) {
      take(additional_of(schemas, id));
    }
  }
  return out;
}

std::optional<std::vector<Given>> other_given(const Schemas& schemas, const Given& given, std::string_view matched,
                                              const std::vector<std::string_view>& unmatched) {
  std::vector<Given> out(1);
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (!node.object) {
      continue;
    }
    std::vector<const Node*> one_of_them;  // at least one of these holds; nullptr: nothing is known
    bool surely = false;
    for (const ObjectPart::PatternProperty& one : node.object->pattern_properties) {
      const std::string_view source = pattern_source(node, one);
      if (!matched.empty() && source == matched) {
        one_of_them = {one.node};
        surely = true;
        break;
      }
      if (std::find(unmatched.begin(), unmatched.end(), source) == unmatched.end()) {
        one_of_them.push_back(one.node);
      }
    }
    if (!surely) {
      one_of_them.push_back(additional_of(schemas, id));
    }
    std::vector<Given> next;
    for (const Given& before : out) {
      for (const Node* schema : one_of_them) {
        next.push_back(before);
        if (schema != nullptr && !schema->always) {
          add(next.back(), schemas.id(schema));
        }
      }
    }
    out = std::move(next);
    if (out.size() > alternatives_max) {
      return std::nullopt;
    }
  }
  return out;
}

Given name_given(const Schemas& schemas, const Given& given) {
  Given out;
  for (const SchemaId id : given) {
    const Node& node = schemas.node(id);
    if (node.object && node.object->names != nullptr && !node.object->names->always) {
      add(out, schemas.id(node.object->names));
    }
  }
  return out;
}

// ---- sets

void add(Given& given, SchemaId id) {
  const auto at = std::lower_bound(given.begin(), given.end(), id);
  if (at == given.end() || *at != id) {
    given.insert(at, id);
  }
}

bool has(const Given& given, SchemaId id) { return std::binary_search(given.begin(), given.end(), id); }

namespace {

class Closing {
 public:
  Closing(const Schemas& schemas, Sort sort) : schemas_(schemas), sort_(sort) {}

  Closed of(const Given& given) {
    for (const SchemaId id : given) {
      take(id);
    }
    // `then` and dependentSchemas follow from others, so once more until nothing is new.
    for (std::size_t before = 0; before != out_.ids.size() && !out_.never;) {
      before = out_.ids.size();
      const Given ids = out_.ids;
      for (const SchemaId id : ids) {
        for (const InPlace& in : schemas_.node(id).in_place) {
          follow(id, in);
        }
      }
      while (!open_.empty()) {
        const SchemaId id = open_.back();
        open_.pop_back();
        for (const InPlace& in : schemas_.node(id).in_place) {
          follow(id, in);
        }
      }
    }
    return std::move(out_);
  }

 private:
  void take(SchemaId id) {
    if (id == no_schema || schemas_.node(id).always || has(out_.ids, id)) {
      return;
    }
    out_.never = out_.never || schemas_.bars(id, sort_);
    add(out_.ids, id);
    open_.push_back(id);
  }
  void take(const Node* node) {
    if (node != nullptr) {
      take(schemas_.id(node));
    }
  }

  void follow(SchemaId id, const InPlace& in) {
    switch (in.form) {
      case InPlaceForm::reference:
      case InPlaceForm::dynamic:
        take(schemas_.target(id, in));
        break;
      case InPlaceForm::all:
        take(in.node);
        break;
      case InPlaceForm::alternatives: {
        const Node* only = nullptr;
        std::size_t left = 0;
        for (const Node* branch : in.branches) {
          if (!schemas_.bars(schemas_.id(branch), sort_)) {
            only = branch;
            ++left;
          }
        }
        if (left == 1 && schemas_.refuses(id)) {
          take(only);
        }
        break;
      }
      case InPlaceForm::condition:
        if (schemas_.bars(schemas_.id(in.node), sort_)) {
          take(in.else_node);
        } else if (in.node->always || has(out_.ids, schemas_.id(in.node))) {
          take(in.then_node);
        }
        break;
      case InPlaceForm::dependent:
        if (sort_ == Sort::object && object_facts(schemas_, out_.ids).requires_member(in.key)) {
          take(in.node);
        }
        break;
      default:
        break;
    }
  }

  const Schemas& schemas_;
  Sort sort_;
  Closed out_;
  std::vector<SchemaId> open_;
};

}  // namespace

Closed closed(const Schemas& schemas, const Given& given, Sort sort) { return Closing(schemas, sort).of(given); }

}  // namespace plumb::compare
