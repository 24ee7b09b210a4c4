// Stores how many tests a gate ran on each tree, so that a later check can detect missing tests.
//
//   keep_counts(at, tree, gates, results);                          // of a tree that passed
//   std::vector<GateResult> base = kept_counts(at, base_tree, gates);
//
// The key is the hash of the git tree and the gate as declared; a changed command makes a new key. Keeps the newest
// 1,000 entries in one file for each repository. Anyone who can write that file can change the counts: SECURITY.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/workflow/gate_results.hpp"
#include "native/workflow/declared.hpp"

namespace plumb::workflow {

// A gate's name with a hash of its declaration: what is known of it is forgotten once it is edited.
std::string gate_key(const Gate& gate);
// Returns a passed result with its count for each gate with a stored count.
std::vector<GateResult> kept_counts(const DeclaredAt& at, const std::string& tree, std::span<const Gate> gates);
Result<bool> keep_counts(const DeclaredAt& at, const std::string& tree, std::span<const Gate> gates,
                         std::span<const GateResult> results);

}  // namespace plumb::workflow
