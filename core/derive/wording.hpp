// What a keyword asks, in plain words: for prompts, pages, comments and the list of what a target does not enforce.
#pragma once

#include <string>
#include <string_view>

#include "core/derive/schema_graph.hpp"

namespace plumb::derive {

// "at least 4 items", "one of the values at `options/*` beside it": a phrase without capital and full stop. Never empty
// for a keyword that asserts.
std::string phrase(std::string_view key, const json::Value& value);
// The same beside its schema's other keywords: "exactly 4 items" of two bounds that are equal, for either of them.
std::string phrase_in(const json::Value& schema, std::string_view key, const json::Value& value);
// A phrase as a sentence: "At least 4 items."
std::string sentence(std::string_view words);
// What a line of `rules` asks: its title, or its question, or what its check looks at.
std::string rule_phrase(const json::Value& rule);
// The contract's own words for a broken keyword, as far as they make sense without a variable; else phrase().
std::string own_words(const json::Value& schema, std::string_view key, const json::Value& value);

// "a, b and c".
std::string listed(const std::vector<std::string>& words, std::string_view last = "and");
// `view` in back quotes.
std::string quoted(std::string_view view);
// A list of strings as words in back quotes.
std::string quoted_list(const json::Value& list, std::string_view last = "and");

}  // namespace plumb::derive
