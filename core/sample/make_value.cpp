// One value: the kind, members of enum and const, numbers. What was made is shown to the engine, and where it finds
// something, other branches are chosen.
#include <algorithm>

#include "core/contract/keywords/bounds.hpp"
#include "core/json/number_text.hpp"
#include "core/sample/breaking.hpp"
#include "core/sample/maker.hpp"
#include "core/sample/words.hpp"

namespace plumb::sample {

using json::Decimal;
using json::DecimalStatus;
using json::Kind;

namespace {

constexpr std::size_t attempts_max = 14;
constexpr std::size_t numbers_max = 400;  // candidates for one number

Decimal decimal(std::string_view text) {
  Decimal out;
  return Decimal::read(text, Decimal::exponent_max_default, out) == DecimalStatus::ok ? out : Decimal();
}

Decimal sum(const Decimal& a, const Decimal& b) {
  Decimal out;
  return a.add(b, Decimal::exponent_max_default, out) == DecimalStatus::ok ? out : a;
}

Decimal negated(const Decimal& a) {
  const std::string text = a.canonical();
  return a.sign() == 0 ? a : decimal(text[0] == '-' ? text.substr(1) : "-" + text);
}

// The bits of Node::types that a kind of value has: a whole number is a number too.
unsigned bits_of(Kind kind) {
  return contract::bit_of(kind) | (kind == Kind::number ? unsigned{contract::type_integer} : 0U);
}

// How much the rules that read other places, and those over trees, say about a kind of value.
unsigned said_across(const Program& program, const Node& node, Kind kind) {
  if (!node.extra) {
    return 0;
  }
  unsigned weight = 0;
  for (const contract::CrossRule& rule : node.extra->cross) {
    if (const std::optional<Kind> own = contract::facets_of(rule.kw).kind) {
      weight += kind == *own ? 3U : 0U;
    } else if (!rule.bounds.empty()) {
      const bool whole = rule.all.empty() || rule.all.front().pattern == contract::none32;
      const contract::PointerPattern* in = whole ? nullptr : &program.pointer_patterns[rule.all.front().pattern];
      if (whole || (in->levels_up == 0 && !in->tokens.empty() && (in->tokens[0].star || in->tokens[0].is_index))) {
        weight += kind == Kind::array ? 3U : 0U;
      } else if (in->levels_up == 0) {
        weight += kind == Kind::object ? 3U : 0U;
      }
    }
    for (const contract::CrossRule::Match& match : rule.match) {
      weight += kind == Kind::object && match.own != contract::none32 ? 3U : 0U;
    }
  }
  return weight + (!node.extra->trees.empty() && kind == Kind::object ? 2U : 0U);
}

}  // namespace

// The kinds that `type` allows, the one that most is said about first.
std::vector<Kind> Maker::kinds(const View& view) const {
  constexpr Kind all[] = {Kind::string, Kind::object, Kind::array, Kind::number, Kind::boolean, Kind::null};
  std::vector<Kind> out;
  std::vector<unsigned> weights;
  for (const Kind kind : all) {
    unsigned weight = kind == Kind::string ? 1 : 0;
    bool allowed = true;
    bool goal = false;
    for (const Ask& ask : view.nodes) {
      const Node& node = *ask.node;
      allowed = allowed && (node.types & bits_of(kind)) != 0;
      weight += (kind == Kind::object && node.object) || (kind == Kind::array && node.array) ||
                        (kind == Kind::string && node.string) || (kind == Kind::number && node.number)
                    ? 2U
                    : 0U;
      for (const auto& [of, wanted] : style.kinds) {
        goal = goal || (of == &node && wanted == kind);
      }
      weight += said_across(program_, node, kind);
      if (kind == Kind::string && node.schema->find("format") != nullptr) {
        weight += 1;
      }
    }
    for (const Pending& pending : view.pointed) {
      if (pending.token < pending.pattern->tokens.size()) {
        const json::PointerToken& token = pending.pattern->tokens[pending.token];
        weight += kind == (token.star || token.is_index ? Kind::array : Kind::object) ? 3U : 0U;
      }
    }
    if (!allowed) {
      continue;
    }
    weight += goal ? 1000U : 0U;
    std::size_t at = out.size();
    while (at > 0 && weights[at - 1] < weight) {
      --at;
    }
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), kind);
    weights.insert(weights.begin() + static_cast<std::ptrdiff_t>(at), weight);
  }
  return out;
}

std::size_t Maker::times_on_way(const Wish& wish) const {
  std::size_t most = 0;
  for (const Ask& ask : wish.all) {
    most = std::max(most, static_cast<std::size_t>(std::count(on_way_.begin(), on_way_.end(), ask.node)));
  }
  return most;
}

