// Decides whether a member named like a Plumbline keyword is meant as one. Schemas of others have annotations with
// such names (`rules`, `length`, `role`), which are ignored. But if the value has the form that makes the keyword, any
// other fault in it is reported. Otherwise a typing mistake would turn a gate off.
#pragma once

#include <string_view>

#include "core/json/value.hpp"

namespace plumb::contract {

// `keyword` is one of vocabulary_keywords.
bool has_our_form(std::string_view keyword, const json::Value& value);

}  // namespace plumb::contract
