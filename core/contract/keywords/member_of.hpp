// memberOf: the value is one of those that another place holds. Its common form, one of the strings in a list that
// is beside the value, is accepted by a look at that list.
#pragma once

#include <string>
#include <string_view>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// Whether a rule is memberOf in its common form: {"in": "1/LIST/*"}.
bool is_common_member_of(const Program& program, const CrossRule& rule);
// Where it is, the key of the list beside the value.
const std::string& member_list(const Program& program, const Node& node);
// Whether a string is certainly in that list. False: it is left to the engine.
bool member_accepts(const Engine& engine, const Node& node, std::string_view text);

}  // namespace plumb::contract
