// How the tables are packed (toolchains/unicode/generate.py writes them).
//
// A property with values is a list of runs that covers all code points: the length as a varint (seven bits a byte, low
// bits first, the highest bit says that more follow), then the value as a byte. Every 32nd run has a mark, its code
// point and its place, so that a look-up is a binary search and at most 32 short steps. Where a value does not matter
// (unassigned code points have no script, no joining type) the run before goes on, which saves most of them. Categories
// have one value more than there are: capital and small letters by turns.
//
// A binary property is a union of categories and the ranges in which that union is wrong, as (gap, length - 1) pairs of
// varints. Math is "Sm, but for ..." in 150 bytes rather than 300.
//
// A canonical decomposition is the distance from the code point before, the difference of its first character to that
// of the entry before (zigzag), and the number of its second character in a table of 60; marks as above.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/text/unicode_tables.hpp"

namespace plumb::text {

inline std::uint32_t read_varint(const std::uint8_t*& at) {
  std::uint32_t value = *at & 0x7FU;
  for (std::uint32_t shift = 7; (*at++ & 0x80U) != 0 && shift < 32; shift += 7) {
    value |= (*at & 0x7FU) << shift;
  }
  return value;
}

inline std::int32_t read_zigzag(const std::uint8_t*& at) {
  const std::uint32_t value = read_varint(at);
  return (value & 1U) != 0 ? -static_cast<std::int32_t>(value / 2) - 1 : static_cast<std::int32_t>(value / 2);
}

inline const tables::RunMark* mark_before(const tables::RunMark* marks, std::uint32_t size, std::uint32_t code) {
  return std::upper_bound(marks, marks + size, code,
                          [](std::uint32_t c, const tables::RunMark& m) { return c < m.first; }) -
         1;
}

}  // namespace plumb::text