std::optional<Draft> Maker::make(const Wish& wish, std::string_view key, std::uint32_t depth) {
  if (depth > budget_.depth_max) {
    because("it would nest deeper than " + json::uint_text(budget_.depth_max) + " levels");
    return std::nullopt;
  }
  if (depth == 0) {
    values_ = 0;
  }
  if (++values_ > budget_.values_max) {
    because("it would have more than " + json::uint_text(budget_.values_max) + " values");
    return std::nullopt;
  }
  const std::size_t way = on_way_.size();
  std::optional<Draft> out;
  for (std::size_t attempt = 0; attempt < attempts_max && !out; ++attempt) {
    if (!budget_.step()) {
      because("the bound on search steps was reached");
      break;
    }
    const std::uint64_t choices = attempt == 0 && !style.rich ? 0 : random_.next() | 1U;
    const View view = look(wish, choices, nullptr, {});
    if (view.never) {
      because("a schema that must hold there is false");
      continue;
    }
    for (const Ask& ask : view.nodes) {
      on_way_.push_back(ask.node);
    }
    out = build(wish, view, key, depth, attempt, choices);
    on_way_.resize(way);
    if (out && !fits(wish, *out) && !(avoid(wish, view, *out) && fits(wish, *out))) {
      out.reset();
    }
  }
  if (!out) {
    because("no value was found that fits " +
            (wish.all.empty() ? std::string("it") : "the schema at '" + wish.all.front().node->location + "'"));
  }
  return out;
}

std::optional<Draft> Maker::build(const Wish& wish, const View& view, std::string_view key, std::uint32_t depth,
                                  std::size_t attempt, std::uint64_t choices) {
  for (const Ask& ask : view.nodes) {
    if (ask.node->scalar) {
      return build_listed(view, attempt);
    }
  }
  const std::vector<Kind> allowed = kinds(view);
  if (allowed.empty()) {
    because("the types that must hold there exclude each other");
    return std::nullopt;
  }
  if (random_.vocabulary() != nullptr) {
    if (const std::vector<std::string> values = given(view, key); !values.empty()) {
      constexpr std::size_t given_tries = 2;
      if (attempt < given_tries) {
        json::Arena arena;
        const Result<json::Value> value = json::parse(values[random_.below(values.size())], arena);
        return value ? std::optional(Draft::of(value.value())) : std::nullopt;
      }
      attempt -= given_tries;
    }
  }
  switch (allowed[(attempt / 2) % allowed.size()]) {
    case Kind::string:
      return make_string(view, key, attempt);
    case Kind::number:
      return build_number(view, attempt);
    case Kind::array:
      return build_array(view, key, depth, attempt);
    case Kind::object:
      return build_object(wish, view, depth, attempt, choices);
    case Kind::boolean:
      return Draft::truth(attempt % 2 == 0);
    case Kind::null:
      break;
  }
  return Draft::of_kind(Kind::null);
}

// One of those that every enum and const has.
std::optional<Draft> Maker::build_listed(const View& view, std::size_t attempt) {
  std::vector<const contract::ScalarPart*> parts;
  for (const Ask& ask : view.nodes) {
    if (ask.node->scalar) {
      parts.push_back(ask.node->scalar.get());
    }
    for (const auto& more : ask.node->more_scalars) {
      parts.push_back(more.get());
    }
  }
  std::vector<const json::Value*> candidates;
  for (const contract::Value& member : parts.front()->members) {
    const bool everywhere = std::all_of(parts.begin(), parts.end(), [&](const contract::ScalarPart* part) {
      return std::any_of(part->members.begin(), part->members.end(),
                         [&](const contract::Value& other) { return json::equal(member.value, other.value); });
    });
    if (everywhere) {
      candidates.push_back(&member.value);
    }
  }
  if (candidates.empty()) {
    because("no value is in all of its enum and const lists");
    return std::nullopt;
  }
  const std::size_t first = style.rich ? random_.below(candidates.size()) : 0;
  // Every candidate gets its turn, however long the list.
  for (std::size_t i = 0; i < candidates.size() && i < 64; ++i) {
    Draft out = Draft::of(*candidates[(first + attempt + i) % candidates.size()]);
    const bool good =
        std::all_of(view.nodes.begin(), view.nodes.end(), [&](const Ask& ask) { return holds(ask.node, out); }) &&
        std::none_of(view.none.begin(), view.none.end(), [&](const Ask& ask) { return holds(ask.node, out); });
    if (good || i + 1 == candidates.size()) {
      return out;
    }
  }
  return Draft::of(*candidates[first]);
}

