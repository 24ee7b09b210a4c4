// What a comparison does with each keyword: one row each. A keyword without a row leaves its schema unproven, so
// that a new one is never passed over.
#pragma once

#include "core/contract/keywords.hpp"

namespace plumb::compare {

enum class Compared : unsigned char {
  not_yet,     // no row
  by_meaning,  // what one allows is held against what the other does
  where_same,  // only where both have the same, or where it cannot matter
};
Compared compared(contract::Kw kw);

}  // namespace plumb::compare
