// What an interface lets a model write where it holds it to a schema. OpenAI and Anthropic hold it to the schema of
// `strict`; Ollama to every schema, as far as its grammars know the keywords, and with objects that have the members
// with a name and no others, unless additionalProperties says that there are.
//
//   grammar_of(Wire::ollama, R"({"properties":{"a":{}},"minProperties":2})")
//     {"type":"object","properties":{"a":{}},"additionalProperties":false}
//   held_to(contract_of_grammar, R"({"a":1,"b":2})", seed)                          {"a":1}
//
// What the interface leaves to the model has no grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/contract.hpp"
#include "core/wire/model.hpp"

namespace plumb::stranger {

// The schema that answers are held to, as a schema that says no more than the grammar does. `strict`: it was sent so.
// Empty: there is none.
std::string grammar_of(wire::Wire wire, std::string_view schema, bool strict);

// The value as it can be written under that grammar: as it is where it keeps it, else with what breaks it left out or
// made anew. `fresh`: a value that keeps it, for where nothing else is found.
std::string held_to(const contract::Contract& grammar, std::string_view value, std::string_view fresh,
                    std::uint64_t seed);

}  // namespace plumb::stranger
