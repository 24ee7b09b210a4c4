// Texts that a pattern matches, and texts that it does not: made from the pattern's tree, and judged by the matcher
// before they are given out.
//
//   matching_text("^[a-z]{2,4}-\\d+$", random, {})     "lamp-7"
//   other_text("^[a-z]+$", "lamp", random)             "lamp1"
//
// Bounded: a text is at most `code_points_max` long, and at most 48 are tried. Nothing when none was found: look-ahead
// that contradicts the rest, or words that must and must not end somewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/sample/random.hpp"

namespace plumb::sample {

struct TextBounds {
  std::uint64_t code_points_min = 0;
  std::uint64_t code_points_max = 4096;
};

std::optional<std::string> matching_text(std::string_view pattern, Random& random, TextBounds bounds);
// As near to `text` as can be, and not matched. At most `which` others are passed over, so that callers can ask for the
// next one.
std::optional<std::string> other_text(std::string_view pattern, std::string_view text, Random& random,
                                      std::size_t which = 0);

}  // namespace plumb::sample
