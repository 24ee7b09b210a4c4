// What targets that are program text share: names, and numbers that a program holds as the contract has them. Private
// to core/derive.
#pragma once

#include <string>
#include <string_view>

#include "core/derive/form.hpp"
#include "core/json/value.hpp"

namespace plumb::derive {

// A name for a type: letters and digits, each word beginning with a capital; "Contract" where nothing of it will do.
std::string type_name(std::string_view name);
// ASCII letters, digits, `_` and `$`, and no digit first: a key of TypeScript that needs no quotes.
bool is_identifier(std::string_view key);
// A number that a double holds exactly, in short: up to 15 characters. `out` is how it is written.
bool is_literal_number(std::string_view text, std::string& out);
// `text` without what would end a line.
std::string one_line(std::string_view text);
// What the contract says of a place beyond its schema: the description of `said` where there is one, else that of the
// form. Empty: nothing.
std::string_view description_of(const SchemaGraph& graph, const Form& form, SchemaId said);

}  // namespace plumb::derive
