// Near misses: "did you mean", and allowed values with the likely ones first.
//
// The distance is the number of characters inserted, left out, replaced or swapped with their neighbour (Damerau and
// Levenshtein, each piece of text edited once), after lower case. How far away a candidate is, is told by a rank:
//   0      it is equal
//   1      it differs in case only, or has the same words joined in another way or order (correctAnswer,
//          answer_correct)
//   1 + n  it is n edits away: at most 1 in texts of 3 and 4 characters, 2 up to 8, 3 beyond (the longer text counts)
// What is farther is not near. Only values of at most 200 characters are compared; longer ones are near nothing but
// themselves. Time is linear in the values' length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace plumb::text {

// The distance of two texts, or `max` + 1 when it is greater than `max`.
std::uint32_t edit_distance(std::string_view a, std::string_view b, std::uint32_t max);

// The rank of `candidate` for what was meant by `word`. Nothing when it is not near.
std::optional<std::uint32_t> near_miss(std::string_view word, std::string_view candidate);

// The nearest of `candidates`, the first of equals; nothing when none is near. An equal one is returned as it is.
std::optional<std::size_t> nearest(std::string_view word, std::span<const std::string_view> candidates);

// Indices into `allowed`, at most `count_max`: near misses by their rank, then the others, each in the given order.
std::vector<std::size_t> near_misses_first(std::string_view word, std::span<const std::string_view> allowed,
                                           std::size_t count_max = 20);

}  // namespace plumb::text
