// JSON Patch (RFC 6902) with a guard: a repair may change only what is wrong.
//
//   std::vector<std::string> scope = repair_scope(contract, findings);
//   Result<std::string> mended = apply_patch(artifact, patch, scope);
//
// All six operations are supported; a `test` that fails ends the patch with an error. An operation that would change a
// place outside the scope is refused, and the whole patch with it. Nothing is applied in part. At most
// patch_operations_max operations, and patched_bytes_max bytes of result.
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

// Returns the patched document as compact JSON. Numbers and the order of members stay as they were written. An error
// names the operation ("/3") and what is wrong with it. `scope`: JSON Pointers; everything at and below them may
// change. "" allows everything.
Result<std::string> apply_patch(const json::Value& document, const json::Value& patch,
                                std::span<const std::string> scope);

// The places where these findings can be fixed: failing places, missing members and, for rules that read other places
// of the artifact, those places. Sorted and distinct, and none is below another.
std::vector<std::string> repair_scope(const contract::Contract& contract, std::span<const contract::Finding> findings);

}  // namespace plumb::repair
