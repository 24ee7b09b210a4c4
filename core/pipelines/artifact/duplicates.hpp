// Items of an artifact that say the same, and options that do.
//
// Two items are duplicates if their first texts (question, term, label) are equal as people read them: after
// normalisation, without zero-width characters, in any case, with any white space and without final punctuation;
// full-width letters, superscript and subscript digits and ligatures count as the plain ones. The later one is an
// error. Two options of one item that are equal only so are a warning: x² and x2 are not the same. Internal to this
// folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/json/value.hpp"

namespace plumb::pipelines::artifact {

inline constexpr std::string_view rule_duplicate = "duplicate";
inline constexpr std::string_view rule_duplicate_option = "duplicate-option";

// The text that two duplicates have in common.
std::string duplicate_key(std::string_view text);

// `places`: of the items, as pointers; `one`: what an item is called.
std::vector<contract::Finding> duplicates_in(const json::Value& artifact, const std::vector<std::string>& places,
                                             std::string_view one);

// Adds findings to a verdict. A duplicate that the contract's own `distinct` reports is not reported twice.
void add_findings(contract::Verdict& verdict, std::vector<contract::Finding> findings);

}  // namespace plumb::pipelines::artifact
