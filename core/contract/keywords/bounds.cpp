#include "core/contract/keywords/bounds.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/decimal.hpp"

namespace plumb::contract {

namespace {

template <Kw kw>
void compile_bound(Compiler& compiler, Compiler::At& at) {
  NumberPart::Bound bound{kw, at.position, {}, std::string(at.member.value.str())};
  if (!compiler.number(at, at.member.value, at.where, bound.limit)) {
    return;
  }
  if (kw == Kw::multiple_of && bound.limit.sign() <= 0) {
    compiler.fail(at, "multipleOf must be greater than 0");
    return;
  }
  if (!at.node.number) {
    at.node.number = std::make_unique<NumberPart>();
  }
  at.node.number->bounds.push_back(std::move(bound));
}

constexpr BoundFacets bounds_rows[] = {{Kw::multiple_of, BoundSide::step, false, "a multiple of "},
                                       {Kw::maximum, BoundSide::high, false, "at most "},
                                       {Kw::exclusive_maximum, BoundSide::high, true, "less than "},
                                       {Kw::minimum, BoundSide::low, false, "at least "},
                                       {Kw::exclusive_minimum, BoundSide::low, true, "greater than "}};

bool keeps(const json::Decimal& number, const NumberPart::Bound& bound, const BoundFacets& own) {
  if (own.side == BoundSide::step) {
    return number.is_multiple_of(bound.limit);
  }
  const int order = json::compare(number, bound.limit);
  return order == 0 ? !own.open : (order > 0) == (own.side == BoundSide::low);
}

}  // namespace

const BoundFacets& bound_facets(Kw kw) {
  const BoundFacets* out = bounds_rows;
  while (out->kw != kw) {
    ++out;
  }
  return *out;
}

void find_fast_bounds(NumberPart& part) {
  part.fast = true;
  part.fast_min = -1'000'000'000'000'000'000;
  part.fast_max = 1'000'000'000'000'000'000;
  for (const NumberPart::Bound& bound : part.bounds) {
    std::uint64_t magnitude = 0;
    const BoundFacets& own = bound_facets(bound.kw);
    const bool small = own.side != BoundSide::step && bound.limit.is_integer() && bound.text.size() < 18 &&
                       bound.limit.sign() >= 0 && bound.limit.to_uint64(magnitude);
    const auto limit = static_cast<std::int64_t>(magnitude);
    part.fast = part.fast && small;
    if (own.side == BoundSide::low) {
      part.fast_min = std::max(part.fast_min, limit + (own.open ? 1 : 0));
    } else {
      part.fast_max = std::min(part.fast_max, limit - (own.open ? 1 : 0));
    }
  }
}

void judge_bounds(Engine& engine, std::uint32_t index, const NumberPart& part) {
  for (const NumberPart::Bound& bound : part.bounds) {
    const BoundFacets& own = bound_facets(bound.kw);
    if (keeps(engine.token.decimal, bound, own)) {
      continue;
    }
    const std::uint32_t f = prepare(engine, index, bound.kw, bound.position, 0);
    engine.found[f].finding.requirement = own.words + bound.text;
    engine.found[f].limit = bound.text;
    report(engine, f, engine.now);
  }
}

const Keyword multiple_of_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_bound<Kw::multiple_of>};
const Keyword maximum_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_bound<Kw::maximum>};
const Keyword exclusive_maximum_keyword = {.vocabulary = Vocabulary::validation,
                                           .compile = compile_bound<Kw::exclusive_maximum>};
const Keyword minimum_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_bound<Kw::minimum>};
const Keyword exclusive_minimum_keyword = {.vocabulary = Vocabulary::validation,
                                           .compile = compile_bound<Kw::exclusive_minimum>};

}  // namespace plumb::contract
