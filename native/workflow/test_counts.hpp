// How many tests a gate ran on a tree, kept beside the store, so that a later check knows how many there were before.
//
//   keep_counts(at, tree, gates, results);                          // of a tree that passed
//   std::vector<GateResult> base = kept_counts(at, base_tree, gates);
//
// A count is of a tree (its hash in git) and of a gate as it is declared: with another command it is another gate. The
// newest 1,000 are kept, a file a repository. Who may write there may say what they like: SECURITY.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/workflow/gate_results.hpp"
#include "native/workflow/declared.hpp"

namespace plumb::workflow {

// A result, passed and with its count, for each gate of which one is known.
std::vector<GateResult> kept_counts(const DeclaredAt& at, const std::string& tree, std::span<const Gate> gates);
Result<bool> keep_counts(const DeclaredAt& at, const std::string& tree, std::span<const Gate> gates,
                         std::span<const GateResult> results);

}  // namespace plumb::workflow
