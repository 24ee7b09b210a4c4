// The stages of discovery, each a function over a Run. What a stage gives is JSON, so that it is journalled when it has
// finished, and what comes behind it starts from there. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipelines/discovery/job.hpp"
#include "core/run/boundary.hpp"

namespace plumb::pipelines::discovery {

// Who was asked and did not do its work: a provider that is down, an answer that cannot be used.
struct Failure {
  std::string stage, agent, why;
  bool operator==(const Failure& other) const = default;
};
void add_failure(std::vector<Failure>& all, Failure more);  // once, however often it is met
// The member "failures", where there are any; and back.
void write_failures(json::Writer& json, const std::vector<Failure>& failures);
std::vector<Failure> failures_of(const json::Value& object);

// An opportunity on its way through the stages.
struct Chain {
  std::string id;  // "O3", of a part "O3.1"
  run::Data brief, solution, spec, infeasible, conversation;
  std::string stage;                      // the last one that it came through
  std::string left_out;                   // why it went no further, or empty
  std::vector<std::string> unverified;    // boundaries
  std::string revised_from;               // the opportunity that it is a part of, or was framed anew from
  std::string send_back;                  // why the stage that it came to last sends it back, or empty
  std::vector<std::string> sent_back_by;  // stages that have done so: each does at most once
  std::vector<Failure> failures;          // of calls about it

  // What these boundaries said of it before, and what failed from this stage on, counts no more: it is done again.
  void settled(std::initializer_list<std::string_view> boundaries, Stage from);
  bool was_sent_back_by(Stage from) const;
  // The stage sends it back where there is a reason.
  bool sends_back(Stage from, std::string_view reason);
};

// What came over a boundary, back in its chains: item i of the crossing was made of chain of_item[i] and stands in its
// place, also where it was split into several; the other chains stay. `artifact`: where a chain has it.
std::vector<Chain> over_boundary(std::vector<Chain> chains, const run::Crossing& crossing, const ContractBoundary& what,
                                 const std::vector<std::size_t>& of_item, run::Data Chain::*artifact);
// What the boundary made of one item, in its chain.
void take_crossed(Chain& chain, const run::Crossed& item, const run::Crossing& crossing, const ContractBoundary& what,
                  run::Data Chain::*artifact);

// Stage 0: {"findings": [...], "coverage": {...}, "evidence": {id: {...}}, "warnings": [...], "failures": [...]}.
run::Data explore(run::Run& run, const Job& job, const SentBack& why);
// What a second look has brought, put to what was found before: findings and evidence keep their ids, a pattern that is
// known gets the new evidence, others get new ids ("fresh"). A look that failed takes nothing away.
run::Data looked_again(const run::Data& before, const run::Data& now);

// Stage 1 and the boundary behind it. `first`: the number of the first opportunity. Where it was sent back for some of
// `before`, only these are framed anew, from their findings and what a second look has brought: the new ones stand in
// their place, the others as they were, and what is made of new findings alone comes last.
struct Framed {
  std::vector<Chain> chains;
  std::string quality_flags;
  std::vector<std::string> warnings;
  std::vector<Failure> failures;
};
Framed frame(run::Run& run, const Job& job, const run::Data& explored, std::size_t first, const SentBack& why,
             const std::vector<Chain>& before);

// Stages 2 and 3, and the boundary behind each. Chains that are left out, and others than the one that was sent back,
// stay as they are. Gives the quality flags of the stage. `agents_may`: a stage whose input is not good enough to work
// with may send it back (Chain::send_back).
std::string design(run::Run& run, const Job& job, const run::Data& explored, std::vector<Chain>& chains,
                   const SentBack& why, bool agents_may);
std::string assess(run::Run& run, const Job& job, std::vector<Chain>& chains, const SentBack& why, bool agents_may);

// Stage 4: {"rankings": [{"opportunity_id", "recommended_rank", "rationale", "dependencies", "flags"}], "send_back":
// [{"opportunity_id", "reason"}], "failures"}, whatever the model said. Where it said nothing, `before` holds on.
run::Data rank(run::Run& run, const Job& job, const std::vector<Chain>& chains, const run::Data& before,
               const SentBack& why, bool agents_may);
// What a model's ranking is worth: duplicates go (the first counts), unknown ids go, what is missing comes last with a
// flag, blank rationales are filled, ranks are 1 to N.
std::string repaired_ranking(const json::Value& rankings, const std::vector<Chain>& chains);

// Stage 5, until it is complete or something is sent back.
struct Reviewed {
  SentBack sent_back;  // from is empty: the review is complete, or the run cancelled
  Stage to = Stage::exploration;
  bool complete = false;
};
struct Decisions {
  std::vector<std::pair<std::string, run::Data>> by_opportunity;
  std::vector<std::string> order;                               // of ids, as people put it; empty: as it was ranked
  std::vector<std::string> placed;                              // that people put where they are
  std::vector<std::pair<std::string, std::size_t>> priorities;  // places that people gave since they gave an order

  // Puts an opportunity at a place, from 1 on, or last.
  void put_at(const std::string& id, std::size_t place);
};
// The id that an opportunity was made from, for each that was made from another.
using Lineage = std::vector<std::pair<std::string, std::string>>;
// The order after a new ranking. What people placed, and what `again` does not concern, stays where it is; what was
// made of an opportunity that people placed takes its place; the others stand where the ranking has them. A priority
// that was given stays the number that it is.
void keep_order(Decisions& decisions, const json::Value& rankings, const Lineage& lineage, const SentBack& again);
using Attempts = std::array<std::size_t, stage_names.size()>;  // of each stage
Reviewed review(run::Run& run, const std::vector<Chain>& chains, const run::Data& rankings, const Attempts& attempts,
                Decisions& decisions);

// As checkpoints have them.
void write_chain(json::Writer& json, const Chain& chain);
Chain chain_of(const run::Data& whole, const json::Value& value);

// The ids that evidence may name, as the context of contracts: {"evidence": ["c1", ...]}.
std::string evidence_context(const run::Data& explored);
// `value` with what its evidence names made whole: types looked up, ids that are in no finding left out and told.
run::Data with_evidence(const run::Data& value, const std::vector<std::string>& ids, const run::Data& explored,
                        std::vector<std::string>& warnings);

}  // namespace plumb::pipelines::discovery
