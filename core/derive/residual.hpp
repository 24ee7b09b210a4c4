// What a derived target does not enforce: as a list, and as a contract of its own.
//
// For every value that the target allows: the residual accepts it if and only if the contract does. Where parts of the
// contract cannot be taken out (dynamic references, several dialects), the residual is the contract itself.
#pragma once

#include <string>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/derive/form.hpp"
#include "core/derive/schema_graph.hpp"
#include "core/result.hpp"

namespace plumb::derive {

struct ResidualRule {
  std::string keyword;          // or the id of a line of `rules`
  std::string schema_location;  // as in findings
  std::string sentence;
};

struct Residual {
  std::vector<ResidualRule> rules;  // in the order in which one reads the contract
  std::string contract;             // JSON text
};

// `target` is the name used in the residual's `$comment`.
Result<Residual> read_residual(const SchemaGraph& graph, const contract::Contract& contract, std::string_view target,
                               const Limits& limits);

}  // namespace plumb::derive
