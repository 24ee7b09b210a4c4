// The two laws of derived targets, tried on one contract with many artifacts.
//
//   LawCount count;
//   try_laws(contract, read_options, {{text, context}, ...}, seed, "name", count);
//
// To the artifacts given are added: each with a member taken away or put in, with values exchanged, and texts that the
// derived grammar makes. For every target and every artifact:
//   1. what the target allows and the residual accepts, the contract accepts;
//   2. what the contract accepts, the target allows in an equal form, unless a narrowing of the kind that its refusal
//      is of says why not.
// What the target allows is asked of the target itself: schemas are run by the engine, grammars by gbnf_run.hpp. What
// json-schema writes must also be the same contract, when it is read again.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/check.hpp"

namespace plumb::cases {

struct Tried {
  std::string text;
  std::string context;
};

struct LawCount {
  std::uint64_t contracts = 0;
  std::uint64_t refused = 0;    // targets that cannot express the contract, with an error that says why
  std::uint64_t artifacts = 0;  // times targets
  std::uint64_t allowed = 0;    // by the target
  std::uint64_t narrowed = 0;   // accepted by the contract and not by the target
  std::uint64_t unknown = 0;    // grammar beyond the bounds of the interpreter
  std::vector<std::string> broken;
};

void try_laws(const contract::Contract& contract, const contract::ReadOptions& read,
              const std::vector<Tried>& artifacts, std::uint64_t seed, const std::string& name, LawCount& count);

}  // namespace plumb::cases
