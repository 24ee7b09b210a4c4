// Parts of a grammar of llama.cpp (GBNF), as text: literals, character classes, ranges of integers, patterns. A grammar
// is over JSON text, so that each of these speaks of characters as JSON writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::derive {

// "\"a\"": a literal of the grammar for `text`.
std::string gbnf_literal(std::string_view text);
// "{2,4}", "{2,}", "*", "+", "?", "" for once; `max` may be contract::no_bound. Repeats beyond `gbnf_repeats_max` are
// refused by what runs grammars.
inline constexpr std::uint64_t gbnf_repeats_max = 2000;
std::string gbnf_repeat(std::uint64_t min, std::uint64_t max);

// The digits of all integers from `min` to `max`; absent is unbounded. Empty where there is none.
std::string gbnf_integers(std::optional<std::int64_t> min, std::optional<std::int64_t> max);

// What is between the quotes of a JSON string that the pattern (ECMA-262, searched) matches, in terms of the rule
// `char`. Nothing where a grammar cannot say it: look-ahead, word boundaries, anchors inside, long repeats.
std::optional<std::string> gbnf_pattern(std::string_view source);

}  // namespace plumb::derive
