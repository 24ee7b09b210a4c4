// JSON Patch (RFC 6902) with a guard: a repair that may touch only what is wrong.
//
//   std::vector<std::string> scope = repair_scope(contract, findings);
//   Result<std::string> mended = apply_patch(artifact, patch, scope);
//
// All six operations are understood; a `test` that fails ends the patch. An operation that would change something that
// no pointer of the scope covers is refused, and with it the whole patch: nothing is applied in part.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/finding.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::repair {

inline constexpr std::size_t patch_operations_max = 1'000;
inline constexpr std::size_t patched_bytes_max = std::size_t{64} << 20;

// The document after the patch, as compact JSON; numbers and the order of members stay as they were written. The error
// names the operation ("/3") and what is wrong with it. `scope`: pointers below which all may change; "" is everything.
Result<std::string> apply_patch(const json::Value& document, const json::Value& patch,
                                std::span<const std::string> scope);

// Where these findings can be mended: the failing places, the members that are missing, and, for rules that read other
// places of the artifact, the places that they read. Sorted, each once, none below another.
std::vector<std::string> repair_scope(const contract::Contract& contract, std::span<const contract::Finding> findings);

}  // namespace plumb::repair
