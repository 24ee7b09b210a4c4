// The answers that an interface allows when it enforces a schema. OpenAI and Anthropic enforce a schema sent as
// `strict`. Ollama enforces every schema, limited to the keywords that its grammars support, and allows only the named
// members of an object unless additionalProperties allows others.
//
//   grammar_of(Wire::ollama, R"({"properties":{"a":{}},"minProperties":2})")
//     {"type":"object","properties":{"a":{}},"additionalProperties":false}
//   held_to(contract_of_grammar, R"({"a":1,"b":2})", seed)                          {"a":1}
//
// A schema that the interface does not enforce has no grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/contract.hpp"
#include "core/wire/model.hpp"

namespace plumb::stranger {

// Returns a schema with exactly the rules that the interface enforces. `strict`: whether the request had it set.
// Returns an empty text if nothing is enforced.
std::string grammar_of(wire::Wire wire, std::string_view schema, bool strict);

// Returns the value if the grammar allows it. Otherwise returns it with the offending parts removed or replaced, or
// `fresh`, a value that the grammar allows, if that fails.
std::string held_to(const contract::Contract& grammar, std::string_view value, std::string_view fresh,
                    std::uint64_t seed);

}  // namespace plumb::stranger