std::optional<Draft> Maker::build_number(const View& view, std::size_t attempt) {
  bool whole = true;
  bool has_low = false;
  bool has_high = false;
  Decimal low;
  Decimal high;
  std::vector<Decimal> steps;
  for (const Ask& ask : view.nodes) {
    whole = whole && (ask.node->types & contract::type_number) != 0;
    if (!ask.node->number) {
      continue;
    }
    for (const contract::NumberPart::Bound& bound : ask.node->number->bounds) {
      const contract::BoundSide side = bound_facets(bound.kw).side;
      if (side == contract::BoundSide::step) {
        steps.push_back(bound.limit);
      } else if (side == contract::BoundSide::low) {
        low = !has_low || compare(bound.limit, low) > 0 ? bound.limit : low;
        has_low = true;
      } else {
        high = !has_high || compare(bound.limit, high) < 0 ? bound.limit : high;
        has_high = true;
      }
    }
  }
  const bool integer = !whole;
  const auto good = [&](const Decimal& number) {
    const Draft draft = Draft::number(number.canonical());
    for (const Ask& ask : view.nodes) {
      if (ask.node->number && !holds(ask.node, draft)) {
        return false;
      }
    }
    return !integer || number.is_integer();
  };
  // The step of the numbers looked at: a multiple where one is asked for, else one; smaller where the bounds are
  // narrow.
  Decimal step = steps.empty() ? decimal("1") : steps.front();
  for (const Decimal& other : steps) {
    step = compare(other, step) > 0 ? other : step;
  }
  if (step.is_zero()) {
    step = decimal("1");
  }
  // The multiple of `step` at or below the lower bound (or the upper one, where there is only that): by doubling.
  const Decimal& anchor = has_low ? low : high;
  Decimal base;
  if (has_low || has_high) {
    const bool negative = anchor.sign() < 0;
    const Decimal aim = negative ? negated(anchor) : anchor;
    std::vector<Decimal> doubles{step};
    while (doubles.size() < 4000 && compare(doubles.back(), aim) < 0) {
      doubles.push_back(sum(doubles.back(), doubles.back()));
    }
    for (std::size_t i = doubles.size(); i-- > 0;) {
      const Decimal next = sum(base, doubles[i]);
      base = compare(next, aim) <= 0 ? next : base;
    }
    base = negative ? negated(base) : base;
  }
  const Decimal way = has_low || !has_high ? step : negated(step);
  std::vector<Decimal> found;
  const std::size_t wanted = style.rich ? 1 + random_.below(5) + attempt : 1 + attempt;
  if (!style.rich && good(Decimal())) {
    found.emplace_back();
  }
  Decimal at = has_low ? sum(base, negated(step)) : base;
  for (std::size_t i = 0; i < numbers_max && found.size() < wanted && budget_.step(); ++i) {
    if (good(at)) {
      found.push_back(at);
    }
    at = sum(at, way);
    if (has_low && has_high && compare(at, high) > 0) {
      break;
    }
  }
  if (found.empty() && has_low && steps.empty() && !integer) {
    // Between bounds that are less than one apart.
    std::string small = "1";
    for (std::size_t i = 0; i < 60 && found.empty(); ++i) {
      small = i == 0 ? "0.5" : "1e-" + json::uint_text(i);
      const Decimal next = sum(low, decimal(small));
      if (good(next)) {
        found.push_back(next);
      }
    }
  }
  for (const Decimal& edge : {low, high}) {
    if (found.empty() && good(edge)) {
      found.push_back(edge);
    }
  }
  if (found.empty()) {
    because("no number was found between its bounds");
    return std::nullopt;
  }
  return Draft::number(found[std::min(found.size() - 1, wanted - 1)].canonical());
}

Draft Maker::any_of_kind(Kind kind) {
  switch (kind) {
    case Kind::string:
      return Draft::string(phrase(random_, 2));
    case Kind::number:
      return Draft::number(json::uint_text(3 + random_.below(90)));
    case Kind::boolean:
      return Draft::truth(true);
    default:
      return Draft::of_kind(kind);
  }
}

// A value that fits what must hold and also what must not: it is broken for that, in one of the ways it can be.
bool Maker::avoid(const Wish& wish, const View& view, Draft& value) {
  constexpr std::uint32_t nested_max = 4;
  if (nested_ >= nested_max) {
    return false;
  }
  ++nested_;
  std::vector<Ask> none = view.none;
  const Wish& kept = wish;
  bool fine = false;
  for (const Ask& ask : none) {
    if (ask.node->always || !holds(ask.node, value)) {
      continue;
    }
    fine = false;
    const std::vector<Site> sites = sites_of(program_, ask.node);
    budget_.spend(sites.size() / 16);
    for (const Site& site : sites) {
      for (Draft& other : broken_values(*this, site, kept, value)) {
        if (!holds(ask.node, other) && fits(wish, other)) {
          other.key = value.key;
          value = std::move(other);
          fine = true;
          break;
        }
      }
      if (fine || budget_.spent()) {
        break;
      }
    }
  }
  --nested_;
  return fine;
}

}  // namespace plumb::sample
