// Whether a quote occurs in its source.
//
// Both are compared character by character, case and all, after what typesetting changes: any white space is one space
// (none at the ends), typographic quotes and apostrophes are ' or ", dashes and the minus sign are -, the ellipsis is
// three points, and soft hyphens, joiners and the byte order mark are left out. Quotation marks around the whole quote
// are not part of it. A quote with a gap ("... [...] ...") is not looked for in pieces: it is not found.
//
// Time is linear in both texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/text/sentences.hpp"

namespace plumb::text {

enum class QuoteStatus : std::uint8_t {
  found,
  not_found,
  too_short,  // fewer characters than asked for, after folding: finding it would prove nothing
};

struct QuoteResult {
  QuoteStatus status = QuoteStatus::not_found;
  TextSpan where;  // in the source, when found: the first place
};

// `code_points_min`: characters the quote must have. An empty quote is always too short.
QuoteResult find_quote(std::string_view quote, std::string_view source, std::size_t code_points_min = 1);

// How find_folded() compares, besides what find_quote() folds.
struct Comparison {
  bool lowercase = false;
  bool without_spaces = false;  // white space is left out
};

// The first place of `wanted` in `text`, with its marks; nothing when it is not there, or has no character to look for.
std::optional<TextSpan> find_folded(std::string_view wanted, std::string_view text, Comparison how);

}  // namespace plumb::text
