// The stages of discovery, each a function over a Run. What a stage gives is a record, which is journalled when it has
// finished, and what comes behind it starts from there. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipelines/discovery/job.hpp"
#include "core/run/boundary.hpp"

namespace plumb::pipelines::discovery {

// What came over a boundary, back in its chains: item i of the crossing was made of chain of_item[i] and stands in its
// place, also where it was split into several; the other chains stay. `artifact`: where a chain has it.
std::vector<Chain> over_boundary(std::vector<Chain> chains, const run::Crossing& crossing, const ContractBoundary& what,
                                 const std::vector<std::size_t>& of_item, run::Data Chain::*artifact);
// What the boundary made of one item, in its chain.
void take_crossed(Chain& chain, const run::Crossed& item, const run::Crossing& crossing, const ContractBoundary& what,
                  run::Data Chain::*artifact);

// Stage 0.
Explored explore(run::Run& run, const Job& job, const SentBack& why);
// What a second look has brought, put to what was found before: findings and evidence keep their ids, a pattern that is
// known gets the new evidence, others get new ids ("fresh"). A look that failed takes nothing away.
Explored looked_again(const Explored& before, const Explored& now);

// Stage 1 and the boundary behind it. `first`: the number of the first opportunity. Where it was sent back for some of
// `before`, only these are framed anew, from their findings and what a second look has brought: the new ones stand in
// their place, the others as they were, and what is made of new findings alone comes last.
struct Framed {
  Opportunities made;
  std::string quality_flags;
};
Framed frame(run::Run& run, const Job& job, const Explored& explored, std::size_t first, const SentBack& why,
             const std::vector<Chain>& before);

// Stages 2 and 3, and the boundary behind each. Chains that are left out, and others than the one that was sent back,
// stay as they are. Gives the quality flags of the stage. `agents_may`: a stage whose input is not good enough to work
// with may send it back (Chain::send_back).
std::string design(run::Run& run, const Job& job, const Explored& explored, std::vector<Chain>& chains,
                   const SentBack& why, bool agents_may);
std::string assess(run::Run& run, const Job& job, std::vector<Chain>& chains, const SentBack& why, bool agents_may);

// Stage 4, whatever the model said. Where it said nothing, `before` holds on.
Ranked rank(run::Run& run, const Job& job, const std::vector<Chain>& chains, const std::vector<Ranking>& before,
            const SentBack& why, bool agents_may);

// Stage 5, until it is complete or something is sent back.
struct Reviewed {
  SentBack sent_back;  // from is empty: the review is complete, or the run cancelled
  Stage to = Stage::exploration;
  bool complete = false;
};
struct Decisions {
  std::vector<std::pair<std::string, run::Data>> by_opportunity;  // ReviewSignal
  std::vector<std::string> order;                                 // of ids, as people put it; empty: as it was ranked
  std::vector<std::string> placed;                                // that people put where they are
  std::vector<std::pair<std::string, std::size_t>> priorities;    // places that people gave since they gave an order

  std::vector<run::Data> all() const;
  // Puts an opportunity at a place, from 1 on, or last.
  void put_at(const std::string& id, std::size_t place);
};
// The id that an opportunity was made from, for each that was made from another.
using Lineage = std::vector<std::pair<std::string, std::string>>;
// The order after a new ranking. What people placed, and what `again` does not concern, stays where it is; what was
// made of an opportunity that people placed takes its place; the others stand where the ranking has them. A priority
// that was given stays the number that it is.
void keep_order(Decisions& decisions, const std::vector<Ranking>& rankings, const Lineage& lineage,
                const SentBack& again);
using Attempts = std::array<std::size_t, stage_names.size()>;  // of each stage
Reviewed review(run::Run& run, const std::vector<Chain>& chains, const std::vector<Ranking>& rankings,
                const Attempts& attempts, Decisions& decisions);

// Before they are noted: Chain::warnings are what their artifacts say.
void gather_warnings(std::vector<Chain>& chains);

// The ids that evidence may name, as the context of contracts: {"evidence": ["c1", ...]}.
std::string evidence_context(const Explored& explored);
// `value` with what its evidence names made whole: types looked up, ids that are in no finding left out and told.
run::Data with_evidence(const run::Data& value, const std::vector<std::string>& ids, const Explored& explored,
                        std::vector<std::string>& warnings);

}  // namespace plumb::pipelines::discovery
