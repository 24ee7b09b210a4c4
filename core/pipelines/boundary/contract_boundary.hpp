// A boundary whose rules are a contract, and whose judge and producer are models that are asked with prompts.
//
//   ContractBoundary what;  what.name = "briefs";  what.contract = "contract-brief";  what.consumer = {...};
//   run::Crossing crossing = run::cross_boundary(run, contract_boundary(run, what), items);
//
// Gates are the contract without a model: a broken keyword is structure (the item fails where it is never mended), a
// broken rule of `rules`, also one that `blocks`, is meaning. Rules with `ask` that nothing decided are what the judge
// is asked. It speaks as the consumer: its prompt says who it is, what it will do with an item, and these rules; a
// rejection must name one of them.
//
// The run is pinned to the contract, to the prompts boundary-validate and boundary-revise (pin_boundary), and to what
// revisions are answered with (pin_revision).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/pipelines/preparation.hpp"
#include "core/run/boundary.hpp"

namespace plumb::pipelines {

inline constexpr std::uint64_t boundary_way = 2;

// A part of a pipeline, as it is told to a model.
struct Party {
  std::string agent;  // "SolutionDesigner"
  std::string role;   // "You design solutions."
  std::string work;   // what it does with an item: "You will design one solution for each brief."
};

struct ContractBoundary {
  std::string name;
  std::string contract;  // a pin
  std::string context;   // JSON text that the contract's `context:` pointers read, or empty
  std::string what;      // an item, in a word: "brief"
  std::string name_at;   // JSON Pointer to what an item is called; empty: a revision keeps the name
  Party consumer;
  Party producer;
  std::uint64_t way = boundary_way;  // that the run goes: 1 in those of before revisions had a contract of their own
  std::uint64_t window = 0;          // of the model that judges; 0: not known
  std::uint64_t validate_ms = 90'000;
  std::uint64_t revise_ms = 60'000;
  std::function<bool(std::string_view phase)> free = {};    // whether a phase costs no tokens, and is not watched
  std::function<bool(std::string_view phase)> client = {};  // whether a client program is asked, with no prompt
};

Result<bool> pin_boundary(run::Pins& pins, const Texts& texts);
// Where a request has no way of its own, the run goes the newest.
void write_way(json::Writer& json);
std::uint64_t way_of(const json::Value& input);
// `observe` of the request, or else of the host: the rules and boundaries that are only observed; "*" is all.
Result<bool> write_observed(json::Writer& json, const json::Value& request, const Texts& texts);
// Of the items in one call: what a known window leaves, else 16,000.
std::uint64_t batch_tokens(std::uint64_t window);
run::Boundary contract_boundary(run::Run& run, const ContractBoundary& what);

// The field that a contract's `itemId`, or `pointer` where there is one, names in `value`; empty: none.
std::string item_name(const contract::Contract& contract, std::string_view pointer, const json::Value& value);

// The value with the warning at the end of its `validation_warnings`; as it is where it is no object.
run::Data with_warning(const run::Data& value, std::string_view warning);

}  // namespace plumb::pipelines
