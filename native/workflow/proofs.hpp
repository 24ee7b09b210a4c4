// When gates were last proven by canaries (`plumb workflow prove`), beside the store, a file a repository. A proof
// holds for the gate as it is declared: an edited one has none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/workflow/canaries.hpp"
#include "native/workflow/declared.hpp"

namespace plumb::workflow {

struct GateProof {
  std::string gate;  // with a hash of its declaration
  Proof proof = Proof::unproven;
  std::uint64_t at_ms = 0;
  static std::span<const json::Field> fields();
};
// The proofs that hold for these gates, in their order; `at_ms` is 0 where a gate was never proven.
std::vector<GateProof> kept_proofs(const DeclaredAt& at, std::span<const Gate> gates);
Result<bool> keep_proofs(const DeclaredAt& at, std::span<const Gate> gates, std::span<const GateProof> proofs);
// "2026-11-28", in UTC.
std::string day_of(std::uint64_t at_ms);

}  // namespace plumb::workflow
