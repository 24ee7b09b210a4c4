// minimum, exclusiveMinimum, maximum, exclusiveMaximum and multipleOf: what a number is held against, exactly, when it
// has ended. A small whole number is held against small whole bounds without a Decimal.
#pragma once

#include <cstdint>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// What a bound asks: a limit below or above, which may itself be refused, or a step.
enum class BoundSide : std::uint8_t { step, low, high };
struct BoundFacets {
  Kw kw;
  BoundSide side;
  bool open;          // the limit itself breaks it
  const char* words;  // "at most "
};
// Of one of the five.
const BoundFacets& bound_facets(Kw kw);

// Finds the range of small whole numbers that certainly keep all bounds, where there is one (NumberPart::fast).
void find_fast_bounds(NumberPart& part);
// Whether a whole number of at most 15 digits certainly keeps them. Only where the part is fast.
inline bool bounds_accept(const NumberPart& part, std::int64_t value) {
  return value >= part.fast_min && value <= part.fast_max;
}
// Judges the number of the token.
void judge_bounds(Engine& engine, std::uint32_t index, const NumberPart& part);

}  // namespace plumb::contract
