// Whether a member that has the name of one of our keywords is meant as ours. Other people's schemas carry annotations
// with such names (`rules`, `length`, `role`), which are left alone; but where a value has the form of ours in what
// makes the keyword, another fault in it is a mistake, and would turn a gate off if it were passed over.
#pragma once

#include <string_view>

#include "core/json/value.hpp"

namespace plumb::contract {

// `keyword` is one of vocabulary_keywords.
bool has_our_form(std::string_view keyword, const json::Value& value);

}  // namespace plumb::contract
