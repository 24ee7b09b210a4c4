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

bool keeps(const json::Decimal& number, const NumberPart::Bound& bound) {
  switch (bound.kw) {
    case Kw::maximum:
      return json::compare(number, bound.limit) <= 0;
    case Kw::exclusive_maximum:
      return json::compare(number, bound.limit) < 0;
    case Kw::minimum:
      return json::compare(number, bound.limit) >= 0;
    case Kw::exclusive_minimum:
      return json::compare(number, bound.limit) > 0;
    default:
      return number.is_multiple_of(bound.limit);
  }
}

const char* words_of(Kw kw) {
  switch (kw) {
    case Kw::maximum:
      return "at most ";
    case Kw::exclusive_maximum:
      return "less than ";
    case Kw::minimum:
      return "at least ";
    case Kw::exclusive_minimum:
      return "greater than ";
    default:
      return "a multiple of ";
  }
}

}  // namespace

void find_fast_bounds(NumberPart& part) {
  part.fast = true;
  part.fast_min = -1'000'000'000'000'000'000;
  part.fast_max = 1'000'000'000'000'000'000;
  for (const NumberPart::Bound& bound : part.bounds) {
    std::uint64_t magnitude = 0;
    const bool small = bound.kw != Kw::multiple_of && bound.limit.is_integer() && bound.text.size() < 18 &&
                       bound.limit.sign() >= 0 && bound.limit.to_uint64(magnitude);
    const auto limit = static_cast<std::int64_t>(magnitude);
    part.fast = part.fast && small;
    if (bound.kw == Kw::minimum || bound.kw == Kw::exclusive_minimum) {
      part.fast_min = std::max(part.fast_min, bound.kw == Kw::minimum ? limit : limit + 1);
    } else {
      part.fast_max = std::min(part.fast_max, bound.kw == Kw::maximum ? limit : limit - 1);
    }
  }
}

void judge_bounds(Engine& engine, std::uint32_t index, const NumberPart& part) {
  for (const NumberPart::Bound& bound : part.bounds) {
    if (keeps(engine.token.decimal, bound)) {
      continue;
    }
    const std::uint32_t f = prepare(engine, index, bound.kw, bound.position, 0);
    engine.found[f].finding.requirement = words_of(bound.kw) + bound.text;
    engine.found[f].limit = bound.text;
    report(engine, f, engine.now);
  }
}

extern const Keyword multiple_of_keyword;
const Keyword multiple_of_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_bound<Kw::multiple_of>};
extern const Keyword maximum_keyword;
const Keyword maximum_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_bound<Kw::maximum>};
extern const Keyword exclusive_maximum_keyword;
const Keyword exclusive_maximum_keyword = {.vocabulary = Vocabulary::validation,
                                           .compile = compile_bound<Kw::exclusive_maximum>};
extern const Keyword minimum_keyword;
const Keyword minimum_keyword = {.vocabulary = Vocabulary::validation, .compile = compile_bound<Kw::minimum>};
extern const Keyword exclusive_minimum_keyword;
const Keyword exclusive_minimum_keyword = {.vocabulary = Vocabulary::validation,
                                           .compile = compile_bound<Kw::exclusive_minimum>};

}  // namespace plumb::contract
