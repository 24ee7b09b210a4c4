// Two contracts beside each other: whether every document that one accepts is accepted by the other, in both
// directions.
//
//   Comparison c = compare(older, newer);
//   c.there.answer                 Answer::no: something that `older` accepts is refused by `newer`
//   c.there.witness->document      {"name":""}
//   c.there.witness->findings      what `newer` finds in it
//
// `yes` only by a proof (core/compare/proof.hpp), `no` only with a document that was judged by the engine: one contract
// accepts it, the other has an error. Else `unknown`, with what could not be shown, and where. A keyword is held
// against what it means, so contracts of different dialects can be compared.
//
// Accepted is what has no finding of severity error, with every rule decided. Bounds of the engine (depth, exponents)
// are no rules of a contract: a document beyond them is neither accepted nor refused.
//
// Pure and bounded by CompareLimits; the same contracts, options and limits give the same bytes on every host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/finding.hpp"

namespace plumb::compare {

struct CompareLimits {
  std::uint64_t goals_max = 100'000;  // of one proof: what is to be shown of schemas
  std::uint64_t judged_max = 6'000;   // documents tried in search of a witness, in each direction
  std::uint64_t steps_max = 2'000;    // of making one document: values made and judged
  std::uint64_t bytes_max = 1 << 20;  // of a document that is tried
  std::size_t open_max = 20;          // places listed that could not be shown; more are counted
};

// A document that is tried first, before any is made: of traffic, say. The texts must stay valid.
struct Candidate {
  std::string_view document;
  std::string_view name;  // told with the witness
};

struct CompareOptions {
  std::string_view context;           // JSON: what the contracts' `context:` pointers read; empty: one is made
  std::vector<Candidate> candidates;  // beyond candidates_max they are left out
  CompareLimits limits;
};
inline constexpr std::size_t candidates_max = 1'000;

enum class Answer : std::uint8_t { yes, no, unknown };
std::string_view answer_name(Answer answer);  // "yes"

struct Witness {
  std::string document;                     // compact JSON; a candidate as it was given
  std::string name;                         // of the candidate; empty: it was made
  std::string context;                      // JSON; empty where none is read
  std::vector<contract::Finding> findings;  // errors of the contract that refuses it: at least one
};

struct Unproven {
  std::string at;               // the place in a document: "/items/*/name"
  std::string schema_location;  // of the keyword, in the contract that may refuse
  std::string keyword;          // empty where the schema itself is meant
  std::string why;              // one sentence without a full stop
};

struct Direction {
  Answer answer = Answer::unknown;
  std::optional<Witness> witness;  // of a no
  std::vector<Unproven> unproven;  // of an unknown
  std::uint64_t more = 0;          // beyond open_max
  bool limited = false;            // of an unknown: the proof reached goals_max
};

struct Comparison {
  Direction there;  // what the first accepts is accepted by the second
  Direction back;   // and the other way
};

Comparison compare(const contract::Contract& first, const contract::Contract& second,
                   const CompareOptions& options = {});

// One direction: is what `accepting` accepts accepted by `refusing`?
Direction compare_one_way(const contract::Contract& accepting, const contract::Contract& refusing,
                          const CompareOptions& options = {});

// The proof alone, without a search: yes or unknown.
Direction prove_one_way(const contract::Contract& accepting, const contract::Contract& refusing,
                        const CompareLimits& limits = {});

// One JSON document: {first, second, there, back}; `name` and `hash` of each contract, and of each direction answer,
// witness, unproven, more, limited. The member `over` is put in where `over` is a JSON text.
std::string comparison_json(const contract::Contract& first, std::string_view first_name,
                            const contract::Contract& second, std::string_view second_name,
                            const Comparison& comparison, std::string_view over = {});

}  // namespace plumb::compare
